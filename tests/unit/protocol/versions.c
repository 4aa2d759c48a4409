/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of EMP over synthetic runs: which runs count, and the figures by definition. */
#include "protocol/versions.h"
#include "base/base.h"
#include "base/parse.h"
#include "protocol/samplesize.h"
#include "tap.h"

#include <math.h>

/* A burst of a daemon, a run with a long elapsed time, and one with a long CPU time. */
enum { RUNS = 20, BURST = 3, LATE = 12, FAR = 15 };

static uint64_t cpu_ns_of(int i, int shift_ms)
{
	uint64_t usual = 100000000 + (uint64_t)shift_ms * 1000000 + (uint64_t)(i % 5) * 50000;

	return usual + (i == BURST ? 50000000 : i == FAR ? 5000000 : 0);
}

static uint64_t elapsed_ns_of(int i, int shift_ms)
{
	return cpu_ns_of(i, shift_ms) + 2000000 + (i == LATE ? 30000000 : 0);
}

/* A time daemon is awake in every run, as it should be since version 2. */
static void add_runs(struct et_experiment *e, uint32_t command, int runs, int shift_ms)
{
	for (int i = -1; i < runs; i++) {
		struct et_culprit beside[2] = { { .name = "ntpd", .cpu_ns = 200000 },
			{ .name = "backupd", .cpu_ns = i == BURST ? 50000000 : 1000000 } };
		struct et_sample s = { .place = { .command = command,
					       .order = (uint32_t)i + 2,
					       .round = i < 0 ? 0 : (uint32_t)i + 1,
					       .partner = -1,
					       .warmup = i < 0 },
			.measured = { .cpu_ns = cpu_ns_of(i < 0 ? BURST : i, shift_ms),
				.elapsed_ns = elapsed_ns_of(i < 0 ? BURST : i, shift_ms),
				.steal_ns = ET_UNKNOWN,
				.probe_before_ns = ET_UNKNOWN,
				.probe_after_ns = ET_UNKNOWN,
				.culprits = beside,
				.n_culprits = 2 } };
		et_experiment_add(e, &s);
	}
}

/* kernel: the state of the factor kernel-age; NULL: not known. */
static struct et_experiment *make(int runs, int shift_ms, const char *kernel, bool ok)
{
	static int looks; /* the load differs from one look to the next */
	struct et_experiment *e = et_experiment_new();

	et_experiment_add_command(e, et_strdup("INC0.1"), et_strv_of("inc", NULL));
	add_runs(e, 0, runs, shift_ms);
	e->snapshot_source = et_strdup("taskstats");
	e->environment = et_calloc(3, sizeof(*e->environment));
	e->environment[e->n_environment++] = (struct et_factor){ et_strdup("load"),
		et_asprintf("0.%d per CPU", ++looks), et_strdup("below 0.1 per CPU"), false };
	e->environment[e->n_environment++] = (struct et_factor){ et_strdup("daemons"),
		et_strdup("cups"), et_strdup("none"), false };
	if (kernel)
		e->environment[e->n_environment++] = (struct et_factor){ et_strdup("kernel-age"),
			et_strdup(kernel), et_strdup("new"), ok };
	return e;
}

static struct et_cutoff cutoff = { .daemon = "backupd", .final_ms = { 20 }, .n_final = 1 };
static const struct et_cutoffs learned = { .list = &cutoff,
	.n = 1,
	.floor_ms = NAN,
	.short_seconds = 1,
	.short_runs = 300,
	.long_seconds = NAN };

static double value(int i, enum et_metric m, int shift_ms)
{
	return (double)(m == ET_METRIC_CPU ? cpu_ns_of(i, shift_ms) : elapsed_ns_of(i, shift_ms));
}

struct expected {
	double n, mean, sd, min, max;
	size_t first, second;
};

static void sum_up(const double *x, const bool *out, int runs, struct expected *r)
{
	double sum = 0, squares = 0;

	*r = (struct expected){ .min = INFINITY, .max = 0 };
	for (int i = 0; i < runs; i++) {
		if (out[i])
			continue;
		sum += x[i];
		r->n++;
		r->min = fmin(r->min, x[i]);
		r->max = fmax(r->max, x[i]);
	}
	r->mean = sum / r->n;
	for (int i = 0; i < runs; i++)
		squares += out[i] ? 0 : (x[i] - r->mean) * (x[i] - r->mean);
	r->sd = sqrt(squares / (r->n - 1));
}

/* The first runs, after both checks or without any, as the papers define them. */
static struct expected expect(int runs, enum et_metric m, int shift_ms, bool checks)
{
	bool out[RUNS] = { false };
	double x[RUNS];
	struct expected r;
	size_t first = 0, second = 0;

	for (int i = 0; i < runs; i++) {
		x[i] = value(i, m, shift_ms);
		out[i] = checks && i == BURST;
		first += out[i];
	}
	sum_up(x, out, runs, &r);
	if (checks) {
		for (int i = 0; i < runs; i++) {
			bool far = !out[i] && fabs(x[i] - r.mean) > 2 * r.sd;
			out[i] = out[i] || far;
			second += far;
		}
		sum_up(x, out, runs, &r);
	}
	r.first = first;
	r.second = second;
	return r;
}

static void compare(
	const struct et_version_task *t, enum et_version v, int runs, int shift_ms, bool checks)
{
	static const enum et_metric metrics[] = { ET_METRIC_ELAPSED, ET_METRIC_CPU };

	ok(t->list[v].runs == (size_t)runs, "%s: %d runs (got %zu)", et_version_names[v], runs,
		t->list[v].runs);
	for (size_t i = 0; i < ET_LENGTH(metrics); i++) {
		enum et_metric m = metrics[i];
		const struct et_precision *p = &t->list[v].by[m];
		const char *what = m == ET_METRIC_CPU ? "CPU time" : "elapsed time";
		struct expected r = expect(runs, m, shift_ms, checks);
		ok((double)p->n == r.n && p->min == r.min && p->max == r.max,
			"%s, %s: n, min and max are those of the runs that count",
			et_version_names[v], what);
		near(p->mean, r.mean, 1e-12, 0, "%s, %s: mean", et_version_names[v], what);
		near(p->sd, r.sd, 1e-9, 0, "%s, %s: sd", et_version_names[v], what);
		near(p->relative_error, r.sd / r.mean, 1e-9, 0, "%s, %s: sd / mean",
			et_version_names[v], what);
		ok(t->list[v].out[m].first == r.first && t->list[v].out[m].second == r.second,
			"%s, %s: %zu + %zu outliers", et_version_names[v], what, r.first, r.second);
	}
}

/* The number of runs that EMPv6 recommends for all runs, each part of which is checked. */
static int recommended(int shift_ms)
{
	double x[RUNS];
	bool spoilt[RUNS] = { [BURST] = true };
	struct et_sizing all = { x, spoilt, RUNS };
	struct et_samplesize z;

	for (int i = 0; i < RUNS; i++)
		x[i] = value(i, ET_METRIC_CPU, shift_ms);
	et_samplesize_checked(&all, x, RUNS, 0.95, &z);
	return z.recommended > ET_V6_LEAST ? (int)z.recommended : ET_V6_LEAST;
}

static void test_all(void)
{
	struct et_version_source list[] = { { ET_ENV_AS_IS, make(RUNS, 0, NULL, false) },
		{ ET_ENV_V1, make(RUNS, 10, NULL, false) },
		{ ET_ENV_V2, make(RUNS, 20, NULL, false) },
		{ ET_ENV_V3, make(RUNS, 30, "0.4 years (6.12)", true) } };
	const char *const why_not[ET_ENVS] = { NULL };
	struct et_versions v;

	et_versions_judge(list, ET_LENGTH(list), &learned, why_not, &v);
	ok(v.n == 1, "all: the four experiments have one task");
	for (int i = 0; i < ET_VERSIONS; i++)
		ok(!v.tasks[0].why_not[i], "all: %s has no reason to be empty at this length",
			et_version_names[i]);
	is_str(v.tasks[0].name, "INC0.1", "all: the task has the name of its command");
	ok(v.tasks[0].seconds == 0.1, "all: the length of a task is that of its name");
	compare(&v.tasks[0], ET_EMP_V1, RUNS, 10, false);
	compare(&v.tasks[0], ET_EMP_V2, RUNS, 20, false);
	compare(&v.tasks[0], ET_EMP_V3, RUNS, 30, false);
	compare(&v.tasks[0], ET_EMP_V4, RUNS, 30, false);
	compare(&v.tasks[0], ET_EMP_V5, RUNS, 30, true);
	compare(&v.tasks[0], ET_EMP_V6, recommended(30), 30, true);
	compare(&v.tasks[0], ET_AS_IS, RUNS, 0, false);
	compare(&v.tasks[0], ET_AS_IS_BOTH, RUNS, 0, true);
	ok(v.tasks[0].list[ET_OURS].out[ET_METRIC_CPU].first == 1 &&
			v.tasks[0].list[ET_OURS].by[ET_METRIC_CPU].n == RUNS - 1,
		"all: ours removes the run beside the daemon, and no run for its value");
	for (int i = 0; i < ET_OURS_PACED; i++)
		ok(!v.why_not[i], "all: %s has no reason to be empty", et_version_names[i]);
	ok(strstr(v.rules[ET_EMP_V1], "still running: cups"),
		"all: daemons that could not be stopped are named");
	ok(strstr(v.rules[ET_EMP_V4], "0.4 years (6.12)"), "all: the kernel is named");
	is_str(v.rules[ET_EMP_V5], "the runs of v4 after both sanity checks",
		"all: the rule of v5 names v4");
	et_versions_free(&v);
	for (size_t i = 0; i < ET_LENGTH(list); i++)
		et_experiment_free(list[i].e);
}

/* Versions are compared by the runs before check II, in the order of measuring. */
static void test_compared(void)
{
	struct et_version_source list[] = { { ET_ENV_AS_IS, make(RUNS, 0, "new", true) },
		{ ET_ENV_V1, make(RUNS, 10, "new", true) },
		{ ET_ENV_V2, make(RUNS, 20, "newer", true) },
		{ ET_ENV_V3, make(RUNS, 30, "newer", true) } };
	const char *const why_not[ET_ENVS] = { NULL };
	struct et_versions v;

	et_versions_judge(list, ET_LENGTH(list), &learned, why_not, &v);
	const struct et_version_figures *f = &v.tasks[0].list[ET_EMP_V5];
	const struct et_version_runs *r = &f->compared[ET_METRIC_CPU];
	bool same = r->n == RUNS - 1 && f->env == ET_ENV_V3;
	for (int i = 0, k = 0; same && i < RUNS; i++)
		same = i == BURST || r->x[k++] == value(i, ET_METRIC_CPU, 30);
	ok(same && f->by[ET_METRIC_CPU].n < RUNS - 1,
		"compared: v5 without the run of check I, with that of check II");
	ok(v.tasks[0].list[ET_AS_IS].compared[ET_METRIC_ELAPSED].n == RUNS,
		"compared: every run of the machine as it is");
	is_str(v.rules[ET_EMP_V1],
		"daemons, timers and time daemon (NTP) stopped; still running: cups; v1 is as is: "
		"nothing had to be changed",
		"same: v1 has the factors of the machine as it is");
	ok(v.same_as[ET_EMP_V1].known && v.same_as[ET_EMP_V1].version == ET_AS_IS &&
			!v.same_as[ET_EMP_V2].known,
		"same: v2 has not");
	ok(strstr(v.rules[ET_EMP_V3], "v3 is v2: nothing had to be changed") &&
			v.same_as[ET_EMP_V4].known && v.same_as[ET_EMP_V4].version == ET_EMP_V2,
		"same: v3 is v2, and v4 has its runs");
	et_versions_free(&v);
	for (size_t i = 0; i < ET_LENGTH(list); i++)
		et_experiment_free(list[i].e);
}

static void test_missing(void)
{
	struct et_version_source list[] = { { ET_ENV_AS_IS, make(RUNS, 0, NULL, false) },
		{ ET_ENV_V1, make(RUNS, 10, NULL, false) },
		{ ET_ENV_V3, make(RUNS, 30, "5.1 years (5.10)", false) } };
	const char *const why_not[ET_ENVS] = { [ET_ENV_V2] = "no daemon is installed" };
	struct et_versions v;

	et_versions_judge(list, 3, &learned, why_not, &v);
	is_str(v.why_not[ET_EMP_V2], "no daemon is installed",
		"missing: an environment that was not possible has its reason");
	ok(!v.tasks[0].list[ET_EMP_V2].runs, "missing: its row has no runs");
	ok(strstr(v.why_not[ET_EMP_V4], "out of date: 5.1 years") &&
			!v.tasks[0].list[ET_EMP_V4].runs,
		"missing: an old kernel leaves v4 empty");
	is_str(v.rules[ET_EMP_V5], "the runs of v3 after both sanity checks",
		"missing: v5 then judges the runs of v3, and says so");
	compare(&v.tasks[0], ET_EMP_V5, RUNS, 30, true);
	et_versions_free(&v);

	et_versions_judge(list, 2, &learned, why_not, &v);
	is_str(v.why_not[ET_EMP_V3], "was not measured",
		"missing: an experiment that is not there");
	is_str(v.why_not[ET_EMP_V4], "v3 is not there", "missing: v4 needs v3");
	compare(&v.tasks[0], ET_EMP_V5, RUNS, 10, true);
	et_versions_free(&v);

	et_versions_judge(list, 1, &learned, why_not, &v);
	ok(v.why_not[ET_EMP_V1] && v.why_not[ET_EMP_V5] && v.why_not[ET_EMP_V6] &&
			!v.tasks[0].list[ET_EMP_V5].runs,
		"missing: without an environment of the protocol, v1 to v6 are empty");
	compare(&v.tasks[0], ET_AS_IS_BOTH, RUNS, 0, true);
	ok(strstr(v.rules[ET_AS_IS_BOTH], "environment not applied"),
		"missing: the checks over the machine as it is say what is missing");
	et_versions_free(&v);
	for (size_t i = 0; i < ET_LENGTH(list); i++)
		et_experiment_free(list[i].e);
}

static void test_cutoffs(void)
{
	struct et_version_source list[] = { { ET_ENV_V1, make(RUNS, 0, NULL, false) } };
	const char *const why_not[ET_ENVS] = { NULL };
	struct et_cutoffs shorter = learned;
	struct et_versions v;

	et_versions_judge(list, 1, NULL, why_not, &v);
	ok(strstr(v.why_not[ET_EMP_V5], "daemons learn") &&
			strstr(v.why_not[ET_EMP_V6], "daemons learn") &&
			!v.tasks[0].list[ET_EMP_V5].runs,
		"cutoffs: without a learning v5 and v6 are empty, with the reason");
	et_versions_free(&v);
	shorter.short_seconds = 0.01;
	et_versions_judge(list, 1, &shorter, why_not, &v);
	ok(!v.tasks[0].list[ET_EMP_V5].runs && v.tasks[0].list[ET_EMP_V1].runs == RUNS,
		"cutoffs: those of much shorter tasks leave v5 empty");
	ok(!v.why_not[ET_EMP_V5] && !v.why_not[ET_EMP_V6],
		"cutoffs: the version itself is possible");
	for (int i = ET_EMP_V5; i <= ET_EMP_V6; i++)
		is_str(v.tasks[0].why_not[i],
			"the learning's samples are too short (0.01 s): run 'etalon daemons learn "
			"--long-seconds 8'",
			"cutoffs: the reason why %s is empty at this length", et_version_names[i]);
	et_versions_free(&v);
	cutoff.final_ms[0] = 0.5; /* every run has more of it */
	et_versions_judge(list, 1, &learned, why_not, &v);
	is_str(v.rules[ET_EMP_V5],
		"the runs of v1 after both sanity checks; check I was withdrawn, because it would "
		"have removed 20 of the runs",
		"cutoffs: the rule of v5 says that check I was withdrawn");
	ok(v.tasks[0].list[ET_EMP_V5].out[ET_METRIC_CPU].first == 0,
		"cutoffs: a check that is withdrawn removes nothing");
	cutoff.final_ms[0] = 20;
	et_versions_free(&v);
	et_experiment_free(list[0].e);
}

static void test_few(void)
{
	struct et_version_source list[] = { { ET_ENV_V1, make(9, 0, NULL, false) },
		{ ET_ENV_V1, et_experiment_new() } };
	const char *const why_not[ET_ENVS] = { NULL };
	struct et_versions v;

	/* A further group of lengths, as in the preset, one of which has not run yet. */
	et_experiment_add_command(list[1].e, et_strdup("sort"), et_strv_of("sort", NULL));
	et_experiment_add_command(list[1].e, et_strdup("INC0.05"), et_strv_of("inc", NULL));
	add_runs(list[1].e, 1, 12, 0);
	et_versions_judge(list, 2, &learned, why_not, &v);
	ok(v.n == 3, "few: the tasks of all groups are in one table");
	is_str(v.tasks[0].name, "INC0.05", "few: tasks are sorted by length");
	is_str(v.tasks[2].name, "sort", "few: a task without runs is the last");
	ok(isnan(v.tasks[2].seconds) && !v.tasks[2].list[ET_EMP_V1].runs,
		"few: a task without runs has no figures");
	ok(v.tasks[1].list[ET_EMP_V5].runs == 9 && !v.tasks[1].list[ET_EMP_V6].runs,
		"few: nine runs are too few for v6");
	is_str(v.tasks[1].why_not[ET_EMP_V6], "it takes 10 runs or more, and 9 are there",
		"few: the reason why v6 is empty");
	ok(v.tasks[0].list[ET_EMP_V6].runs >= 10 && !v.tasks[0].why_not[ET_EMP_V6],
		"few: twelve runs are enough for v6");
	is_str(v.tasks[2].why_not[ET_EMP_V5], "no run of it counts",
		"few: the reason why a task without runs is empty");
	et_versions_free(&v);
	et_experiment_free(list[0].e);
	et_experiment_free(list[1].e);
}

int main(void)
{
	test_all();
	test_compared();
	test_missing();
	test_cutoffs();
	test_few();
	return tap_done();
}
