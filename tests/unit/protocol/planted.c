/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds daemons that were planted into synthetic runs: visits, their ends, the floor, symmetry. */
#include "planted.h"
#include "base/base.h"
#include "protocol/lshape.h"

/* True if exactly the samples with these numbers (from … to, up to a pair of 0) are marked. */
static bool exactly(const struct et_daemon_run *run, const bool *marked, const uint32_t (*want)[2])
{
	for (size_t i = 0; i < run->n_listed; i++) {
		bool wanted = false;
		for (const uint32_t(*w)[2] = want; (*w)[0]; w++)
			wanted |= run->listed[i].number >= (*w)[0] &&
				  run->listed[i].number <= (*w)[1];
		if (wanted != marked[i])
			return false;
	}
	return true;
}

#define SAMPLES(...)                                                                               \
	(const uint32_t[][2])                                                                      \
	{                                                                                          \
		__VA_ARGS__,                                                                       \
		{                                                                                  \
			0                                                                          \
		}                                                                                  \
	}

static const struct planted usual = {
	.n = 300, .seconds = 1, .noise_ms = 1.3, .noise = HALF_NORMAL_NOISE
};

static struct planted with(const struct visit *visits)
{
	struct planted p = usual;

	p.visits = visits;
	return p;
}

/* --- one visit --- */

/* rhn_check of the papers ran for 35 s: 35 samples of the short run, 5 of the long run. */
static void test_one_long_visit(void)
{
	static const struct visit short_visit[] = { { "rhn_check", 99, 134, 0.9 }, { 0 } };
	static const struct visit long_visit[] = { { "rhn_check", 152, 187, 0.9 }, { 0 } };
	struct planted s = with(short_visit), l = with(long_visit);
	struct et_daemon_record r;
	struct et_daemon_findings f;

	l.n = 40;
	l.seconds = 8;
	plant_and_find(&r, &s, &l, 1, &f);
	ok(exactly(&r.short_run, f.short_run.far, SAMPLES({ 100, 134 })) &&
			exactly(&r.long_run, f.long_run.far, SAMPLES({ 20, 24 })),
		"one visit of 35 s: it makes 35 short and 5 long L-samples");
	ok(!is_frequent_in(&r, &f.short_run, "rhn_check") &&
			!is_frequent_in(&r, &f.long_run, "rhn_check") &&
			is_frequent_in(&r, &f.short_run, "rcu"),
		"one visit of 35 s: it is infrequent, a daemon in every sample is frequent");
	const struct et_cutoff *c = cutoff_of(&f, "rhn_check");
	ok(f.n_cutoffs == 1 && c && c->sightings == 1 && isnan(c->period_s),
		"one visit of 35 s: it is one sighting and has no period");
	near(c ? c->short_ms : NAN, 450, 1e-9, 0,
		"one visit of 35 s: the short cutoff is half of its time in a sample");
	near(c ? c->long_ms : NAN, 1350, 1e-9, 0,
		"one visit of 35 s: the long cutoff is half of its time in its last sample");
	ok(c && c->n_final == 2 && et_cutoff_for(c, 1) == c->short_ms &&
			et_cutoff_for(c, 8) == c->long_ms,
		"one visit of 35 s: each length of samples has its own cutoff");
	ok(exactly(&r.short_run, f.short_run.removed, SAMPLES({ 100, 134 })) &&
			exactly(&r.long_run, f.long_run.removed, SAMPLES({ 20, 24 })),
		"one visit of 35 s: the samples that it touched are removed");
	uproot(&r, &f);
}

static void test_lengths_of_visits(void)
{
	static const double lengths[] = { 0.4, 1, 2, 3, 5, 20, 70, 90, 150 };

	for (size_t i = 0; i < ET_LENGTH(lengths); i++) {
		const struct visit visits[] = { { "backupd", 100, 100 + lengths[i], 0.4 }, { 0 } };
		struct planted p = with(visits);
		struct et_daemon_record r;
		struct et_daemon_findings f;
		uint32_t last = (uint32_t)(100 + ceil(lengths[i]));
		bool most = lengths[i] > 75;

		plant_and_find(&r, &p, NULL, i, &f);
		if (most)
			ok(!f.short_run.n_far && !f.n_cutoffs &&
					is_frequent_in(&r, &f.short_run, "backupd"),
				"a visit of %g s: more than a quarter of the run is not infrequent",
				lengths[i]);
		else
			ok(exactly(&r.short_run, f.short_run.removed, SAMPLES({ 101, last })) &&
					!is_frequent_in(&r, &f.short_run, "backupd"),
				"a visit of %g s: the samples 101 to %u are removed", lengths[i],
				last);
		uproot(&r, &f);
	}
}

/* --- visits over borders --- */

static void test_borders(void)
{
	/* Each visit is 0.6 s long and begins 0.3 s before the end of a sample. */
	static const struct visit visits[] = { { "cronjob", 99.7, 100.3, 0.5 },
		{ "cronjob", 299.7, 300.3, 0.5 }, { "cronjob", 499.7, 500.3, 0.5 },
		{ "cronjob", 699.7, 700.3, 0.5 }, { 0 } };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;

	p.n = 800;
	plant_and_find(&r, &p, NULL, 1, &f);
	ok(exactly(&r.short_run, f.short_run.removed,
		   SAMPLES({ 100, 101 }, { 300, 301 }, { 500, 501 }, { 700, 701 })),
		"visits over borders: both samples of each are removed");
	const struct et_cutoff *c = cutoff_of(&f, "cronjob");
	ok(c && c->sightings == 4 && !is_frequent_in(&r, &f.short_run, "cronjob"),
		"visits over borders: they are four sightings of an infrequent daemon");
	near(c ? c->period_s : NAN, 200, 0, 1e-9, "visits over borders: the period is 200 s");
	uproot(&r, &f);
}

/* The visit has 1 ms of sample 100 and 0.6 ms of sample 103, which is less than the noise. */
static void test_ends(void)
{
	static const struct visit visits[] = { { "cronjob", 99.998, 102.0012, 0.5 },
		{ "tick", 0, 300, 0.0003 }, { 0 } };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;

	plant_and_find(&r, &p, NULL, 1, &f);
	ok(exactly(&r.short_run, f.short_run.far, SAMPLES({ 100, 103 })),
		"ends of a visit: samples that it touched are L-samples, though within the noise");
	ok(f.n_cutoffs == 1 && is_frequent_in(&r, &f.short_run, "tick"),
		"ends of a visit: a frequent daemon in the same samples has no cutoff");
	near(cutoff_of(&f, "cronjob")->short_ms, 0.3, 1e-9, 0,
		"ends of a visit: the shortest part of it makes the cutoff");
	ok(exactly(&r.short_run, f.short_run.removed, SAMPLES({ 100, 103 })),
		"ends of a visit: all samples that it touched are removed");
	uproot(&r, &f);
}

/* --- frequent and infrequent --- */

/* Fills visits of 0.1 s with a mean distance, beginning at random; returns their number. */
static size_t come_and_go(
	struct visit *v, const char *name, double length, double every, struct et_rng *rng)
{
	size_t n = 0;

	for (double at = 0; at < length; at -= every * log1p(-et_rng_uniform(rng)), n++)
		v[n] = (struct visit){ name, at, at + 0.1, 0.5 };
	return n;
}

static void test_mixed(void)
{
	struct visit visits[400] = { 0 };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;
	struct et_rng rng;

	et_rng_seed(&rng, 5, 5);
	size_t n = come_and_go(visits, "busyd", 300, 8, &rng);
	visits[n++] = (struct visit){ "backupd", 40, 43, 0.7 };
	visits[n++] = (struct visit){ "backupd", 240, 243, 0.7 };
	visits[n++] = (struct visit){ "updated", 240.5, 241.5, 0.2 };
	plant_and_find(&r, &p, NULL, 1, &f);
	ok(is_frequent_in(&r, &f.short_run, "busyd") && !cutoff_of(&f, "busyd"),
		"mixed: a daemon that comes every 8 s on average is frequent, without a cutoff");
	ok(exactly(&r.short_run, f.short_run.far, SAMPLES({ 41, 43 }, { 241, 243 })),
		"mixed: only the samples of infrequent daemons are L-samples");
	ok(f.n_cutoffs == 2 && cutoff_of(&f, "backupd")->sightings == 2 &&
			cutoff_of(&f, "updated")->sightings == 1,
		"mixed: two daemons at once have a cutoff each");
	near(cutoff_of(&f, "updated")->short_ms, 50, 1e-9, 0,
		"mixed: the cutoff of a daemon is from its own times");
	uproot(&r, &f);
}

/* A stray process of 0.2 ms does not turn the samples of a frequent daemon into L-samples. */
static void test_stray(void)
{
	struct visit visits[400] = { 0 };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;
	struct et_rng rng;

	et_rng_seed(&rng, 6, 5);
	size_t n = come_and_go(visits, "busyd", 300, 6, &rng);
	for (size_t i = 0, all = n; i < all; i += 10)
		visits[n++] =
			(struct visit){ "stray", visits[i].from_s, visits[i].from_s + 2e-4, 1 };
	plant_and_find(&r, &p, NULL, 1, &f);
	ok(!f.short_run.n_far && !f.n_cutoffs,
		"stray process: it makes no L-samples beside a frequent daemon");
	uproot(&r, &f);
}

/* A visit makes a sample take four times as long, so that it has four times as much of others. */
static void test_stretched(void)
{
	static const struct visit visits[] = { { "backupd", 50, 50.9, 3.5 }, { 0 } };
	struct planted p = with(visits);
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_error err;
	struct et_rng rng;

	et_rng_seed(&rng, 1, 13);
	plant(&r, &r.short_run, &p, &rng);
	const struct et_daemon_sample *w = &r.short_run.listed[50];
	r.short_run.executions[w->first].ms *= 4; /* rcu */
	et_daemon_record_settle(&r);
	if (et_daemons_analyse(&r, "stretched", &f, &err))
		tap_bail("%s", err.what);
	ok(f.short_run.n_far == 1 && f.n_cutoffs == 1 && cutoff_of(&f, "backupd"),
		"stretched sample: a daemon that runs all the time has no cutoff by it");
	uproot(&r, &f);
}

/*
 * Something that is not a process, such as a hypervisor, takes 200 ms of three samples. Processes
 * of a few milliseconds happen to run in two of them, and a daemon of its own takes 150 ms of
 * another.
 */
static void test_unexplained(void)
{
	static const struct visit visits[] = { { "sh", 50.5, 50.503, 1 },
		{ "cron", 120.5, 120.502, 1 }, { "backupd", 180.5, 180.65, 1 }, { 0 } };
	static const size_t stolen[] = { 50, 120, 200 };
	struct planted p = with(visits);
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_error err;
	struct et_rng rng;

	et_rng_seed(&rng, 1, 13);
	plant(&r, &r.short_run, &p, &rng);
	for (size_t i = 0; i < ET_LENGTH(stolen); i++)
		r.short_run.listed[stolen[i]].elapsed_ms += 200;
	et_daemon_record_settle(&r);
	if (et_daemons_analyse(&r, "unexplained", &f, &err))
		tap_bail("%s", err.what);
	ok(exactly(&r.short_run, f.short_run.far,
		   SAMPLES({ 51, 51 }, { 121, 121 }, { 181, 181 }, { 201, 201 })) &&
			exactly(&r.short_run, f.short_run.explained, SAMPLES({ 181, 181 })),
		"unexplained: samples that no process explains are L-samples");
	ok(f.n_cutoffs == 1 && cutoff_of(&f, "backupd"),
		"unexplained: processes that happened to run in them have no cutoff");
	uproot(&r, &f);
}

/* Twenty visits within 40 s, such as an upgrade of packages, and none in the rest of the run. */
static void test_burst(void)
{
	struct visit visits[400] = { 0 };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;
	bool touched = true;

	for (size_t i = 0; i < 20; i++)
		visits[i] =
			(struct visit){ "dpkg", 100.2 + 2 * (double)i, 100.7 + 2 * (double)i, 0.8 };
	plant_and_find(&r, &p, NULL, 1, &f);
	for (size_t i = 0; i < 20; i++)
		touched = touched && f.short_run.removed[100 + 2 * i];
	ok(touched && f.short_run.n_far == 20 && !is_frequent_in(&r, &f.short_run, "dpkg"),
		"burst: 20 visits within 40 of 300 samples do not make a daemon frequent");
	uproot(&r, &f);
}

/* --- the floor --- */

static void test_floor(void)
{
	static const struct visit visits[] = { { "backupd", 76.5, 76.73, 1 },
		{ "dhclient-hook", 76.5, 76.5000041, 1 }, { "backupd", 189.5, 189.73, 1 },
		{ "cron", 189.5, 189.50012, 1 }, { 0 } };
	struct planted p = with(visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;

	plant_and_find(&r, &p, NULL, 1, &f);
	near(f.floor_ms, 0.1, 0, 0, "floor: 0.1 ms for times in fractions of a millisecond");
	ok(f.short_run.n_far == 2 && !cutoff_of(&f, "dhclient-hook"),
		"floor: a process of 4.1 us beside a daemon has no cutoff");
	ok(cutoff_of(&f, "cron") && cutoff_of(&f, "cron")->final_ms[0] == 0.1,
		"floor: no cutoff is below it");
	et_daemon_findings_free(&f);
	r.snapshots_ms = 0.2;
	struct et_error err;
	ok(!et_daemons_analyse(&r, "measured", &f, &err) && f.floor_ms == 0.2 &&
			!cutoff_of(&f, "cron"),
		"floor: the time of the snapshots, where it was measured");
	uproot(&r, &f);
	p.whole_ms = true;
	plant_and_find(&r, &p, NULL, 1, &f);
	near(f.floor_ms, 1, 0, 0, "floor: 1 ms for times in whole milliseconds");
	uproot(&r, &f);
}

/* The daemon is in the cluster of the long run with less than the floor. */
static void test_floor_of_long_run(void)
{
	static const struct visit short_visits[] = { { "cron", 50, 50.2, 1 }, { 0 } };
	static const struct visit long_visits[] = { { "cron", 50, 50.00002, 1 }, { 0 } };
	struct planted s = with(short_visits), l = with(long_visits);
	struct et_daemon_record r;
	struct et_daemon_findings f;

	l.n = 40;
	l.seconds = 8;
	plant_and_find(&r, &s, &l, 1, &f);
	const struct et_cutoff *c = cutoff_of(&f, "cron");
	ok(c && c->long_ms == 0.1 && fabs(c->final_ms[0] - 100) < 1e-6,
		"floor: a cutoff by the long run's cluster is not below it");
	uproot(&r, &f);
}

/* --- symmetry --- */

static void test_asymmetric(void)
{
	struct et_daemon_record r = { 0 };
	struct et_daemon_findings f;
	struct et_error err;
	struct et_rng rng;

	/* A broad tail to the right in a tenth of the samples, without any daemon. */
	et_rng_seed(&rng, 5, 5);
	r.short_run = (struct et_daemon_run){ .samples = 400, .sample_seconds = 1, .whole = true };
	for (uint32_t i = 0; i < 400; i++) {
		struct et_daemon_sample *w = et_daemon_run_add(&r.short_run, i + 1, i);
		w->elapsed_ms = 1000 + fabs(et_rng_normal(&rng));
		if (et_rng_uniform(&rng) < 0.1)
			w->elapsed_ms += 1 + 59 * et_rng_uniform(&rng);
		w->cpu_ms = w->elapsed_ms - 0.2;
		et_daemon_run_execution(&r.short_run, et_daemon_record_name(&r, "rcu"), 0.8);
	}
	et_daemon_record_settle(&r);
	if (et_daemons_analyse(&r, "asymmetric", &f, &err))
		tap_bail("%s", err.what);
	const struct et_cluster_shape *s = &f.short_run.shape;
	ok(!f.n_cutoffs && !f.short_run.n_far, "asymmetric noise: no L-samples and no cutoffs");
	ok(s->tested && !s->symmetric && s->skewness_p < 1e-6 && s->skewness_z > 0,
		"asymmetric noise: the cluster is skewed to the right, p = %g", s->skewness_p);
	ok(s->pairs == 200 && s->correlation_p > 0.005,
		"asymmetric noise: the times of the 200 pairs are not alike");
	uproot(&r, &f);
}

/* Elapsed times with a slow wave: two successive samples are alike. */
static void test_correlated(void)
{
	struct et_daemon_record r = { 0 };
	bool far[300] = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 5, 5);
	r.short_run = (struct et_daemon_run){ .samples = 300, .sample_seconds = 1, .whole = true };
	for (uint32_t i = 0; i < 300; i++) {
		struct et_daemon_sample *w = et_daemon_run_add(&r.short_run, i + 1, i);
		w->elapsed_ms = 1000 + et_rng_normal(&rng) + 2 * sin(i / 10.0);
	}
	struct et_cluster_shape s = et_cluster_shape_of(&r.short_run, far);
	ok(s.tested && !s.symmetric && s.correlation > 0.3 && s.correlation_p < 1e-4,
		"correlation: a slow wave stretches the cluster along the diagonal, r = %.2f",
		s.correlation);
	r.short_run.n_listed = 19;
	s = et_cluster_shape_of(&r.short_run, far);
	ok(!s.tested && !s.symmetric && s.pairs == 9 && isnan(s.skewness_p),
		"symmetry: 19 samples are too few to test it");
	/* Ranks 1 2 3 4 5 6 7 8 9 10 and 2 1 4 3 6 5 8 7 10 9: rho = 1 - 6*10/990. */
	r.short_run.n_listed = 20;
	for (uint32_t i = 0; i < 20; i++)
		r.short_run.listed[i].elapsed_ms = i % 2 ? i / 2 + (i / 2 % 2 ? 0 : 2) : i / 2 + 1;
	s = et_cluster_shape_of(&r.short_run, far);
	near(s.correlation, 1 - 60.0 / 990, 1e-12, 0, "correlation: it is Spearman's");
	near(s.correlation_p, 5.4840530e-05, 1e-6, 0,
		"correlation: p is that of Student's t distribution");
	et_daemon_record_free(&r);
}

/* --- how often it errs --- */

/* Returns how many of `tries` quiet runs have a cutoff; counts those that are not symmetric. */
static size_t quiet_runs(const struct planted *p, size_t tries, size_t *asymmetric)
{
	size_t cutoffs = 0;

	*asymmetric = 0;
	for (uint64_t seed = 0; seed < tries; seed++) {
		struct et_daemon_record r;
		struct et_daemon_findings f;
		plant_and_find(&r, p, NULL, seed, &f);
		cutoffs += f.n_cutoffs > 0;
		*asymmetric += !f.short_run.shape.symmetric;
		uproot(&r, &f);
	}
	return cutoffs;
}

static void test_quiet(void)
{
	struct planted p = usual;
	size_t asymmetric, cutoffs;

	p.noise = NORMAL_NOISE;
	cutoffs = quiet_runs(&p, 200, &asymmetric);
	ok(!cutoffs, "quiet runs, normal noise: %zu of 200 have a cutoff", cutoffs);
	/* 1 % of 200: more than 7 have the probability 0.1 %. */
	ok(asymmetric <= 7, "quiet runs, normal noise: %zu of 200 clusters look asymmetric",
		asymmetric);
	p.noise = LOG_NORMAL_NOISE;
	cutoffs = quiet_runs(&p, 200, &asymmetric);
	ok(!cutoffs, "quiet runs, log-normal noise: %zu of 200 have a cutoff", cutoffs);
	ok(asymmetric >= 195,
		"quiet runs, log-normal noise: %zu of 200 clusters are found asymmetric",
		asymmetric);
}

int main(void)
{
	test_one_long_visit();
	test_lengths_of_visits();
	test_borders();
	test_ends();
	test_mixed();
	test_stray();
	test_stretched();
	test_unexplained();
	test_burst();
	test_floor();
	test_floor_of_long_run();
	test_asymmetric();
	test_correlated();
	test_quiet();
	return tap_done();
}
