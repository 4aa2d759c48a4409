/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The notes about what the samples of a profile do not show. */
#include "profile_of.h"
#include "stats/profile/counts.h"
#include "tap.h"

#include <math.h>

enum { RUNS = 4, MS = 1000000 };

static struct et_measured figures(uint64_t elapsed_ms, uint64_t cpu_ms)
{
	return (struct et_measured){ .elapsed_ns = elapsed_ms * MS, .cpu_ns = cpu_ms * MS };
}

static struct et_warnings warnings_of(
	const struct et_measured *m, bool kernel, bool user_only, enum et_profile_way way)
{
	struct et_experiment *e = profile_of(1);
	struct et_warnings out = { 0 };

	e->profile->kernel_allowed = kernel;
	e->profile->plan.user_only = user_only;
	e->profile->way = way;
	for (uint32_t i = 0; i < RUNS; i++) {
		struct et_sample s = { .place = { .round = i + 1, .order = i + 1 },
			.measured = *m };
		et_experiment_add(e, &s);
	}
	et_profile_warn_runs(e, 0, &out);
	et_experiment_free(e);
	return out;
}

/* Checks an argument of a warning; NaN: it is not raised. */
static void raises(
	struct et_warnings w, enum et_warning_code code, int i, double want, const char *label)
{
	double found = NAN;

	for (size_t k = 0; k < w.n; k++) {
		if (w.list[k].code == code)
			found = w.list[k].args[i].number;
	}
	near(found, want, 1e-12, 0, "%s", label);
	et_warnings_free(&w);
}

static void test_kernel(void)
{
	struct et_measured m = figures(100, 100);

	m.system_ns = 25 * MS;
	raises(warnings_of(&m, false, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_KERNEL_UNSEEN, 0,
		0.25, "kernel: the share that was not sampled");
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_KERNEL_UNSEEN, 0,
		NAN, "kernel: it was sampled");
	raises(warnings_of(&m, false, true, ET_PROFILE_CGROUP), ET_WARN_PROFILE_KERNEL_UNSEEN, 0,
		NAN, "kernel: the user asked for it");
	m.system_ns = 1 * MS;
	raises(warnings_of(&m, false, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_KERNEL_UNSEEN, 0,
		NAN, "kernel: a percent is not worth a note");
}

static void test_waiting(void)
{
	struct et_measured m = figures(100, 12);

	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_WAITED, 0, 0.88,
		"waiting: the share of the elapsed time");
	raises(warnings_of(&m, true, false, ET_PROFILE_IMPORTED), ET_WARN_PROFILE_WAITED, 0, NAN,
		"waiting: of files it is not known");
	m.wait_ns = 80 * MS;
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_WAITED, 0, NAN,
		"waiting: for a CPU that others have is another thing");
	m = figures(100, 60);
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_WAITED, 0, NAN,
		"waiting: less than half of the time");
	m.wait_ns = ET_UNKNOWN;
	m.cpu_ns = 10 * MS;
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_WAITED, 0, 0.9,
		"waiting: unknown parts count as 0");
}

static void test_failing(void)
{
	struct et_measured m = figures(100, 100);

	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_RUNS_FAILED, 0, NAN,
		"failing: none did");
	m.exit_code = 3;
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_RUNS_FAILED, 0,
		RUNS, "failing: all runs did");
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_RUNS_FAILED, 3, 3,
		"failing: with this status");
	m.exit_code = -1;
	m.signal = 11;
	raises(warnings_of(&m, true, false, ET_PROFILE_CGROUP), ET_WARN_PROFILE_RUNS_FAILED, 3, 11,
		"failing: by a signal");
}

int main(void)
{
	test_kernel();
	test_waiting();
	test_failing();
	return tap_done();
}
