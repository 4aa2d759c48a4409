/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of experiments of `etalon lab`. */
#pragma once

#include "app/lab/measured.h"
#include "app/lab/view/lab.h"
#include "cli/cli.h"
#include "cli/outputs.h"
#include "cli/program.h"
#include "draw/progress.h"
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

/* The context of the actions. Each prints its results, after a signal those until then. */
struct et_lab_request {
	struct et_cli *cli;
	unsigned given;
	struct et_lab_asked asked;
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

et_option_set et_lab_set_problem_count;  /* double: a whole number */
et_option_set et_lab_set_problem_number; /* double, above 0 */
et_option_set et_lab_set_problem_time;   /* double: a duration in ns */

et_action_run et_lab_list, et_lab_coverage, et_lab_false_alarms, et_lab_quantisation;
et_action_run et_lab_duet_bias, et_lab_emp_versions, et_lab_clock_methods, et_lab_real_programs;
et_action_run et_lab_kbest_accuracy, et_lab_kbest_coverage, et_lab_interval_accuracy;
et_action_run et_lab_fragmentation, et_lab_sampling_rate, et_lab_competing_load, et_lab_triangle;
et_action_run et_lab_sampling_bias, et_lab_problems, et_lab_branch, et_lab_cache;

/* Of all experiments. */
extern const struct et_option et_lab_options[];
/* With list, which has no summary. A NULL name ends them. */
extern const struct et_action et_lab_experiments[];
