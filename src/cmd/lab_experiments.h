/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of experiments of `etalon lab`. */
#ifndef ET_CMD_LAB_EXPERIMENTS_H
#define ET_CMD_LAB_EXPERIMENTS_H

#include "cmd/cli.h"
#include "cmd/lab_measured.h"
#include "lab/problems.h"
#include "model/executor.h"
#include "report/lab.h"
#include "report/progress.h"

/* Bits of options: those that an experiment takes, and those that the user gave. */
enum et_lab_option {
	ET_LAB_JSON = 1 << 0,
	ET_LAB_REPETITIONS = 1 << 1,
	ET_LAB_SEED = 1 << 2,
	ET_LAB_BOOTSTRAP = 1 << 3,
	ET_LAB_LAW = 1 << 4,
	ET_LAB_SIZE = 1 << 5,
	ET_LAB_EFFECT = 1 << 6,
	ET_LAB_PAIR_SD = 1 << 7,
	/* of experiments that measure programs */
	ET_LAB_LENGTHS = 1 << 8,
	ET_LAB_RUNS = 1 << 9,
	ET_LAB_LABEL = 1 << 10,
	ET_LAB_FROM = 1 << 11,
	ET_LAB_PROGRAMS = 1 << 12,
	ET_LAB_SIZES = 1 << 13,
	ET_LAB_PACE = 1 << 14,
	ET_LAB_LOADS = 1 << 15,
	ET_LAB_SVG = 1 << 16,
	ET_LAB_PAIRS = 1 << 17,
	ET_LAB_PRESET = 1 << 18,
	ET_LAB_RESUME = 1 << 19,
	ET_LAB_FILTER = 1 << 20,
	ET_LAB_BEST = 1 << 21,
	ET_LAB_EPSILON = 1 << 22,
	ET_LAB_MAX_RUNS = 1 << 23,
	ET_LAB_FIGURE = 1 << 24,
	ET_LAB_PROBLEM = 1 << 30, /* all numbers of lab problems */
};

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
};

struct et_lab_experiment {
	const char *name, *summary;
	unsigned takes; /* bits of the options that it takes, beside --json */
	/* Prints the results, after a signal those until then. 0 or -errno. */
	int (*run)(struct et_lab_request *r, struct et_error *err) ET_CHECK;
};

/* For struct et_lab_progress: draws the progress of a request. Returns false after a signal. */
bool et_lab_draw_progress(void *request, uint64_t done, uint64_t total) ET_CHECK;

et_option_set et_lab_set_problem_count;  /* double: a whole number */
et_option_set et_lab_set_problem_number; /* double, above 0 */
et_option_set et_lab_set_problem_time;   /* double: a duration in ns */

/* Of all experiments; see .takes. */
extern const struct et_option et_lab_options[];
/* Ends with a NULL name. */
extern const struct et_lab_experiment et_lab_experiments[];

#endif
