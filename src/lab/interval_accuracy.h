/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far off is CPU time that is counted by ticks? Each run is a process of its own that works for
 * a known time, half of it in the kernel, and asks times(), getrusage() and nothing else for its
 * CPU time. Beside it stands what a kernel says that charges every tick to whoever runs just then,
 * as in Bryant & O'Hallaron's chapter: computed from when the process did run.
 */
#ifndef ET_LAB_INTERVAL_ACCURACY_H
#define ET_LAB_INTERVAL_ACCURACY_H

#include "base/error.h"
#include "lab/grid.h"
#include "model/experiment.h"

/* The tick of the chapter's machines. */
#define ET_CHAPTER_TICK_NS 10e6

enum et_interval_method {
	ET_INTERVAL_TICKS,  /* counted by ticks of ET_CHAPTER_TICK_NS, from when it did run */
	ET_INTERVAL_TIMES,  /* times(): user and system */
	ET_INTERVAL_RUSAGE, /* getrusage(): user and system */
	ET_INTERVAL_USER,   /* what getrusage() calls user time */
	ET_INTERVAL_METHODS,
};

/* In the record and in JSON. */
extern const char *const et_interval_method_names[];

/* One run: what was true and what was told. */
struct et_interval_run {
	double truth_ns, truth_user_ns;
	double reported_ns[ET_INTERVAL_METHODS];
};

struct et_interval_cell {
	unsigned load;
	uint64_t length_ns;
	struct et_interval_run *runs;
	size_t n_runs;
};

struct et_interval_accuracy {
	struct et_interval_cell *cells;
	size_t n_cells;
};

struct et_interval_accuracy_options {
	struct et_grid grid;
	struct et_lab_progress progress;
};

/* As et_kbest_accuracy_run and _read. */
int et_interval_accuracy_run(const struct et_interval_accuracy_options *o,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
int et_interval_accuracy_read(const struct et_experiment *e, struct et_interval_accuracy *out,
	struct et_error *err) ET_CHECK;
void et_interval_accuracy_free(struct et_interval_accuracy *a);

/* Errors (told / true - 1) over the runs of a case; NaN without any. */
struct et_interval_error {
	double mean, worst; /* the largest, with its sign */
};

struct et_interval_error et_interval_judge(
	const struct et_interval_cell *c, enum et_interval_method method);

/*
 * What ticks at phase, phase + tick, … would count as a process's time: each charges a whole tick
 * when it falls into one of n periods [from[i], to[i]) in which the process ran.
 */
double et_interval_count(const double *from, const double *to, size_t n, double tick, double phase);

#endif
