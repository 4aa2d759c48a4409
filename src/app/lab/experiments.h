/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of experiments of `etalon lab`. */
#pragma once

#include "app/lab/view.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/program.h"
#include "draw/progress.h"
#include "lab/coverage.h"
#include "lab/false_alarms.h"
#include "lab/grid.h"
#include "lab/problems.h"
#include "model/sample/executor.h"

/* Bits of the options that the user gave. */
enum et_lab_option {
	ET_LAB_JSON = 1 << 0,
	ET_LAB_REPETITIONS = 1 << 1,
	ET_LAB_PACE = 1 << 2,
	ET_LAB_PRESET = 1 << 3,
	ET_LAB_RESUME = 1 << 4,
	ET_LAB_BEST = 1 << 5,
	ET_LAB_EPSILON = 1 << 6,
	ET_LAB_MAX_RUNS = 1 << 7,
	ET_LAB_FIGURE = 1 << 8,
	ET_LAB_PROBLEM = 1 << 9, /* all numbers of lab problems */
};

/* Options of experiments that measure. */
struct et_lab_measure {
	uint64_t lengths_ns[ET_MAX_LENGTHS]; /* ascending */
	size_t n_lengths;                    /* 0: the experiment's own */
	uint64_t runs;                       /* 0: the experiment's own */
	uint64_t loads[ET_MAX_LOADS];        /* ascending */
	size_t n_loads;                      /* 0: the experiment's own */
	const char *from, *label, *svg;      /* or NULL */
	const char *filter;                  /* of the functions; NULL: all */
	unsigned programs, sizes, pairs;     /* bits in the order of their tables; 0: all */
	uint64_t own_sizes[ET_MAX_LENGTHS];  /* of our own workloads; ascending */
	size_t n_own_sizes;
	int preset; /* of et_lab_presets, if the option was given */
	/* Of kbest-accuracy, if the options were given. */
	uint32_t best, max_runs;
	double epsilon;
	int figure; /* enum et_kbest_figure */
};

/* The context of the actions. Each prints its results, after a signal those until then. */
struct et_lab_request {
	struct et_cli *cli;
	unsigned given;
	struct et_simulation simulation; /* as requested by the user */
	struct et_coverage_options coverage;
	struct et_false_alarms_options alarms;
	struct et_lab_measure measure;
	struct et_problem_values problem;
	const char *name, *operand; /* of the experiment; what follows it, or NULL */
	uint64_t started_ns;
	struct et_progress progress;
	struct et_interrupt *interrupt;
	struct et_page page;
	struct et_output svg; /* of --svg, if that is given */
};

/* For struct et_lab_progress: draws the progress of a request. Returns false after a signal. */
bool et_lab_draw_progress(void *request, uint64_t done, uint64_t total) ET_CHECK;
/*
 * Begins the file of --svg, which the command has opened and ends; *out is NULL if none was asked
 * for.
 */
int et_lab_picture(struct et_lab_request *r, FILE **out, struct et_error *err) ET_CHECK;

/* The choices of --pairs; NULL after the last. */
const char *et_lab_pair_name(size_t i);
extern const char *const et_lab_presets[]; /* of --preset; NULL ends it */
et_action_run et_lab_list, et_lab_coverage, et_lab_false_alarms, et_lab_quantisation;
et_action_run et_lab_duet_bias, et_lab_emp_versions, et_lab_clock_methods, et_lab_real_programs;
et_action_run et_lab_kbest_coverage, et_lab_problems;
et_action_run et_lab_time;    /* those of clocks.h */
et_action_run et_lab_profile; /* those of profile.h */

/* Of all experiments. */
extern const struct et_option et_lab_options[];
/* With list, which has no summary. A NULL name ends them. */
extern const struct et_action et_lab_experiments[];
