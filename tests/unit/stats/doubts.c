/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is doubtful is said, and only that: series and commands made to order. */
#include "stats/doubts.h"
#include "base/alloc.h"
#include "num/dist.h"
#include "num/rng.h"
#include "stats/judge.h"
#include "tap.h"

enum { N = 60 };

static double x[N];

static bool says(const struct et_warnings *w, const char *text)
{
	for (size_t i = 0; i < w->n; i++) {
		if (strstr(w->text[i], text))
			return true;
	}
	return false;
}

/* Normal noise of 1 % around 50 ms, the same on every machine. */
static void noise(uint64_t seed)
{
	struct et_rng rng;

	et_rng_seed(&rng, seed, 0);
	for (int i = 0; i < N; i++)
		x[i] = 50e6 * (1 + 0.01 * et_qnorm(et_rng_uniform(&rng)));
}

static void series(void)
{
	struct et_warnings w = { 0 };
	size_t alarms = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		noise(seed);
		et_doubt_series(x, N, &w);
		alarms += w.n > 0;
		et_warnings_free(&w);
	}
	/* Dependence at 4 %, drift, skewness and modes at 1 %: 13 of 200, four sd more are 27. */
	ok(alarms <= 27, "plain noise is left alone (%zu of 200 doubted)", alarms);

	noise(1);
	et_doubt_series(x, 3, &w);
	ok(says(&w, "only 3 values"), "few samples");
	et_warnings_free(&w);
	et_doubt_series(x, 1, &w);
	ok(says(&w, "only 1 value:"), "in the singular");
	et_warnings_free(&w);

	for (int i = 0; i < N; i++)
		x[i] *= 1 + 0.001 * i;
	et_doubt_series(x, N, &w);
	ok(says(&w, "drift") && says(&w, "rise"), "a rising series drifts");
	et_warnings_free(&w);

	noise(2);
	for (int i = 1; i < N; i++)
		x[i] = 50e6 + 0.8 * (x[i - 1] - 50e6) + (x[i] - 50e6);
	et_doubt_series(x, N, &w);
	ok(says(&w, "resemble") || says(&w, "drift"), "a dependent series is not independent");
	et_warnings_free(&w);

	noise(3);
	for (int i = 0; i < N; i++)
		x[i] *= (i * 7) % 3 ? 1 : 1.2;
	et_doubt_series(x, N, &w);
	ok(says(&w, "two modes"), "two modes");
	et_warnings_free(&w);

	for (int i = 0; i < N; i++)
		x[i] = 50e6;
	et_doubt_series(x, N, &w);
	ok(w.n == 0, "a constant series is no reason to crash");
	et_warnings_free(&w);
}

/* How often of 200 series of n the given look says so: normal, or its exponential. */
static int said(size_t n, double sigma, const char *text)
{
	int count = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct et_warnings w = { 0 };
		noise(seed);
		for (size_t i = 0; sigma > 0 && i < n; i++)
			x[i] = 50e6 * (1 + exp(sigma * 100 * (x[i] / 50e6 - 1)));
		et_doubt_series(x, n, &w);
		count += says(&w, text);
		et_warnings_free(&w);
	}
	return count;
}

/* What takes coverage from the mean's interval is told, and rarely where there is none of it. */
static void shapes(void)
{
	int calm = said(30, 0, "skewed"), skewed = said(30, 1, "skewed");
	int few_calm = said(10, 0, "not normal"), few = said(10, 1, "not normal");
	int dependence = said(30, 0, "resemble");

	ok(calm <= 8, "30 normal values are skewed at 1 %% (%d of 200)", calm);
	ok(skewed >= 160, "lognormal ones are (%d of 200)", skewed);
	ok(few_calm <= 20, "10 normal values are not so at less than 5 %% (%d of 200)", few_calm);
	ok(few + said(10, 1, "skewed") >= 100, "of lognormal ones the shape is told (%d)", few);
	ok(dependence <= 20, "independent values seem dependent at 4 %% (%d of 200)", dependence);
}

static struct et_experiment *experiment(size_t n_commands)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	e->plan.level = 0.95;
	e->n_commands = n_commands;
	e->commands = et_calloc(n_commands, sizeof(*e->commands));
	for (size_t c = 0; c < n_commands; c++)
		e->commands[c].name = et_asprintf("command %zu", c + 1);
	snprintf(e->host.clocksource, sizeof(e->host.clocksource), "tsc");
	snprintf(e->host.virtual_machine, sizeof(e->host.virtual_machine), "none");
	return e;
}

static struct et_sample *add(struct et_experiment *e, uint32_t command, uint32_t round,
	uint64_t elapsed_ns, uint64_t cpu_ns)
{
	struct et_sample s = { .place.command = command,
		.place.round = round,
		.place.order = round,
		.place.partner = -1,
		.measured.elapsed_ns = elapsed_ns,
		.measured.cpu_ns = cpu_ns,
		.measured.blocked_ns = ET_UNKNOWN };

	return et_experiment_add(e, &s);
}

static void commands(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	for (uint32_t i = 1; i <= 10; i++)
		add(e, 0, i, 101000000, 100000000);
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(w.n == 0, "a program that computes is not doubted");
	for (size_t i = 0; i < 10; i++) {
		struct et_sample *s = &e->commands[0].samples[i];
		s->measured.elapsed_ns = 200000000;
		s->measured.wait_ns = 98000000;
		s->measured.n_culprits = 1;
		s->measured.culprits = et_calloc(1, sizeof(*s->measured.culprits));
		snprintf(s->measured.culprits[0].name, sizeof(s->measured.culprits[0].name),
			"updatedb");
		s->measured.culprits[0].cpu_ns = 98000000;
	}
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "not the program's doing") && says(&w, "49 %") && says(&w, "updatedb"),
		"a busy machine is blamed by name: %s", w.n ? w.text[0] : "");
	ok(!says(&w, "sleeps"), "and not the program");
	et_warnings_free(&w);
	for (size_t i = 0; i < 10; i++) {
		e->commands[0].samples[i].measured.wait_ns = 0;
		e->commands[0].samples[i].ruling.marks = ET_MARK_LEFTOVERS | ET_MARK_LOST_RECORDS;
	}
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "sleeps or waits") && says(&w, "--metric et"), "a sleeper is told as one");
	ok(says(&w, "left processes behind") && says(&w, "dropped exit records"), "marks are told");
	et_warnings_free(&w);
	et_experiment_free(e);
}

/* Runs that met a slow machine, removed or kept: what is said, and when --pace is advised. */
static void speeds(void)
{
	struct et_experiment *e = experiment(1);
	struct et_sample *s;
	struct et_warnings w = { 0 };

	for (uint32_t i = 1; i <= 20; i++)
		add(e, 0, i, 101000000, 100000000);
	s = e->commands[0].samples;
	s[0].ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(w.n == 0, "one of 20 is left out without a word");
	for (size_t i = 0; i < 6; i++)
		s[i].ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "slow in 6 of 20 runs, which were left out; --pace"), "six are told");
	et_warnings_free(&w);
	for (size_t i = 0; i < 12; i++) {
		s[i].ruling.removal.by = ET_KEPT;
		s[i].ruling.marks = ET_MARK_MACHINE_SLOW;
	}
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "slow in 12 of 20 runs") && says(&w, "too many to leave them out") &&
			says(&w, "--pace"),
		"so many that they were kept");
	et_warnings_free(&w);
	e->metric = ET_METRIC_ELAPSED;
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "too many") && !says(&w, "--pace"), "--pace does nothing for elapsed time");
	et_warnings_free(&w);
	e->metric = ET_METRIC_CPU;
	for (size_t i = 0; i < 20; i++)
		s[i].measured.cpu_ns = 1 + (s[i].measured.elapsed_ns = 1000000);
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "too many") && !says(&w, "--pace"), "nor for a program of 1 ms");
	et_warnings_free(&w);
	e->plan.keep_all = true;
	et_doubt_command(e, e->protocol, &e->commands[0], &w);
	ok(says(&w, "slow in 12 of 20 runs") && !says(&w, "leave") && !says(&w, "left out"),
		"--keep-all: they count as asked");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void machines(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	et_doubt_host(e, &w);
	ok(w.n == 0, "a plain machine is not doubted");
	snprintf(e->host.clocksource, sizeof(e->host.clocksource), "hpet");
	snprintf(e->host.virtual_machine, sizeof(e->host.virtual_machine), "kvm");
	snprintf(e->host.governor, sizeof(e->host.governor), "powersave");
	e->snapshot_source = et_strdup("proc");
	e->host.cpus = 2;
	add(e, 0, 1, 10, 10)->measured.cpu_source = ET_CPU_BY_WAIT4;
	et_doubt_host(e, &w);
	ok(says(&w, "hpet") && says(&w, "kvm") && says(&w, "powersave") &&
			says(&w, "CAP_NET_ADMIN") && says(&w, "control group"),
		"clock, hypervisor, governor, privileges");
	ok(says(&w, "; run as root"), "no cgroup: the advice without privileges is to run as root");
	et_warnings_free(&w);
	w = (struct et_warnings){ 0 };
	free(e->snapshot_source);
	e->snapshot_source = et_strdup("taskstats+perf");
	et_doubt_host(e, &w);
	ok(says(&w, "control group") && !says(&w, "run as root"),
		"no cgroup: root is not advised to run as root");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void judgements(void)
{
	struct et_experiment *e = experiment(3);
	struct et_judgement j;

	e->plan.order = ET_ORDER_RANDOM;
	for (uint32_t i = 1; i <= 12; i++) {
		/* The machine's pace doubles half-way; the ratios stay. */
		uint64_t pace = i > 6 ? 2 : 1;
		add(e, 0, i, 1000 * pace + i, 1000 * pace + i);
		add(e, 1, i, 1100 * pace + i, 1100 * pace + i);
		add(e, 2, i, (1000 + i % 3) * pace, (1000 + i % 3) * pace);
	}
	e->commands[0].samples[3].ruling.removal.by = ET_REMOVED_STOPPED;
	et_judge(e, &j);
	ok(j.commands[0].estimate[ET_METRIC_CPU].n == 11 && j.commands[0].removed == 1,
		"a removed sample does not count");
	ok(j.n_contrasts == 2 && j.contrasts[0].pairs == 11, "nor does its pair");
	near(j.contrasts[0].ratio, 1.0995, 0.002, 0, "the ratio survives the change of pace");
	ok(j.contrasts[0].significant && strstr(j.contrasts[0].verdict, "slower by"),
		"slower is found: %s", j.contrasts[0].verdict);
	ok(j.contrasts[0].p_holm >= j.contrasts[0].p, "Holm only raises p-values");
	ok(strcmp(j.contrasts[0].arrangement, "block") == 0, "as blocks");
	et_judgement_free(&j);
	et_experiment_free(e);

	e = experiment(2);
	et_judge(e, &j);
	ok(j.commands[0].estimate[ET_METRIC_CPU].n == 0 && j.n_contrasts == 1 &&
			!j.contrasts[0].significant,
		"an experiment without samples: %s", j.contrasts[0].verdict);
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Two-sigma takes the tails away; the interval of normal data must cover all the same. */
static void two_sigma_is_allowed_for(void)
{
	size_t covered = 0, trials = 1000;

	for (uint64_t seed = 1; seed <= trials; seed++) {
		struct et_experiment *e = experiment(1);
		struct et_judgement j;
		double mean = 0, sd = 0;
		noise(seed);
		for (int i = 0; i < 20; i++)
			mean += x[i] / 20;
		for (int i = 0; i < 20; i++)
			sd += (x[i] - mean) * (x[i] - mean) / 19;
		sd = sqrt(sd);
		for (uint32_t i = 0; i < 20; i++) {
			struct et_sample *s =
				add(e, 0, i + 1, (uint64_t)x[i] + 1000, (uint64_t)x[i]);
			if (fabs(x[i] - mean) > 2 * sd)
				s->ruling.removal.by = ET_REMOVED_TWO_SIGMA;
		}
		et_judge(e, &j);
		covered += j.commands[0].estimate[ET_METRIC_CPU].lo <= 50e6 &&
			   j.commands[0].estimate[ET_METRIC_CPU].hi >= 50e6;
		et_judgement_free(&j);
		et_experiment_free(e);
	}
	/* 95 % less three standard deviations of a binomial of 1000. */
	ok(covered >= 929, "after two-sigma the interval covers %zu of %zu", covered, trials);
}

/* --until stops by all samples; when rules then remove some, more --max-runs would be no cure. */
static void until(void)
{
	struct et_experiment *e = experiment(1);
	struct et_judgement j;

	e->plan.until_ratio = 0.004;
	for (uint32_t i = 1; i <= 20; i++) {
		struct et_sample *s = add(e, 0, i, 1000 + 10 * (i % 2), 1000 + 10 * (i % 2));
		if (i > 6)
			s->ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	}
	et_judge(e, &j);
	ok(says(&j.commands[0].warnings, "all 20 runs reached and the 6 that were kept did not"),
		"removed samples are why");
	et_judgement_free(&j);
	e->plan.until_ratio = 0.001;
	et_judge(e, &j);
	ok(says(&j.commands[0].warnings, "after 6 runs; allow more with --max-runs"),
		"not sure enough anyway");
	et_judgement_free(&j);
	e->plan.until_ratio = 0.01;
	et_judge(e, &j);
	ok(!says(&j.commands[0].warnings, "wanted"), "sure enough");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	until();
	series();
	two_sigma_is_allowed_for();
	shapes();
	commands();
	speeds();
	machines();
	judgements();
	return tap_done();
}
