/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The parts and treatments of each experiment about profilers (NIST TN 1826, sections 5 to 8). */
#include "app/lab/profile.h"
#include "app/lab/profile_print.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "put/put.h"

#include <inttypes.h>
#include <math.h>
#include <sched.h>
#include <string.h>

#define RANDOM "etalon, random periods"
#define FIXED "etalon, fixed period"
#define MS UINT64_C(1000000)

/* --- commands --- */

static uint64_t iterations(const struct et_profiling *p)
{
	ET_AUTO_FREE char *state = et_cli_state_dir();
	/* --from runs nothing, so it calibrates nothing. */
	uint64_t n = p->r->measure.from ? 1 : et_grind_iterations(state, p->work_ns);

	return n ? n : 1;
}

static char *number(uint64_t n)
{
	return et_asprintf("%" PRIu64, n);
}

/* The program under test with the iterations of a run, or its build for gprof. Takes name. */
static void add_fragment(const struct et_profiling *p, const struct et_lab_part *part,
	struct et_experiment *e, char *name, uint64_t calls)
{
	uint64_t work = iterations(p), per_call = (work + calls / 2) / calls;
	ET_AUTO_FREE char *calls_text = number(calls);
	ET_AUTO_FREE char *work_text = number(work < calls ? calls : work);
	ET_AUTO_FREE char *per_call_text = number(per_call ? per_call : 1);
	ET_AUTO_FREE char *alone = et_asprintf("%s/fragment", p->folder ? p->folder : "");

	et_experiment_add_command(e, name,
		part->alone ? et_strv_of(alone, calls_text, per_call_text, "0", NULL)
			    : et_strv_of(p->exe, "put", "fragment", "--calls", calls_text,
				      "--iterations", work_text, NULL));
}

/* --- fragmentation: 15 levels of calls --- */

static void plan_fragmentation(struct et_profiling *p)
{
	et_profiling_add(p, "random", RANDOM, &et_default_profile_plan);
	(void)et_profiling_add_gprof(p, "gprof", "fragment");
}

static void add_fragmentation(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	for (int half = 2; half <= 16; half++)
		add_fragment(
			p, part, e, et_asprintf("10^%g", half / 2.0), et_lab_calls(half / 2.0));
}

static const struct et_profile_lab fragmentation_lab = { "fragmentation", 20, 1000, 300 * MS,
	1600 * MS, plan_fragmentation, add_fragmentation, et_lab_print_fragmentation };

/* --- sampling-rate: periods in half decades --- */

static void plan_rates(struct et_profiling *p)
{
	for (int half = 16; half >= 9; half--) {
		struct et_profile_plan plan = et_default_profile_plan;
		char name[32];
		plan.rate_hz = 0;
		plan.period = (uint64_t)llround(pow(10, half / 2.0));
		snprintf(name, sizeof(name), "10^%g", half / 2.0);
		et_profiling_add(p, name, RANDOM, &plan);
	}
}

static void add_rate(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	add_fragment(p, part, e, et_strdup(part->name), 1000);
}

static const struct et_profile_lab sampling_rate_lab = { "sampling-rate", 20, 100, 500 * MS,
	1600 * MS, plan_rates, add_rate, et_lab_print_sampling_rate };

/* --- competing-load: two levels of calls, with and without a load on the same CPU --- */

/* The last CPU that we may use: interrupts often come to the first. */
static int last_cpu(void)
{
	cpu_set_t set;
	int last = 0;

	if (sched_getaffinity(0, sizeof(set), &set))
		return 0;
	for (int i = 0; i < CPU_SETSIZE; i++)
		last = CPU_ISSET(i, &set) ? i : last;
	return last;
}

static void plan_loads(struct et_profiling *p)
{
	p->cpu = last_cpu();
	for (int load = 0; load < 2; load++) {
		const char *name = load ? "random, load" : "random, no load";
		et_profiling_add(p, name, RANDOM, &et_default_profile_plan)->load = load;
	}
	for (int load = 0; load < 2; load++) {
		const char *name = load ? "gprof, load" : "gprof, no load";
		struct et_lab_part *part = et_profiling_add_gprof(p, name, "fragment");
		if (part)
			part->load = load;
	}
}

static void add_loads(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	const char *load = part->load ? "load" : "no load";

	add_fragment(p, part, e, et_asprintf("10^1, %s", load), 10);
	add_fragment(p, part, e, et_asprintf("10^6, %s", load), 1000000);
}

static const struct et_profile_lab competing_load_lab = { "competing-load", 15, 100, 500 * MS,
	1600 * MS, plan_loads, add_loads, et_lab_print_competing_load };

/* --- triangle: three configurations --- */

static void plan_triangle(struct et_profiling *p)
{
	struct et_profile_plan fixed = et_default_profile_plan;

	fixed.fixed = true;
	et_profiling_add(p, "random", RANDOM, &et_default_profile_plan);
	et_profiling_add(p, "fixed", FIXED, &fixed);
	(void)et_profiling_add_gprof(p, "gprof", "triangle");
	(void)et_profiling_add_perf(p, "perf");
}

static void add_configuration(const struct et_profiling *p, const struct et_lab_part *part,
	struct et_experiment *e, const char *name, uint64_t inner, bool reverse)
{
	uint64_t work = iterations(p), loop = 15 * inner, loops = (work + loop / 2) / loop;
	ET_AUTO_FREE char *work_text = number(work < loop ? loop : work);
	ET_AUTO_FREE char *inner_text = number(inner);
	ET_AUTO_FREE char *loops_text = number(loops ? loops : 1);
	ET_AUTO_FREE char *alone = et_asprintf("%s/triangle", p->folder ? p->folder : "");
	const char *last = reverse ? "--reverse" : NULL;
	char **argv;

	if (part->alone)
		argv = et_strv_of(alone, loops_text, inner_text, reverse ? "1" : "0", NULL);
	else if (!strcmp(part->plan.event, ET_EVENT_PERF))
		argv = et_strv_of("perf", "record", "-q", "-e", "cpu-clock", "-F", "1000", "-o",
			"perf.data", "--", p->exe, "put", "triangle", "--iterations", work_text,
			"--inner", inner_text, last, NULL);
	else
		argv = et_strv_of(p->exe, "put", "triangle", "--iterations", work_text, "--inner",
			inner_text, last, NULL);
	et_experiment_add_command(e, et_strdup(name), argv);
}

static void add_triangle(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	add_configuration(p, part, e, "original", 256, false);
	add_configuration(p, part, e, "forward", 1, false);
	add_configuration(p, part, e, "reverse", 1, true);
}

static const struct et_profile_lab triangle_lab = { "triangle", 15, 100, 500 * MS, 1000 * MS,
	plan_triangle, add_triangle, et_lab_print_triangle };

/* --- sampling-bias: where a function of nops is sampled --- */

static void plan_bias(struct et_profiling *p)
{
	/* The note's period is a prime; ours is ten times shorter than usual. */
	struct et_profile_plan plan = et_default_profile_plan;

	plan.addresses = true;
	plan.rate_hz = 0;
	plan.period = 100003;
	et_profiling_add(p, "random", RANDOM, &plan);
	plan.fixed = true;
	et_profiling_add(p, "fixed", FIXED, &plan);
}

static void add_bias(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_experiment *e)
{
	ET_AUTO_FREE char *seconds = et_asprintf("%" PRIu64 "ns", p->work_ns);

	(void)part;
	for (const char *const *name = et_put_random_names; *name; name++)
		et_experiment_add_command(e, et_strdup(*name),
			et_strv_of(p->exe, "put", "nops", "--seconds", seconds, "--random", *name,
				NULL));
}

static const struct et_profile_lab sampling_bias_lab = { "sampling-bias", 5, 10, 2000 * MS,
	60000 * MS, plan_bias, add_bias, et_lab_print_sampling_bias };

/* --- the experiments of `lab` --- */

int et_lab_fragmentation(struct et_call *call, struct et_error *err)
{
	return et_profiling_run(call->ctx, &fragmentation_lab, err);
}

int et_lab_sampling_rate(struct et_call *call, struct et_error *err)
{
	return et_profiling_run(call->ctx, &sampling_rate_lab, err);
}

int et_lab_competing_load(struct et_call *call, struct et_error *err)
{
	return et_profiling_run(call->ctx, &competing_load_lab, err);
}

int et_lab_triangle(struct et_call *call, struct et_error *err)
{
	return et_profiling_run(call->ctx, &triangle_lab, err);
}

int et_lab_sampling_bias(struct et_call *call, struct et_error *err)
{
	return et_profiling_run(call->ctx, &sampling_bias_lab, err);
}
