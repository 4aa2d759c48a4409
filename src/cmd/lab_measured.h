/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` that measure programs on this machine. Each is an experiment like
 * those of `run`, labelled "lab NAME": kept, listed, shown; its tables are functions of the record.
 */
#ifndef ET_CMD_LAB_MEASURED_H
#define ET_CMD_LAB_MEASURED_H

#include "base/error.h"
#include "lab/grid.h"
#include "model/experiment.h"

struct et_lab_measure {
	uint64_t lengths_ns[ET_MAX_LENGTHS]; /* ascending */
	size_t n_lengths;                    /* 0: the experiment's own */
	uint64_t runs;                       /* 0: the experiment's own */
	unsigned loads[ET_MAX_LOADS];        /* ascending */
	size_t n_loads;                      /* 0: the experiment's own */
	const char *from, *label, *svg;      /* or NULL */
	unsigned programs, sizes;            /* bits in the order of their tables; 0: all */
};

struct et_lab_request;

/* As et_option_fn, of the options that these experiments have. */
int et_lab_measure_option(struct et_lab_measure *m, int id, const char *arg, struct et_error *err);

int et_lab_emp_versions(struct et_lab_request *r, struct et_error *err);
int et_lab_clock_methods(struct et_lab_request *r, struct et_error *err);
int et_lab_real_programs(struct et_lab_request *r, struct et_error *err);
int et_lab_kbest_accuracy(struct et_lab_request *r, struct et_error *err);
int et_lab_interval_accuracy(struct et_lab_request *r, struct et_error *err);
int et_lab_cache(struct et_lab_request *r, struct et_error *err);

/* Commands to measure. */
struct et_lab_commands {
	char **names, **lines; /* n each; a line splits into words as a shell's does */
	size_t n, cap_names, cap_lines;
};

/* Takes both texts. */
void et_lab_commands_add(struct et_lab_commands *c, char *name, char *line);
void et_lab_commands_free(struct et_lab_commands *c); /* what it holds */

/*
 * Runs them as `run` does, in random blocks of solo runs, and fetches what was kept. After a signal
 * -EINTR with what there is by then; *out stays NULL when there is nothing.
 */
int et_lab_measure(struct et_lab_request *r, const struct et_lab_commands *c, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err);
/* The record that --from names. */
int et_lab_recall(struct et_lab_request *r, struct et_experiment **out, struct et_error *err);
/* Says where it is kept, and after a signal how to go on; returns rc. */
int et_lab_conclude(
	const struct et_lab_request *r, const struct et_experiment *e, bool resumable, int rc);

#endif
