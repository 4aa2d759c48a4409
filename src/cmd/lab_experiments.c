/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_experiments.h"
#include "base/clock.h"
#include "cmd/outputs.h"

#include <errno.h>

bool et_lab_draw_progress(void *ctx, uint64_t done, uint64_t total)
{
	struct et_lab_request *r = ctx;
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct et_progress_state state = {
		.name = r->name, .done = done, .total = total, .elapsed_ns = now - r->started_ns
	};

	et_progress_draw(&r->progress, &state, now);
	return !r->interrupt->signal;
}

static int coverage(struct et_lab_request *r, struct et_error *err)
{
	struct et_coverage_options *o = &r->coverage;
	struct et_coverage c;

	(void)err;
	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->replicates = r->asked.replicates;
	o->progress = (struct et_lab_progress){ et_lab_draw_progress, r, NULL };
	et_coverage_run(o, &c);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_coverage_json(&c, &r->asked, stdout);
	else
		et_coverage_text(&c, &r->page);
	et_coverage_free(&c);
	return 0;
}

static int false_alarms(struct et_lab_request *r, struct et_error *err)
{
	struct et_false_alarms_options *o = &r->alarms;
	struct et_false_alarms f;

	(void)err;
	o->seed = r->asked.seed;
	o->repetitions = r->asked.repetitions;
	o->progress = (struct et_lab_progress){ et_lab_draw_progress, r, NULL };
	et_false_alarms_run(o, &f);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_false_alarms_json(&f, &r->asked, stdout);
	else
		et_false_alarms_text(&f, &r->page);
	return 0;
}

static int quantisation(struct et_lab_request *r, struct et_error *err)
{
	struct et_quantisation_options o = { .seed = r->asked.seed,
		.repetitions = r->asked.repetitions,
		.progress = { et_lab_draw_progress, r, NULL } };
	struct et_output svg = { 0 };
	struct et_quantisation q;
	int rc = et_lab_picture_open(r, &svg, err);

	if (rc)
		return rc;
	et_quantisation_run(&o, &q);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		et_quantisation_json(&q, &r->asked, stdout);
	else
		et_quantisation_text(&q, &r->page);
	FILE *f = svg.open ? et_output_begin(&svg, err) : NULL;
	if (f) {
		et_quantisation_svg(&q, f);
		rc = et_output_end(&svg, err);
	} else if (svg.open) {
		rc = -EIO;
	}
	et_output_close(&svg);
	return rc;
}

/* The command hands its arguments over before anything of this table is used. */
static int no_functions(struct et_lab_request *r, struct et_error *err)
{
	(void)r;
	return et_fail(err, EINVAL, ET_EXIT_USAGE, "lab: 'functions' must be the first argument");
}

enum {
	SIMULATED = ET_LAB_REPETITIONS | ET_LAB_SEED,
	MEASURED = ET_LAB_RUNS | ET_LAB_SEED | ET_LAB_LABEL | ET_LAB_FROM,
	PROFILED = MEASURED | ET_LAB_LENGTHS | ET_LAB_PRESET | ET_LAB_RESUME | ET_LAB_SVG |
		   ET_LAB_BOOTSTRAP,
	TIMED = ET_LAB_RUNS | ET_LAB_LABEL | ET_LAB_FROM | ET_LAB_SVG,
};

const struct et_lab_experiment et_lab_experiments[] = {
	{ "coverage", "how often do intervals contain the true value?",
		SIMULATED | ET_LAB_BOOTSTRAP | ET_LAB_LAW | ET_LAB_SIZE, coverage },
	{ "false-alarms", "how often does a busy machine make equal programs differ?",
		SIMULATED | ET_LAB_EFFECT | ET_LAB_PAIR_SD, false_alarms },
	{ "quantisation", "how much does the number of a function's samples vary?",
		SIMULATED | ET_LAB_SVG, quantisation },
	{ "duet-bias", "how right is the ratio of programs that run side by side?",
		MEASURED | ET_LAB_REPETITIONS | ET_LAB_PAIRS, et_lab_duet_bias },
	{ "emp-versions", "how precise is each version of EMP, over the length of a task?",
		MEASURED | ET_LAB_LENGTHS | ET_LAB_PACE | ET_LAB_PRESET | ET_LAB_RESUME |
			ET_LAB_SVG,
		et_lab_emp_versions },
	{ "clock-methods", "clocks read inside and around a program, and EMP, same runs",
		MEASURED | ET_LAB_LENGTHS | ET_LAB_SVG, et_lab_clock_methods },
	{ "real-programs", "how precise is EMP for whole programs, by size of input?",
		MEASURED | ET_LAB_PROGRAMS | ET_LAB_SIZES | ET_LAB_SVG, et_lab_real_programs },
	{ "kbest-accuracy", "how far off is K-best under load, as published and as ours?",
		TIMED | ET_LAB_LENGTHS | ET_LAB_LOADS | ET_LAB_BEST | ET_LAB_EPSILON |
			ET_LAB_MAX_RUNS | ET_LAB_FIGURE,
		et_lab_kbest_accuracy },
	{ "kbest-coverage", "is the 95 % of benchmark programs true on this machine?",
		ET_LAB_REPETITIONS | ET_LAB_FILTER, et_lab_kbest_coverage },
	{ "functions", "a benchmark program of awkward functions, with its own options", 0,
		no_functions },
	{ "interval-accuracy", "how far off is CPU time that is counted by ticks?",
		TIMED | ET_LAB_LENGTHS | ET_LAB_LOADS, et_lab_interval_accuracy },
	{ "fragmentation", "does the spread of a profile depend on the length of calls?", PROFILED,
		et_lab_fragmentation },
	{ "sampling-rate", "how do counts and their spread depend on the rate of sampling?",
		PROFILED, et_lab_sampling_rate },
	{ "competing-load", "does a process on the same CPU change a profile?", PROFILED,
		et_lab_competing_load },
	{ "triangle", "do profilers find 5/15 to 1/15 of the time in five functions?", PROFILED,
		et_lab_triangle },
	{ "sampling-bias", "are all instructions of a function sampled alike?", PROFILED,
		et_lab_sampling_bias },
	{ "problems", "the calculations of a chapter on timing: tick counts, sleep …",
		ET_LAB_PROBLEM, et_lab_problems },
	{ "branch", "what does a branch cost that is predicted wrongly?",
		ET_LAB_LABEL | ET_LAB_FROM | ET_LAB_SVG, et_lab_branch },
	{ "cache", "a first call, the next, and one after another procedure", TIMED, et_lab_cache },
	{ 0 },
};
