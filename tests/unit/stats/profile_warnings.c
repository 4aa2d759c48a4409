/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The warnings about profiles are raised for runs that give a reason. */
#include "num/rng.h"
#include "profile_of.h"
#include "stats/profile/profile.h"
#include "tap.h"

#include <string.h>

enum { RUNS = 40 };

/* Counts of two functions: a sound one, and the one that a test changes. */
struct input {
	uint64_t sound[RUNS], odd[RUNS];
	uint64_t at_entry;
	struct et_profile_run run; /* properties of each run */
	struct et_profile_plan plan;
	enum et_profile_way way;
	double calls;
	uint32_t runs;
	enum et_space_kind space; /* of the odd function */
	bool unnamed;             /* likewise */
	bool no_libdw;            /* likewise */
};

static uint64_t about(struct et_rng *rng, double mean)
{
	return (uint64_t)fmax(0, round(mean + sqrt(mean) * et_rng_normal(rng)));
}

static struct input sound(void)
{
	struct input in = { .run = profile_run(), .plan = et_default_profile_plan, .runs = RUNS };
	struct et_rng rng;

	et_rng_seed(&rng, 3, 0);
	for (int i = 0; i < RUNS; i++) {
		in.sound[i] = about(&rng, 800);
		in.odd[i] = about(&rng, 100);
	}
	return in;
}

static struct et_profile_result judge(const struct input *in)
{
	struct et_experiment *e = profile_of(1);
	struct et_profile_options o = { .statements = 1, .replicates = 1999 };
	struct et_profile_result r;
	uint32_t nodes[2];

	for (uint32_t f = 0; f < 2; f++)
		nodes[f] = et_profile_node_of(e->profile, ET_PROFILE_ROOT,
			et_profile_function_of(e->profile,
				f ? in->no_libdw ? "[0x1000, no libdw]" : "odd" : "sound", "/p",
				f ? in->space : ET_SPACE_USER, f && in->unnamed));
	e->profile->plan = in->plan;
	e->profile->way = in->way;
	if (in->calls > 0)
		et_profile_set_calls(e->profile, 0, 1, in->calls);
	for (uint32_t i = 0; i < in->runs; i++) {
		struct et_profile_run run = in->run;
		if (i % 4) /* a part of the runs is disturbed */
			run.throttled = run.lost = 0;
		et_profile_run_add(&run, nodes[0], in->sound[i], 0);
		if (in->odd[i])
			et_profile_run_add(&run, nodes[1], in->odd[i],
				in->at_entry < in->odd[i] ? in->at_entry : in->odd[i]);
		profile_add(e, 0, i + 1, &run);
	}
	et_profile_judge(e, 0, &o, &r);
	for (size_t i = 0; i < r.n_rows; i++)
		r.rows[i].name = r.rows[i].function ? "odd" : "sound";
	et_experiment_free(e);
	return r;
}

static const struct et_warnings *of_odd(const struct et_profile_result *r)
{
	for (size_t i = 0; i < r->n_rows; i++) {
		if (!strcmp(r->rows[i].name, "odd"))
			return &r->rows[i].warnings;
	}
	tap_bail("there is no such row");
}

/* An argument of the warning; NaN if it was not raised. */
static double arg(const struct et_warnings *w, enum et_warning_code code, int i)
{
	for (size_t k = 0; k < w->n; k++) {
		if (w->list[k].code == code)
			return w->list[k].args[i].number;
	}
	return NAN;
}

/* Checks an argument of the warning about the profile, or about the odd function. */
static void raises(const struct input *in, bool of_row, enum et_warning_code code, int i,
	double want, const char *label)
{
	struct et_profile_result r = judge(in);

	near(arg(of_row ? of_odd(&r) : &r.warnings, code, i), want, 1e-9, 0, "%s", label);
	et_profile_result_free(&r);
}

static void test_names(void)
{
	struct input in = sound();
	double odd = 0, all = 0;

	for (int i = 0; i < RUNS; i++) {
		odd += (double)in.odd[i];
		all += (double)(in.odd[i] + in.sound[i]);
	}
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, NAN, "names: all functions have names");
	in.unnamed = true;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, odd / all,
		"names: the share of a function without a name");
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 2, 0, "names: its file has no symbols");
	in.no_libdw = true;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, NAN, "names: its file is not to blame");
	raises(&in, false, ET_WARN_PROFILE_NO_LIBDW, 0, odd / all, "names: etalon has no libdw");
	in.no_libdw = false;
	in.space = ET_SPACE_UNKNOWN;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 2, 1, "names: it is in no file");
	in.space = ET_SPACE_KERNEL;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, NAN, "names: the kernel is no program");
	raises(&in, false, ET_WARN_PROFILE_NO_KERNEL_SYMBOLS, 0, odd / all,
		"names: the share of the kernel");
	in.way = ET_PROFILE_IMPORTED;
	raises(&in, false, ET_WARN_PROFILE_NO_KERNEL_SYMBOLS, 0, NAN,
		"names: etalon did not name the kernel's functions of an imported profile");
	in.space = ET_SPACE_USER;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, odd / all,
		"names: an imported profile may have a file without symbols, too");
	in = sound();
	in.unnamed = true;
	for (int i = 0; i < RUNS; i++)
		in.odd[i] = 20;
	raises(&in, false, ET_WARN_PROFILE_NO_SYMBOLS, 0, NAN, "names: a small share is normal");
}

static void test_sound(void)
{
	struct input in = sound();
	struct et_profile_result r = judge(&in);

	ok(!r.warnings.n && !r.rows[0].warnings.n && !r.rows[1].warnings.n,
		"sound: random counts raise no warning");
	et_profile_result_free(&r);
}

static void test_sampling(void)
{
	struct input in = sound();

	in.run.throttled = 2;
	raises(&in, false, ET_WARN_PROFILE_RUNS_INVALID, 0, 10,
		"sampling: throttled runs are counted");
	raises(&in, false, ET_WARN_PROFILE_RUNS_INVALID, 2, 1, "sampling: and named so");
	in = sound();
	in.run.lost = 1;
	raises(&in, false, ET_WARN_PROFILE_RUNS_INVALID, 2, 0, "sampling: as are lost records");
	in = sound();
	in.run.overruns = 100;
	struct et_profile_result r = judge(&in);
	double missing = arg(&r.warnings, ET_WARN_PROFILE_OVERRUNS, 0);
	near(missing, 4000.0 / (4000 + (double)r.samples), 1e-12, 0,
		"sampling: the share of samples that came too late");
	et_profile_result_free(&r);
	raises(&in, false, ET_WARN_PROFILE_OVERRUNS, 1, 0, "sampling: less often is the cure");
	for (int i = 0; i < RUNS; i++) {
		in.sound[i] = 10;
		in.odd[i] = 4;
	}
	raises(&in, false, ET_WARN_PROFILE_OVERRUNS, 1, 1,
		"sampling: but not where samples are few");
	in = sound();
	in.run.overruns = 5;
	raises(&in, false, ET_WARN_PROFILE_OVERRUNS, 0, NAN, "sampling: few overruns are normal");
	in = sound();
	in.run.tasks = 10;
	in.run.short_tasks = 9;
	raises(&in, false, ET_WARN_PROFILE_SHORT_TASKS, 0, NAN,
		"sampling: a cgroup sees short threads");
	in.way = ET_PROFILE_INHERITED;
	raises(&in, false, ET_WARN_PROFILE_SHORT_TASKS, 0, 360,
		"sampling: inherited events do not");
	in = sound();
	in.plan.fixed = true;
	struct et_profile_result fixed = judge(&in);
	ok(et_warnings_have(&fixed.warnings, ET_WARN_PROFILE_FIXED_PERIOD),
		"sampling: a fixed period may be in step with the program");
	et_profile_result_free(&fixed);
	for (int i = 0; i < RUNS; i++) {
		in.sound[i] = 50;
		in.odd[i] = 10;
	}
	raises(&in, false, ET_WARN_PROFILE_FEW_SAMPLES, 0, 60, "sampling: few samples per run");
	in.runs = 3;
	raises(&in, false, ET_WARN_PROFILE_FEW_RUNS, 0, 3, "sampling: few runs");
}

static void test_time(void)
{
	struct input in = sound();

	for (int i = 0; i < RUNS; i++)
		in.odd[i] += (uint64_t)i;
	raises(&in, true, ET_WARN_PROFILE_DRIFT, 0, 1, "time: the count of a function rises");
	raises(&in, false, ET_WARN_PROFILE_DRIFT, 0, NAN, "time: all samples do not");
	for (int i = 0; i < RUNS; i++) {
		in.sound[i] += (uint64_t)(20 * (RUNS - i));
		in.odd[i] = 100;
	}
	raises(&in, false, ET_WARN_PROFILE_DRIFT, 0, 0, "time: all samples fall");
	in = sound();
	in.odd[0] = 200;
	raises(&in, true, ET_WARN_PROFILE_COLD_START, 0, 200, "time: the first run is cold");
	const char *text = et_warning_rows[ET_WARN_PROFILE_COLD_START].text;
	ok(strstr(text, ", as with cold caches; ") != NULL,
		"time: what made the first run slow is not known");
	in = sound();
	for (int i = 0; i < RUNS; i++)
		in.odd[i] += i / 5 % 2 ? 60 : 0;
	struct et_profile_result r = judge(&in);
	ok(arg(of_odd(&r), ET_WARN_PROFILE_DEPENDENT, 0) > 0.4 &&
			arg(of_odd(&r), ET_WARN_PROFILE_DEPENDENT, 2) < 20,
		"time: successive runs resemble each other");
	et_profile_result_free(&r);
}

static void test_far(void)
{
	struct input in = sound();

	in.odd[20] = 300;
	raises(&in, true, ET_WARN_PROFILE_FAR_RUNS, 0, 1, "far: a solitary run");
	raises(&in, true, ET_WARN_PROFILE_FAR_RUNS, 2, 1, "far: too few for BCa");
	in.odd[7] = 310;
	in.odd[11] = 290;
	in.odd[34] = 300;
	raises(&in, true, ET_WARN_PROFILE_FAR_RUNS, 0, 4, "far: a second mode with few members");
	raises(&in, true, ET_WARN_PROFILE_FAR_RUNS, 2, 0, "far: enough for BCa");
	in = sound();
	in.odd[20] = 3000;
	struct et_profile_result r = judge(&in);
	const struct et_profile_row *odd = !strcmp(r.rows[0].name, "odd") ? &r.rows[0] : &r.rows[1];
	/* qt(0.975, 39) of R */
	double half = 2.022690920036762 * odd->sd / sqrt(RUNS);
	double apart = fmax(fabs(odd->mean_percentile.hi - odd->mean - half),
			       fabs(odd->mean_percentile.lo - odd->mean + half)) /
		       half;
	ok(apart > 0.3, "far: one run decides, and the bootstrap differs from Student's t");
	near(arg(of_odd(&r), ET_WARN_PROFILE_BOOTSTRAP_DIFFERS, 0), apart, 1e-9, 0,
		"far: by this part of the half width");
	et_profile_result_free(&r);
	in.runs = 9;
	in.odd[4] = 3000;
	raises(&in, true, ET_WARN_PROFILE_BOOTSTRAP_DIFFERS, 0, NAN,
		"far: a bootstrap of few runs says nothing");
}

static void test_rare(void)
{
	struct input in = sound();

	for (int i = 0; i < RUNS; i++)
		in.odd[i] = i == 4 ? 30 : i == 30 ? 10 : 0;
	raises(&in, true, ET_WARN_PROFILE_RARE, 0, 2, "rare: the runs that saw a function");
	raises(&in, true, ET_WARN_PROFILE_RARE, 2, 40, "rare: its samples");
	in.odd[4] = in.odd[30] = 1;
	raises(&in, true, ET_WARN_PROFILE_RARE, 0, NAN,
		"rare: single samples are what a steady function gives");
}

static void test_calls(void)
{
	struct input in = sound();
	double mean = 0;

	for (int i = 0; i < RUNS; i++)
		mean += (double)in.odd[i] / RUNS;
	in.calls = 1e6;
	raises(&in, true, ET_WARN_PROFILE_SHORT_CALLS, 1, mean,
		"calls: each is shorter than the period of 1 ms: in nanoseconds");
	in.calls = 10;
	raises(&in, true, ET_WARN_PROFILE_SHORT_CALLS, 0, NAN, "calls: long calls are sampled");
	in.calls = 0;
	for (int i = 0; i < RUNS; i++) {
		in.odd[i] = i * 7 % 3 ? 60 : 140;
		in.sound[i] = 1000 - in.odd[i];
	}
	struct et_profile_result r = judge(&in);
	ok(arg(of_odd(&r), ET_WARN_PROFILE_SPREAD, 0) > 30 &&
			arg(of_odd(&r), ET_WARN_PROFILE_SPREAD, 1) < 10,
		"calls: without counts of calls a large spread is reported");
	et_profile_result_free(&r);
}

static void test_entry(void)
{
	struct input in = sound();

	in.at_entry = 60;
	struct et_profile_result r = judge(&in);
	ok(arg(of_odd(&r), ET_WARN_PROFILE_AT_ENTRY, 0) > 0.5,
		"entry: most samples are at the first instruction");
	et_profile_result_free(&r);
	in.plan.addresses = true;
	raises(&in, true, ET_WARN_PROFILE_AT_ENTRY, 0, NAN,
		"entry: an address is its own first instruction");
}

/* So many of 1000 samples are below a function that stands for callers. */
static bool warns_below(
	const char *name, enum et_chains chains, uint64_t samples, enum et_warning_code code)
{
	struct et_experiment *e = profile_of(1);
	struct et_profile_options o = { .statements = 1 };
	struct et_profile_result r;
	uint32_t leaf = et_profile_function_of(e->profile, "leaf", "/p", ET_SPACE_USER, false);
	uint32_t stand_in =
		et_profile_function_of(e->profile, name, "[unknown]", ET_SPACE_UNKNOWN, false);
	uint32_t whole = et_profile_node_of(e->profile, ET_PROFILE_ROOT, leaf);
	uint32_t below = et_profile_node_of(
		e->profile, et_profile_node_of(e->profile, ET_PROFILE_ROOT, stand_in), leaf);

	e->profile->plan.chains = chains;
	for (uint32_t i = 0; i < 6; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, whole, 1000 - samples, 0);
		et_profile_run_add(&run, below, samples, 0);
		profile_add(e, 0, i + 1, &run);
	}
	et_profile_judge(e, 0, &o, &r);
	bool warned = et_warnings_have(&r.warnings, code);
	et_profile_result_free(&r);
	et_experiment_free(e);
	return warned;
}

static void test_chains(void)
{
	ok(warns_below("[broken chain]", ET_CHAINS_FP, 110, ET_WARN_PROFILE_BROKEN_CHAINS) &&
			warns_below("[broken chain]", ET_CHAINS_DWARF, 110,
				ET_WARN_PROFILE_BROKEN_CHAINS),
		"more than a tenth of broken chains is a warning");
	ok(!warns_below("[broken chain]", ET_CHAINS_FP, 90, ET_WARN_PROFILE_BROKEN_CHAINS),
		"a few broken chains are none");
	ok(warns_below("[other]", ET_CHAINS_FP, 20, ET_WARN_PROFILE_MANY_CONTEXTS) &&
			!warns_below("[other]", ET_CHAINS_FP, 5, ET_WARN_PROFILE_MANY_CONTEXTS),
		"chains that were shortened are a warning");
}

int main(void)
{
	test_sound();
	test_names();
	test_sampling();
	test_time();
	test_far();
	test_rare();
	test_calls();
	test_entry();
	test_chains();
	return tap_done();
}
