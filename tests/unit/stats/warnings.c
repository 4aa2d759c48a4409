/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Warnings are raised on synthetic data that give a reason, and only on those. */
#include "stats/series/warnings.h"
#include "base/base.h"
#include "base/parse.h"
#include "num/rng.h"
#include "num/student.h"
#include "sample_of.h"
#include "stats/compare/judge.h"
#include "stats/series/describe.h"
#include "tap.h"

enum { N = 60 };

static double x[N];

/* An argument of the warning; NaN if it was not raised. */
static double arg(const struct et_warnings *w, enum et_warning_code code, int i)
{
	for (size_t k = 0; k < w->n; k++) {
		if (w->list[k].code == code)
			return w->list[k].args[i].number;
	}
	return NAN;
}

static bool names(const struct et_warnings *w, enum et_warning_code code, int i, const char *text)
{
	for (size_t k = 0; k < w->n; k++) {
		if (w->list[k].code == code)
			return !strcmp(w->list[k].args[i].text, text);
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
		et_series_warn(x, N, ET_USE_MEAN, &w);
		alarms += w.n > 0;
		et_warnings_free(&w);
	}
	/* All warnings together at 3 %: 6 of 200, four sd more are 15. */
	ok(alarms <= 15, "series: normal noise rarely raises a warning (%zu of 200)", alarms);

	noise(1);
	et_series_warn(x, 3, ET_USE_MEAN, &w);
	ok(arg(&w, ET_WARN_FEW_VALUES, 0) == 3,
		"series: three values raise the warning of few values");
	et_warnings_free(&w);

	for (int i = 0; i < N; i++)
		x[i] *= 1 + 0.001 * i;
	et_series_warn(x, N, ET_USE_MEAN, &w);
	ok(!et_warnings_have(&w, ET_WARN_DRIFT),
		"series: a drift of the halves by less than 3 %% raises no warning");
	et_warnings_free(&w);
	for (int i = 0; i < N; i++)
		x[i] *= 1 + 0.01 * i;
	et_series_warn(x, N, ET_USE_MEAN, &w);
	ok(arg(&w, ET_WARN_DRIFT, 0) == 1, "series: rising values drift upwards");
	et_warnings_free(&w);

	noise(2);
	for (int i = 1; i < N; i++)
		x[i] = 50e6 + 0.8 * (x[i - 1] - 50e6) + (x[i] - 50e6);
	et_series_warn(x, N, ET_USE_MEAN, &w);
	ok(et_warnings_have(&w, ET_WARN_DEPENDENT_RUNS) || et_warnings_have(&w, ET_WARN_DRIFT),
		"series: an autoregression is found to be dependent");
	et_warnings_free(&w);

	noise(3);
	for (int i = 0; i < N; i++)
		x[i] *= (i * 7) % 3 ? 1 : 1.2;
	et_series_warn(x, N, ET_USE_MEAN, &w);
	ok(et_warnings_have(&w, ET_WARN_SEVERAL_MODES), "series: two modes are found");
	et_warnings_free(&w);

	for (int i = 0; i < N; i++)
		x[i] = 50e6;
	et_series_warn(x, N, ET_USE_MEAN, &w);
	ok(w.n == 0, "series: equal values raise no warning");
	et_warnings_free(&w);
}

/* The warnings of a description of the first n values. */
static struct et_warnings described(size_t n)
{
	struct et_describe_options o = { .level = 0.95, .threads = 1 };
	struct et_description d;
	struct et_warnings w = { 0 };

	et_describe(x, n, ET_UNIT_NS, &o, &d);
	et_warnings_append(&w, &d.estimate.warnings);
	et_description_free(&d);
	return w;
}

static void descriptions(void)
{
	static double many[6000];
	struct et_warnings w;

	noise(1);
	w = described(2);
	ok(et_warnings_have(&w, ET_WARN_NORMALITY_UNTESTED),
		"description: two values are too few for Shapiro-Wilk");
	et_warnings_free(&w);
	w = described(10);
	ok(arg(&w, ET_WARN_SERIAL_UNTESTED, 0) == 10,
		"description: ten values are too few to find dependence");
	near(arg(&w, ET_WARN_RARE_CASE_UNSEEN, 1), 0.3487, 1e-3, 0,
		"description: ten values miss one case in ten with probability 0.35");
	et_warnings_free(&w);
	x[0] *= 3;
	w = described(N);
	ok(et_warnings_have(&w, ET_WARN_COLD_START),
		"description: a slow first value is a cold start");
	ok(arg(&w, ET_WARN_SOLITARY_VALUES, 0) == 1,
		"description: one value is far from all others");
	ok(arg(&w, ET_WARN_SD_INTERVAL, 1) == 1,
		"description: the sd interval of 60 skewed values is marked as unreliable");
	et_warnings_free(&w);
	noise(4);
	x[30] = 52.8e6;
	x[31] = 52.9e6;
	w = described(N);
	ok(arg(&w, ET_WARN_OUTLIERS, 0) == 2 && !et_warnings_have(&w, ET_WARN_SOLITARY_VALUES),
		"description: two high values are outliers, but not solitary");
	et_warnings_free(&w);
	noise(1);
	for (int i = 0; i < N; i++)
		x[i] = 1e6 * round(x[i] / 1e6);
	w = described(N);
	near(arg(&w, ET_WARN_COARSE_STEPS, 0), 1e6, 0, 0,
		"description: the step of a coarse clock is reported");
	et_warnings_free(&w);
	for (int i = 0; i < N; i++)
		x[i] = 50e6;
	w = described(N);
	ok(et_warnings_have(&w, ET_WARN_ALL_EQUAL), "description: equal values are reported");
	et_warnings_free(&w);

	struct et_describe_options o = { .level = 0.95, .threads = 1 };
	struct et_description d;
	struct et_rng rng;
	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < ET_LENGTH(many); i++)
		many[i] = 50e6 + 1e6 * et_qnorm(et_rng_uniform(&rng));
	et_describe(many, ET_LENGTH(many), ET_UNIT_NS, &o, &d);
	ok(arg(&d.estimate.warnings, ET_WARN_NORMALITY_BY_PART, 1) == 6000,
		"description: Shapiro-Wilk takes a part of 6000 values");
	et_description_free(&d);
}

/* Returns how many of 200 series of n values raise the warning: normal ones (sigma 0) or lognormal.
 */
static int raised(size_t n, double sigma, enum et_warning_code code)
{
	int count = 0;

	for (uint64_t seed = 1; seed <= 200; seed++) {
		struct et_warnings w = { 0 };
		noise(seed);
		for (size_t i = 0; sigma > 0 && i < n; i++)
			x[i] = 50e6 * (1 + exp(sigma * 100 * (x[i] / 50e6 - 1)));
		et_series_warn(x, n, ET_USE_MEAN, &w);
		count += et_warnings_have(&w, code);
		et_warnings_free(&w);
	}
	return count;
}

/* Shapes that reduce the coverage of the mean's interval raise a warning; normal data rarely do. */
static void shapes(void)
{
	int calm = raised(30, 0, ET_WARN_SKEWED), skewed = raised(30, 1, ET_WARN_SKEWED);
	int few_calm = raised(10, 0, ET_WARN_SKEWED), few = raised(10, 1, ET_WARN_SKEWED);
	int dependence = raised(30, 0, ET_WARN_DEPENDENT_RUNS);

	ok(calm <= 8, "shape: 30 normal values are found skewed in about 1 %% (%d of 200)", calm);
	ok(skewed >= 160, "shape: 30 lognormal values are found skewed (%d of 200)", skewed);
	ok(few_calm <= 8, "shape: 10 normal values are found skewed in about 1 %% (%d of 200)",
		few_calm);
	ok(few >= 40, "shape: 10 lognormal values are often found skewed (%d of 200)", few);
	ok(dependence <= 8,
		"shape: 30 independent values are found dependent in about 1 %% (%d of 200)",
		dependence);
}

/* A skewness that is significant in a long series, but does not move the mean's interval. */
static void long_series(void)
{
	enum { MANY = 50000 };
	ET_AUTO_FREE double *many = et_calloc(MANY, sizeof(*many));
	struct et_warnings w = { 0 };
	struct et_rng rng;

	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < MANY; i++)
		many[i] = 50e6 * exp(0.02 * et_qnorm(et_rng_uniform(&rng)));
	ok(et_asymmetry(many, MANY).p < 0.01,
		"long series: the skewness of 50000 lognormal values is significant");
	et_series_warn(many, MANY, ET_USE_MEAN, &w);
	ok(!et_warnings_have(&w, ET_WARN_SKEWED), "long series: it does not raise a warning");
	et_warnings_free(&w);
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
		.measured.on_cpu_ns = ET_UNKNOWN,
		.measured.runnable_ns = ET_UNKNOWN,
		.measured.asleep_ns = ET_UNKNOWN,
		.measured.blocked_ns = ET_UNKNOWN };

	return et_experiment_add(e, &s);
}

static void warn_of(const struct et_experiment *e, struct et_warnings *w)
{
	et_warnings_free(w);
	et_command_warn(e, e->protocol, &e->commands[0], w);
}

static void memory(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	e->metric = ET_METRIC_PEAK_MEMORY;
	for (uint32_t i = 1; i <= 10; i++) {
		add(e, 0, i, 200000000, 100000000);
		sample_of(&e->commands[0], i - 1)->measured.max_rss_bytes = 4096 * i;
	}
	warn_of(e, &w);
	ok(w.n == 0, "memory: a program that sleeps raises no warning");
	sample_of(&e->commands[0], 3)->measured.max_rss_bytes = ET_UNKNOWN;
	warn_of(e, &w);
	near(arg(&w, ET_WARN_MEMORY_HIDDEN, 0), 1, 0, 0,
		"memory: the runs of which it is not known are counted");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void commands(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	e->commands[0].argv = et_strv_of("sort", "my data", NULL);
	for (uint32_t i = 1; i <= 10; i++)
		add(e, 0, i, 101000000, 100000000);
	warn_of(e, &w);
	ok(w.n == 0, "command: a program that computes raises no warning");
	for (size_t i = 0; i < 10; i++) {
		struct et_sample *s = sample_of(&e->commands[0], i);
		s->measured.elapsed_ns = 200000000;
		s->measured.wait_ns = 98000000;
		s->measured.n_culprits = 1;
		s->measured.culprits = et_calloc(1, sizeof(*s->measured.culprits));
		snprintf(s->measured.culprits[0].name, sizeof(s->measured.culprits[0].name),
			"updatedb");
		s->measured.culprits[0].cpu_ns = 98000000;
	}
	warn_of(e, &w);
	near(arg(&w, ET_WARN_WAITED_FOR_CPU, 0), 0.49, 1e-9, 0,
		"command: the time that it waited for a CPU is 49 %% of elapsed time");
	ok(names(&w, ET_WARN_WAITED_FOR_CPU, 1, "updatedb"),
		"command: the process that used most CPU time is named");
	ok(names(&w, ET_WARN_WAITED_FOR_CPU, 3, "etalon trace -- sort 'my data'"),
		"command: the command line of etalon trace that shows it is complete");
	for (size_t i = 0; i < 10; i++)
		snprintf(sample_of(&e->commands[0], i)->measured.culprits[0].name,
			sizeof(((struct et_culprit *)0)->name), "etalon");
	warn_of(e, &w);
	ok(names(&w, ET_WARN_WAITED_FOR_CPU, 1, "another etalon"),
		"command: an etalon that used most CPU time is another one");
	ok(!et_warnings_have(&w, ET_WARN_MOSTLY_IDLE),
		"command: a program that waits for a CPU does not count as idle");
	for (size_t i = 0; i < 10; i++)
		sample_of(&e->commands[0], i)->measured.wait_ns = 180000000;
	warn_of(e, &w);
	near(arg(&w, ET_WARN_TASKS_WAITED, 0), 180e6, 1e-9, 0,
		"command: the summed wait of several tasks is reported");
	for (size_t i = 0; i < 10; i++) {
		sample_of(&e->commands[0], i)->measured.wait_ns = 0;
		sample_of(&e->commands[0], i)->measured.steal_ns = 90000000;
	}
	warn_of(e, &w);
	near(arg(&w, ET_WARN_STOLEN_TIME, 0), 0.45, 1e-9, 0,
		"command: steal time of 45 %% raises a warning");
	for (size_t i = 0; i < 10; i++) {
		sample_of(&e->commands[0], i)->measured.steal_ns = 0;
		sample_of(&e->commands[0], i)->ruling.marks = ET_MARK_LEFTOVERS |
							      ET_MARK_LOST_RECORDS |
							      ET_MARK_STOPPED | ET_MARK_NO_SNAPSHOT;
	}
	sample_of(&e->commands[0], 0)->measured.exit_code = 1;
	warn_of(e, &w);
	ok(arg(&w, ET_WARN_MOSTLY_IDLE, 0) == 0.5 && arg(&w, ET_WARN_MOSTLY_IDLE, 1) == 1,
		"command: elapsed time is advised for a program that sleeps");
	ok(arg(&w, ET_WARN_LEFTOVERS, 0) == 10 && arg(&w, ET_WARN_LOST_RECORDS, 0) == 10 &&
			arg(&w, ET_WARN_STOPPED, 0) == 10 && arg(&w, ET_WARN_NO_SNAPSHOT, 0) == 10,
		"command: marks on its samples are counted");
	ok(arg(&w, ET_WARN_FAILED_RUNS, 0) == 1 && arg(&w, ET_WARN_FAILED_RUNS, 1) == 0,
		"command: a failed run is counted");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void arrangements(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	for (uint32_t i = 1; i <= 10; i++)
		add(e, 0, i, 101000000, 100000000)->place.arrangement = ET_PACED;
	warn_of(e, &w);
	ok(et_warnings_have(&w, ET_WARN_PACED),
		"command: paced runs raise the warning that they share their CPU");
	for (size_t i = 0; i < 10; i++)
		sample_of(&e->commands[0], i)->place.arrangement = ET_DUET;
	warn_of(e, &w);
	ok(et_warnings_have(&w, ET_WARN_DUETS_ONLY) && !et_warnings_have(&w, ET_WARN_PACED),
		"command: duets raise the warning that they share their CPU");
	char *grep[] = { (char[]){ "/usr/bin/grep" }, NULL }, **argv = e->commands[0].argv;
	e->commands[0].argv = grep;
	warn_of(e, &w);
	ok(et_warnings_have(&w, ET_WARN_OUTPUT_NULL),
		"command: grep raises the warning that /dev/null makes it stop early");
	e->child.output = (char[]){ "pipe" };
	warn_of(e, &w);
	ok(!et_warnings_have(&w, ET_WARN_OUTPUT_NULL),
		"command: grep with --output pipe raises no such warning");
	e->child.output = NULL;
	e->commands[0].argv = argv;
	for (size_t i = 0; i < 10; i++)
		sample_of(&e->commands[0], i)->place.arrangement = ET_SOLO;
	e->state = ET_STATE_DONE;
	e->plan.time_limit_ns = 1;
	e->plan.runs = 12;
	warn_of(e, &w);
	ok(arg(&w, ET_WARN_TIME_LIMIT, 0) == 10 && arg(&w, ET_WARN_TIME_LIMIT, 1) == 12,
		"command: the time limit allowed 10 of 12 runs");
	e->plan.runs = 10;
	warn_of(e, &w);
	ok(w.n == 0, "command: a time limit that was not reached raises no warning");
	e->plan.runs = 0;
	e->plan.min_runs = 10;
	warn_of(e, &w);
	ok(w.n == 0, "command: a time limit may end an automatic number of runs after the least");
	e->plan.min_runs = 11;
	warn_of(e, &w);
	ok(arg(&w, ET_WARN_TIME_LIMIT, 1) == 11,
		"command: the time limit allowed fewer runs than the least of an automatic number");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void warn_of_speed(const struct et_experiment *e, struct et_warnings *w)
{
	struct et_command_result r = {
		.command = &e->commands[0], .metric = e->metric, .states = { .fast = 8, .slow = 12 }
	};

	et_warnings_free(w);
	et_speed_warn(e, &r);
	*w = r.warnings;
}

/* Runs on a slow machine, removed or kept, and when --pace is advised. */
static void speeds(void)
{
	struct et_experiment *e = experiment(1);
	struct et_sample *s;
	struct et_warnings w = { 0 };

	for (uint32_t i = 1; i <= 20; i++)
		add(e, 0, i, 101000000, 100000000);
	s = sample_of(&e->commands[0], 0);
	s[0].ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	warn_of_speed(e, &w);
	ok(w.n == 0, "slow machine: one removed run of 20 raises no warning");
	for (size_t i = 0; i < 6; i++)
		s[i].ruling.removal.by = ET_REMOVED_MACHINE_SLOW;
	warn_of_speed(e, &w);
	ok(arg(&w, ET_WARN_SLOW_RUNS, 0) == 6 && arg(&w, ET_WARN_SLOW_RUNS, 1) == 20 &&
			arg(&w, ET_WARN_SLOW_RUNS, 2) == 1 && arg(&w, ET_WARN_SLOW_RUNS, 3) == 1,
		"slow machine: six removed runs of 20 are reported, and --pace is advised");
	for (size_t i = 0; i < 12; i++) {
		s[i].ruling.removal.by = ET_KEPT;
		s[i].ruling.marks = ET_MARK_MACHINE_SLOW;
	}
	warn_of_speed(e, &w);
	ok(arg(&w, ET_WARN_SLOW_MACHINE, 0) == 12 && arg(&w, ET_WARN_SLOW_MACHINE, 2) == 1,
		"slow machine: slow runs that are kept are reported, and --pace is advised");
	e->metric = ET_METRIC_ELAPSED;
	warn_of_speed(e, &w);
	ok(arg(&w, ET_WARN_SLOW_MACHINE, 2) == 0,
		"slow machine: --pace is not advised for elapsed time");
	e->metric = ET_METRIC_CPU;
	for (size_t i = 0; i < 20; i++)
		s[i].measured.cpu_ns = 1 + (s[i].measured.elapsed_ns = 1000000);
	warn_of_speed(e, &w);
	ok(arg(&w, ET_WARN_SLOW_MACHINE, 2) == 0,
		"slow machine: --pace is not advised for a program of 1 ms");
	e->plan.keep_all = true;
	warn_of_speed(e, &w);
	ok(arg(&w, ET_WARN_SLOW_RUNS, 0) == 12 && arg(&w, ET_WARN_SLOW_RUNS, 2) == 0,
		"slow machine: with --keep-all the slow runs are reported as kept");
	et_warnings_free(&w);
	et_experiment_free(e);
}

static void machines(void)
{
	struct et_experiment *e = experiment(1);
	struct et_warnings w = { 0 };

	et_host_warn(e, &w);
	ok(w.n == 0, "machine: a machine with TSC and no hypervisor raises no warning");
	snprintf(e->host.clocksource, sizeof(e->host.clocksource), "hpet");
	snprintf(e->host.virtual_machine, sizeof(e->host.virtual_machine), "kvm");
	snprintf(e->host.governor, sizeof(e->host.governor), "powersave");
	e->snapshot_source = et_strdup("proc");
	e->host.cpus = 2;
	add(e, 0, 1, 10, 10)->measured.cpu_source = ET_CPU_BY_WAIT4;
	et_host_warn(e, &w);
	ok(names(&w, ET_WARN_CLOCK_SOURCE, 0, "hpet"),
		"machine: a clock source other than tsc is named");
	ok(names(&w, ET_WARN_VIRTUAL_MACHINE, 0, "kvm"), "machine: the hypervisor is named");
	ok(names(&w, ET_WARN_FREQUENCY_SCALING, 0, "powersave"), "machine: the governor is named");
	ok(et_warnings_have(&w, ET_WARN_NO_NET_ADMIN) && et_warnings_have(&w, ET_WARN_NO_CGROUP),
		"machine: missing privileges are reported");
	et_warnings_free(&w);
	free(e->snapshot_source);
	e->snapshot_source = et_strdup("proc-no-taskstats+perf");
	et_host_warn(e, &w);
	ok(arg(&w, ET_WARN_NO_CGROUP, 0) == 0,
		"machine: without cgroup and privileges, root is advised");
	ok(et_warnings_have(&w, ET_WARN_NO_TASKSTATS) &&
			!et_warnings_have(&w, ET_WARN_NO_NET_ADMIN),
		"machine: a kernel without taskstats is reported");
	et_warnings_free(&w);
	free(e->snapshot_source);
	e->snapshot_source = et_strdup("taskstats+perf");
	et_host_warn(e, &w);
	ok(arg(&w, ET_WARN_NO_CGROUP, 0) == 1,
		"machine: without cgroup, root is advised to mount cgroups");
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
	sample_of(&e->commands[0], 3)->ruling.removal.by = ET_REMOVED_STOPPED;
	et_judge(e, &j);
	ok(j.commands[0].estimate[ET_METRIC_CPU].n == 11 && j.commands[0].removed == 1,
		"judge: a removed sample does not count");
	ok(j.n_contrasts == 2 && j.contrasts[0].pairs == 11,
		"judge: the pair of a removed sample does not count");
	near(j.contrasts[0].ratio, 1.0995, 0.002, 0,
		"judge: the ratio does not depend on the machine's pace");
	ok(j.contrasts[0].significant && j.contrasts[0].conclusion == ET_CONCLUDED_SLOWER,
		"judge: a slower command is found");
	ok(j.contrasts[0].p_holm >= j.contrasts[0].p, "judge: Holm only raises p-values");
	ok(strcmp(j.contrasts[0].arrangement, "block") == 0,
		"judge: runs of one round are compared as blocks");
	ok(j.commands[0].reference && !j.commands[0].contrast &&
			j.commands[1].contrast == &j.contrasts[0] &&
			j.commands[2].contrast == &j.contrasts[1],
		"judge: each command has its comparison with the reference");
	et_judgement_free(&j);
	e->plan.order = ET_ORDER_SEQUENTIAL;
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 12; k++)
			sample_of(&e->commands[i], k)->measured.elapsed_ns *= 10;
	}
	et_judge(e, &j);
	ok(et_warnings_have(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER),
		"judge: commands that ran one after the other are compared with a warning");
	ok(arg(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER, 2) == 0 &&
			arg(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER, 3) == 1,
		"judge: without a probe it is not known whether the machine changed");
	et_judgement_free(&j);
	/* The machine is a fifth slower for the second command, and the same for the third. */
	for (size_t i = 0; i < 3; i++) {
		for (size_t k = 0; k < 12; k++) {
			struct et_measured *m = &sample_of(&e->commands[i], k)->measured;
			m->probe_before_ns = m->probe_after_ns = (i == 1 ? 120000 : 100000) + k;
		}
	}
	et_judge(e, &j);
	near(arg(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER, 0), 0.2, 1e-4, 0,
		"judge: the probe shows by how much the machine changed");
	ok(arg(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER, 1) == 1 &&
			arg(&j.contrasts[0].warnings, ET_WARN_SEQUENTIAL_ORDER, 2) == 1,
		"judge: a machine that was slower for the second command is reported");
	ok(arg(&j.contrasts[1].warnings, ET_WARN_SEQUENTIAL_ORDER, 2) == 0 &&
			arg(&j.contrasts[1].warnings, ET_WARN_SEQUENTIAL_ORDER, 3) == 0,
		"judge: a machine that stayed the same is not");
	ok(et_warnings_have(&j.contrasts[0].warnings, ET_WARN_COMPARED_BY_CPU_TIME),
		"judge: elapsed time is advised for programs that mostly sleep");
	et_judgement_free(&j);
	et_experiment_free(e);

	e = experiment(2);
	et_judge(e, &j);
	ok(j.commands[0].estimate[ET_METRIC_CPU].n == 0 && j.n_contrasts == 1 &&
			!j.contrasts[0].significant &&
			j.contrasts[0].conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY,
		"judge: an experiment without samples has too few pairs");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* Two-sigma removes the tails; the interval of normal data must cover the mean nevertheless. */
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
	ok(covered >= 929, "two-sigma: the interval covers the mean in %zu of %zu series", covered,
		trials);
}

/* Ninety runs of 50 ms and ten of 100 ms, which two-sigma removes: the second mode. */
static void second_check(void)
{
	struct et_experiment *e = experiment(1);
	struct et_judgement j;

	for (uint32_t i = 0; i < 100; i++) {
		uint64_t ns = (i % 10 ? 50000000 : 100000000) + i * 7919 % 1000 * 1000;
		struct et_sample *s = add(e, 0, i + 1, ns + 1000, ns);
		if (i % 10 == 0)
			s->ruling.removal.by = ET_REMOVED_TWO_SIGMA;
	}
	e->protocol = ET_PROTOCOL_EMP;
	et_judge(e, &j);
	const struct et_command_result *r = &j.commands[0];
	double mean = 0, kept = 0;
	for (uint32_t i = 0; i < 100; i++) {
		double ns = (i % 10 ? 50e6 : 100e6) + i * 7919 % 1000 * 1e3;
		mean += ns / 100;
		kept += i % 10 ? ns / 90 : 0;
	}
	ok(r->second_check.removed == 10, "emp: the result counts what the second check removed");
	near(r->second_check.mean_before, mean, 1e-12, 0, "emp: the mean before the second check");
	near(r->second_check.mean_after, kept, 1e-12, 0, "emp: the mean after the second check");
	near(r->second_check.change, kept / mean - 1, 1e-9, 0,
		"emp: the change of the mean by the second check");
	ok(et_warnings_have(&r->estimate[ET_METRIC_CPU].warnings, ET_WARN_SKEWED),
		"emp: the second mode is seen before the second check removes it");
	ok(arg(&r->warnings, ET_WARN_SECOND_CHECK, 0) == 10,
		"emp: a second check that moves the mean raises a warning");
	near(arg(&r->warnings, ET_WARN_SECOND_CHECK, 1), kept / mean - 1, 1e-9, 0,
		"emp: the warning has the change with its sign");
	et_judgement_free(&j);
	e->protocol = ET_PROTOCOL_CAUSE;
	et_judge(e, &j);
	ok(j.commands[0].second_check.mean_before == 0, "cause: there is no second check");
	et_judgement_free(&j);
	et_experiment_free(e);
}

static void judge_first_check(
	struct et_experiment *e, enum et_first_check_state state, struct et_judgement *j)
{
	et_judgement_free(j);
	e->first_check.state = state;
	et_judge(e, j);
}

/* Whether EMP's first check was done, and with what learning. */
static void first_check(void)
{
	const uint64_t day_ns = 86400ull * 1000000000;
	struct et_experiment *e = experiment(1);
	struct et_judgement j = { 0 };

	for (uint32_t i = 0; i < 12; i++) {
		struct et_sample *s = add(e, 0, i + 1, 1000 + i, 1000 + i);
		s->place.warmup = i == 0;
		if (i == 4)
			s->ruling.removal.by = ET_REMOVED_DAEMON_CUTOFF;
	}
	e->protocol = ET_PROTOCOL_CAUSE;
	e->started_wall_ns = 1000 * day_ns;
	e->first_check = (struct et_first_check){
		.learned_wall_ns = 997 * day_ns + 5, .cutoffs = 12, .would_remove = 9
	};
	judge_first_check(e, ET_FIRST_CHECK_DONE, &j);
	ok(arg(&j.warnings, ET_WARN_FIRST_CHECK_DONE, 0) == 12 &&
			names(&j.warnings, ET_WARN_FIRST_CHECK_DONE, 1, "1972-09-24") &&
			arg(&j.warnings, ET_WARN_FIRST_CHECK_DONE, 2) == 0 &&
			arg(&j.warnings, ET_WARN_FIRST_CHECK_DONE, 3) == 1,
		"first check: 12 cutoffs, learned on that day, removed one sample");
	e->first_check.learned_wall_ns = 1001 * day_ns;
	judge_first_check(e, ET_FIRST_CHECK_DONE, &j);
	ok(arg(&j.warnings, ET_WARN_FIRST_CHECK_DONE, 2) == 1,
		"first check: the learning may be later than the run");
	judge_first_check(e, ET_FIRST_CHECK_WITHDRAWN, &j);
	ok(arg(&j.warnings, ET_WARN_FIRST_CHECK_WITHDRAWN, 0) == 9 &&
			arg(&j.warnings, ET_WARN_FIRST_CHECK_WITHDRAWN, 1) == 11,
		"first check: it was withdrawn because of 9 of 11 samples, without warm-up");
	judge_first_check(e, ET_FIRST_CHECK_UNLEARNED, &j);
	ok(!et_warnings_have(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE),
		"first check: without emp no note says that nothing was learned");
	e->protocol = ET_PROTOCOL_EMP;
	judge_first_check(e, ET_FIRST_CHECK_UNLEARNED, &j);
	ok(arg(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE, 0) == 1,
		"first check: of emp it was not done because nothing was learned");
	e->protocol = ET_PROTOCOL_CAUSE;
	judge_first_check(e, ET_FIRST_CHECK_UNSEEN, &j);
	ok(arg(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE, 1) == 1,
		"first check: it was not done because no processes were recorded");
	judge_first_check(e, ET_FIRST_CHECK_NONE, &j);
	ok(!et_warnings_have(&j.warnings, ET_WARN_FIRST_CHECK_NOT_DONE),
		"first check: a record without a state raises no note");
	e->protocol = ET_PROTOCOL_RAW;
	judge_first_check(e, ET_FIRST_CHECK_WITHDRAWN, &j);
	ok(!et_warnings_have(&j.warnings, ET_WARN_FIRST_CHECK_WITHDRAWN),
		"first check: protocol raw has none");
	et_judgement_free(&j);
	et_experiment_free(e);
}

/* --until stops by all samples; when rules then remove some, more --max-runs do not help. */
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
	ok(arg(&j.commands[0].warnings, ET_WARN_UNTIL_MISSED_BY_REMOVAL, 1) == 20 &&
			arg(&j.commands[0].warnings, ET_WARN_UNTIL_MISSED_BY_REMOVAL, 2) == 6,
		"until: all 20 runs reached the goal, the 6 kept ones did not");
	et_judgement_free(&j);
	e->plan.until_ratio = 0.001;
	et_judge(e, &j);
	ok(arg(&j.commands[0].warnings, ET_WARN_UNTIL_MISSED, 2) == 6,
		"until: not even all runs reached the goal");
	et_judgement_free(&j);
	e->plan.until_ratio = 0.01;
	et_judge(e, &j);
	ok(!et_warnings_have(&j.commands[0].warnings, ET_WARN_UNTIL_MISSED) &&
			!et_warnings_have(&j.commands[0].warnings, ET_WARN_UNTIL_MISSED_BY_REMOVAL),
		"until: a goal that was reached raises no warning");
	et_judgement_free(&j);
	for (size_t i = 6; i < 20; i++)
		sample_of(&e->commands[0], i)->ruling.removal.by = ET_KEPT;
	for (uint32_t i = 21; i <= 40; i++)
		add(e, 0, i, 1000 + 10 * (i % 2), 1000 + 10 * (i % 2));
	et_judge(e, &j);
	ok(arg(&j.commands[0].warnings, ET_WARN_RARE_CASE_UNSEEN, 0) == 40 &&
			arg(&j.commands[0].warnings, ET_WARN_RARE_CASE_UNSEEN, 4) == 1,
		"until: it ended without a slow run, of which nothing is known");
	et_judgement_free(&j);
	e->plan.until_ratio = 0;
	et_judge(e, &j);
	ok(arg(&j.commands[0].warnings, ET_WARN_RARE_CASE_UNSEEN, 4) == 0,
		"fixed number of runs: likewise, but the number was not chosen by looking");
	et_judgement_free(&j);
	sample_of(&e->commands[0], 3)->measured.cpu_ns *= 2;
	sample_of(&e->commands[0], 3)->measured.elapsed_ns *= 2;
	et_judge(e, &j);
	ok(!et_warnings_have(&j.commands[0].warnings, ET_WARN_RARE_CASE_UNSEEN),
		"fixed number of runs: a slow run was seen");
	et_judgement_free(&j);
	et_experiment_free(e);
}

int main(void)
{
	until();
	first_check();
	second_check();
	series();
	two_sigma_is_allowed_for();
	descriptions();
	shapes();
	long_series();
	memory();
	commands();
	arrangements();
	speeds();
	machines();
	judgements();
	return tap_done();
}
