/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds known daemons in synthetic records: the cluster, frequent daemons, periods, cutoffs. */
#include "protocol/daemons.h"
#include "base/base.h"
#include "num/rng.h"
#include "protocol/lshape.h"
#include "tap.h"

#include <errno.h>

/* --- where the cluster ends --- */

enum noise { NORMAL, EXPONENTIAL, LOG_NORMAL, NONE };
static const char *const noise_names[] = { "normal", "exponential", "log-normal", "no" };

static double draw(struct et_rng *rng, enum noise noise)
{
	switch (noise) {
	case NORMAL:
		return 5 * et_rng_normal(rng);
	case EXPONENTIAL:
		return -5 * log1p(-et_rng_uniform(rng));
	case LOG_NORMAL:
		return 5 * exp(0.7 * et_rng_normal(rng));
	default:
		return 0;
	}
}

static void test_bound(void)
{

	double x[800];

	for (enum noise noise = NORMAL; noise <= NONE; noise++) {
		for (int rounded = 0; rounded < 2; rounded++) {
			static const size_t sizes[] = { 11, 40, 101, 800 };
			size_t false_alarms = 0, found = 0, tries = 0;

			for (uint64_t seed = 0; seed < 100; seed++) {
				size_t n = sizes[seed % 4];
				struct et_rng rng;
				et_rng_seed(&rng, seed, noise);
				for (size_t i = 0; i < n; i++) {
					x[i] = 1000 + draw(&rng, noise);
					x[i] = rounded ? round(x[i]) : x[i];
				}
				tries++;
				false_alarms += isfinite(et_lshape_bound(x, n, rounded, 1e-4));
				x[n / 2] += 1000;
				double bound = et_lshape_bound(x, n, rounded, 1e-4);
				found += bound > 1005 && bound < 2000;
			}
			ok(false_alarms <= 2 && found >= tries - 2,
				"cluster: %s noise%s: %zu false alarms, %zu of %zu L-samples",
				noise_names[noise], rounded ? " in whole milliseconds" : "",
				false_alarms, found, tries);
		}
	}
}

/* --- periods --- */

static double period_of(uint32_t samples, double seconds, size_t n, const uint32_t *numbers)
{
	struct et_daemon_record r = { 0 };
	size_t places[16];
	double starts[16];

	r.short_run = (struct et_daemon_run){ .samples = samples, .sample_seconds = seconds };
	for (size_t i = 0; i < n; i++) {
		et_daemon_run_add(&r.short_run, numbers[i], (numbers[i] - 1) * seconds);
		places[i] = i;
	}
	size_t visits = et_visits(&r.short_run, places, n, starts);
	double period = et_period_find(&r.short_run, starts, visits);
	et_daemon_record_free(&r);
	return period;
}

#define PERIOD(samples, seconds, ...)                                                              \
	period_of(samples, seconds, sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t),        \
		(uint32_t[]){ __VA_ARGS__ })

static void test_period(void)
{
	near(PERIOD(800, 128.25, 75, 634), 20 * 3600, 0, 0,
		"period: samples 75 and 634 of 800 are periodic");
	near(PERIOD(800, 128.25, 366, 451), NAN, 0, 0,
		"period: samples 366 and 451 of 800 are not periodic");
	near(PERIOD(800, 128.25, 75, 186, 298, 410, 522, 634, 746), 4 * 3600, 0, 0,
		"period: rhn_check of the papers runs every 4 hours");
	near(PERIOD(800, 128.25, 75, 186, 298, 522, 634, 746), NAN, 0, 0,
		"period: one missing execution makes a daemon not periodic");
	near(PERIOD(800, 128.25, 75, 186, 240, 298, 410, 522, 634, 746), NAN, 0, 0,
		"period: one extra execution makes a daemon not periodic");
	near(PERIOD(800, 128.25, 75, 76, 634), 20 * 3600, 0, 1e-9,
		"period: an execution in two successive samples counts once");
	near(PERIOD(800, 128.25, 663), NAN, 0, 0, "period: one execution has no period");
	near(PERIOD(100, 1, 10, 33, 56, 79), 23, 0, 1e-9, "period: 23 s is not rounded");
	near(et_period_round(71691.75, 128.25), 72000, 0, 0,
		"rounding: 19.9 hours are rounded to 20");
	near(et_period_round(14350, 21), 14400, 0, 0, "rounding: 3.99 hours are rounded to 4");
	near(et_period_round(15480, 21), 15480, 0, 0, "rounding: 4.3 hours are not rounded");
	near(et_period_round(893, 5), 900, 0, 0, "rounding: 893 s are rounded to 15 minutes");
	near(et_period_round(30, 0.1), 30, 0, 0, "rounding: 30 s are not rounded to minutes");
}

static void test_interrupted_run(void)
{
	struct et_daemon_record r = { 0 };
	/*
	 * Sample 50 ended at 500 s, 51 began at 1000 s: the executions at 500, 700 and 900 s were
	 * not seen.
	 */
	r.short_run = (struct et_daemon_run){ .samples = 100, .sample_seconds = 10, .whole = true };
	for (uint32_t i = 1; i <= 100; i++)
		et_daemon_run_add(&r.short_run, i, (i - 1) * 10 + (i > 50 ? 500 : 0));
	static const size_t places[] = { 10, 30, 60, 80 };
	double starts[4];
	size_t visits = et_visits(&r.short_run, places, 4, starts);
	near(et_period_find(&r.short_run, starts, visits), 200, 0, 1e-9,
		"period: the pause of an interrupted run does not hide a period");
	et_daemon_record_free(&r);
}

/* --- whole records --- */

struct made {
	struct et_daemon_record r;
	struct et_rng rng;
};

/* In which samples a daemon runs, and for how long. */
struct plan {
	const char *name;
	uint32_t first, step; /* from sample `first` on in every step-th; a step of 0: once */
	double ms;
	double share; /* if above 0: in this share of the samples, chosen at random */
};

static void make_sample(struct made *m, struct et_daemon_run *run, uint32_t i, enum noise noise,
	bool rounded, const struct plan *plans)
{
	double t = draw(&m->rng, noise);
	struct et_daemon_sample *w = et_daemon_run_add(run, i, (i - 1) * run->sample_seconds);

	for (const struct plan *p = plans; p->name; p++) {
		bool due = p->share > 0 ? et_rng_uniform(&m->rng) < p->share
			   : p->step    ? i % p->step == p->first % p->step && i >= p->first
					: i == p->first;
		if (!due)
			continue;
		t += p->ms;
		et_daemon_run_execution(run, et_daemon_record_name(&m->r, p->name), p->ms);
	}
	w = &run->listed[run->n_listed - 1];
	w->elapsed_ms = rounded ? round(10100 + t) : 10100 + t;
	w->cpu_ms = rounded ? round(10000 + t) : 10000 + t;
}

static void make(struct made *m, uint32_t n, enum noise noise, bool rounded,
	const struct plan *plans, struct et_daemon_findings *f)
{
	struct et_error err;

	memset(&m->r, 0, sizeof(m->r));
	et_rng_seed(&m->rng, n, noise);
	m->r.short_run =
		(struct et_daemon_run){ .samples = n, .sample_seconds = 10, .whole = true };
	for (uint32_t i = 1; i <= n; i++)
		make_sample(m, &m->r.short_run, i, noise, rounded, plans);
	et_daemon_record_settle(&m->r);
	if (et_daemons_analyse(&m->r, "made", f, &err))
		tap_bail("%s", err.what);
}

static void unmake(struct made *m, struct et_daemon_findings *f)
{
	et_daemon_findings_free(f);
	et_daemon_record_free(&m->r);
}

static bool frequent(const struct made *m, const struct et_daemon_findings *f, const char *name)
{
	for (size_t i = 0; i < m->r.n_names; i++) {
		if (!strcmp(m->r.names[i], name))
			return f->short_run.frequent[i];
	}
	return false;
}

static void test_known(void)
{
	static const struct plan plans[] = { { "watchd", 1, 1, 3, 0 },
		{ "cronjob", 70, 200, 400, 0 }, { "login", 333, 0, 150, 0 }, { 0 } };
	struct made m;
	struct et_daemon_findings f;

	for (enum noise noise = NORMAL; noise <= NONE; noise++) {
		for (int rounded = 0; rounded < 2; rounded++) {
			make(&m, 601, noise, rounded, plans, &f);
			ok(f.short_run.n_far == 4 && f.short_run.far[69] && f.short_run.far[269] &&
					f.short_run.far[332] && f.short_run.far[469],
				"601 samples, %s noise%s: the four disturbed ones are L-samples",
				noise_names[noise], rounded ? ", whole milliseconds" : "");
			ok(f.n_cutoffs == 2 && !strcmp(f.cutoffs[0].daemon, "cronjob") &&
					f.cutoffs[0].short_ms == 200 && f.cutoffs[1].short_ms == 75,
				"cutoffs: both daemons have the midpoint of 0 and their time");
			near(f.cutoffs[0].period_s, 2000, 0, 1e-9,
				"cutoffs: cronjob has a period of 200 samples");
			near(f.cutoffs[0].task_time_s, 100, 0, 1e-9,
				"cutoffs: the task time of cronjob is 5 %% of its period");
			near(f.cutoffs[1].period_s, NAN, 0, 0,
				"cutoffs: login ran once and has no period");
			const struct et_collected *c = f.short_run.collected;
			ok(f.short_run.n_collected == 2 && isnan(c[0].central_ms) &&
					c[0].least_ms == 400 && c[0].visits == 3 &&
					c[1].least_ms == 150 && c[1].visits == 1,
				"collected: both daemons, with their visits and shortest times");
			ok(f.cutoffs[0].sightings == 3 && f.cutoffs[1].sightings == 1,
				"cutoffs: the period of cronjob comes from three visits");
			ok(f.short_run.n_central == 1 && f.short_run.central[0].max_ms == 3 &&
					f.short_run.central[0].sd_ms == 0,
				"cluster: watchd takes at most 3 ms, with an sd of 0");
			unmake(&m, &f);
		}
	}
}

static void test_none(void)
{
	static const struct plan plans[] = { { "watchd", 1, 1, 3, 0 }, { 0 } };
	struct made m;
	struct et_daemon_findings f;

	for (uint32_t n = ET_LSHAPE_LEAST; n < 800; n = 3 * n + 1) {
		for (enum noise noise = NORMAL; noise <= NONE; noise++) {
			make(&m, n, noise, noise % 2, plans, &f);
			ok(!f.short_run.n_far && !f.n_cutoffs,
				"%u samples, %s noise: no L-samples and no cutoffs", n,
				noise_names[noise]);
			unmake(&m, &f);
		}
	}
}

static void test_frequent(void)
{
	static const double shares[] = { 0.1, 0.2, 0.4, 0.6, 0.9 };
	struct made m;
	struct et_daemon_findings f;

	for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++) {
		struct plan plans[] = { { "busyd", 0, 0, 100, shares[i] },
			{ "cronjob", 70, 150, 700, 0 }, { 0 } };
		make(&m, 400, EXPONENTIAL, i % 2, plans, &f);
		ok(frequent(&m, &f, "busyd") && !frequent(&m, &f, "cronjob"),
			"frequent: a daemon in %.0f %% of the samples is frequent",
			100 * shares[i]);
		ok(f.short_run.n_far == 3 && f.short_run.far[69],
			"frequent: samples of the frequent daemon stay in the cluster");
		ok(f.n_cutoffs == 1 && f.cutoffs[0].short_ms == 350,
			"frequent: the infrequent daemon is found beside the frequent one");
		unmake(&m, &f);
	}
	struct plan every_second[] = { { "tickd", 2, 2, 100, 0 }, { 0 } };
	make(&m, 101, NORMAL, false, every_second, &f);
	ok(!f.short_run.n_far && frequent(&m, &f, "tickd"),
		"frequent: a daemon in every second sample is frequent");
	unmake(&m, &f);
}

/* The daemon runs briefly in every second sample, and for a long time in two of them. */
static void test_long_running(void)
{
	static const struct plan plans[] = { { "raid", 1, 2, 4, 0 }, { "raid", 90, 200, 80, 0 },
		{ 0 } };
	struct made m;
	struct et_daemon_findings f;

	make(&m, 400, NORMAL, true, plans, &f);
	ok(f.short_run.n_far == 2 && f.n_cutoffs == 1,
		"long-running: the long executions of a daemon make L-samples");
	near(f.short_run.collected[0].central_ms, 4, 0, 0,
		"long-running: the collected daemon has its maximum in the cluster");
	near(f.cutoffs[0].short_ms, 42, 0, 0,
		"long-running: the cutoff is between the short and the long executions");
	ok(f.short_run.removed[89] && f.short_run.removed[289] && !f.short_run.removed[0],
		"long-running: only the samples with long executions are removed");
	unmake(&m, &f);
}

/* Sample 451 of the papers: bash with a recorded 1 ms is not above its cutoff of 1 ms. */
static void test_resolution(void)
{
	static const struct plan whole[] = { { "bash", 30, 0, 100, 0 }, { "bash", 30, 0, 1, 0 },
		{ "bash", 60, 0, 100, 0 }, { 0 } };
	struct made m;
	struct et_daemon_findings f;

	make(&m, 100, NONE, true, whole, &f);
	ok(m.r.resolution_ms == 1 && f.floor_ms == 1 && f.cutoffs[0].final_ms[0] == 1,
		"resolution: an execution of 1 ms gives the least cutoff, 1 ms");
	m.r.short_run.executions[0].ms = 1;
	m.r.short_run.executions[1].ms = 1;
	et_daemon_findings_free(&f);
	struct et_error err;
	ok(!et_daemons_analyse(&m.r, "made", &f, &err) && f.short_run.far[29] &&
			!f.short_run.removed[29] && f.short_run.removed[59],
		"resolution: a recorded 1 ms is not above a cutoff of 1 ms");
	unmake(&m, &f);
}

static void test_fill(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_daemon_record r = { 0 };
	struct et_culprit others[] = {
		{ .name = "cron", .cpu_ns = 2500000, .on_our_cpu_ns = ET_UNKNOWN },
		{ .name = "cron", .cpu_ns = 0, .on_our_cpu_ns = ET_UNKNOWN },
		{ .name = "kworker/1:2",
			.cpu_ns = 1000000,
			.on_our_cpu_ns = ET_UNKNOWN,
			.kernel_thread = true }
	};

	e->n_commands = 1;
	e->commands = et_calloc(1, sizeof(*e->commands));
	for (uint32_t i = 0; i < 12; i++) {
		struct et_sample s = { .place.order = i + 1,
			.place.warmup = i == 0,
			.measured.started_wall_ns =
				1000000000000 + i * 2000000000ull + (i > 6) * 90000000000,
			.measured.elapsed_ns = 1900000000,
			.measured.cpu_ns = 1800000000,
			.measured.culprits = others,
			.measured.n_culprits = 3 };
		s.ruling.removal.by = i == 3 ? ET_REMOVED_FAILED : ET_KEPT;
		et_experiment_add(e, &s);
	}
	et_daemon_run_fill(&r, &r.short_run, &e->commands[0]);
	et_daemon_record_settle(&r);
	ok(r.short_run.samples == 10 && r.short_run.whole,
		"fill: warm-up and failed samples are omitted");
	near(r.short_run.sample_seconds, 2, 1e-12, 0,
		"fill: the distance of samples is the median, without the pause");
	near(r.short_run.listed[9].at_s, 110, 1e-12, 0, "fill: start times include the pause");
	ok(r.short_run.listed[0].number == 1 && r.short_run.listed[1].number == 2 &&
			r.short_run.listed[2].number == 4,
		"fill: samples are numbered from the first one, and a failed one counts");
	ok(r.n_names == 2 && !strcmp(r.names[1], "kworker") && r.short_run.listed[0].n == 2,
		"fill: names are those of daemons, executions of 0 ns are omitted");
	near(r.short_run.executions[0].ms, 2.5, 1e-12, 0, "fill: executions are in milliseconds");
	ok(!r.by_ledger, "fill: without a ledger the CPU time is judged");
	et_daemon_record_free(&r);
	et_experiment_free(e);
}

/* Two commands take turns, then one of them runs alone. */
static void test_fill_interleaved(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_daemon_record r = { 0 };
	size_t pairs = 0;

	e->n_commands = 2;
	e->commands = et_calloc(2, sizeof(*e->commands));
	for (uint32_t i = 0; i < 20; i++) {
		struct et_sample s = { .place = { .command = i < 12 && i % 2, .order = i + 3 },
			.measured = { .started_wall_ns = 1000000000ull * (1 + i),
				.elapsed_ns = 900000000,
				.cpu_ns = 900000000 } };
		et_experiment_add(e, &s);
	}
	et_daemon_run_fill(&r, &r.short_run, &e->commands[0]);
	for (size_t i = 0; i < r.short_run.n_listed; i++)
		pairs += et_daemon_pair(&r.short_run, i);
	ok(r.short_run.n_listed == 14 && r.short_run.listed[5].number == 11 &&
			r.short_run.listed[6].number == 13 &&
			!et_daemon_successive(&r.short_run, 0) &&
			et_daemon_successive(&r.short_run, 6),
		"fill: samples with a run of another command between them are not successive");
	ok(pairs == 4, "fill: only the eight samples in a row make pairs, %zu", pairs);
	et_daemon_record_free(&r);
	et_experiment_free(e);
}

static void test_too_few(void)
{
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_error err;

	r.short_run.samples = ET_LSHAPE_LEAST - 1;
	ok(et_daemons_analyse(&r, "few", &f, &err) == -EINVAL && strstr(err.what, "at least 10"),
		"analyse: too few samples are refused: %s", err.what);
}

int main(void)
{
	test_bound();
	test_period();
	test_interrupted_run();
	test_known();
	test_none();
	test_frequent();
	test_long_running();
	test_resolution();
	test_fill();
	test_fill_interleaved();
	test_too_few();
	return tap_done();
}
