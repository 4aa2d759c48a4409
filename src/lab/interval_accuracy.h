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
#include "lab/watch.h"

#include <stdbool.h>

/* The tick of the chapter's machines. */
#define ET_CHAPTER_TICK_NS 10e6

/* One run: true times and those that were told. */
struct et_interval_run {
	double truth_ns, truth_user_ns;
	double times_ns;       /* user and system, by times() */
	double rusage_ns;      /* user and system, by getrusage() */
	double rusage_user_ns; /* what it calls user time */
	double ticks_ns;       /* counted by ticks of ET_CHAPTER_TICK_NS */
	double elapsed_ns;
};

struct et_interval_cell {
	unsigned load;
	uint64_t length_ns;
	struct et_interval_run *runs;
	size_t n_runs;
};

struct et_interval_accuracy {
	double times_tick_ns; /* the unit of times() */
	struct et_interval_cell *cells;
	size_t n_cells;
};

struct et_interval_accuracy_options {
	struct et_grid grid;
	struct et_lab_watch watch;
};

int et_interval_accuracy_run(const struct et_interval_accuracy_options *o,
	struct et_interval_accuracy *out, struct et_error *err);
void et_interval_accuracy_free(struct et_interval_accuracy *a);

enum et_interval_method {
	ET_INTERVAL_TICKS, /* the chapter's kernel */
	ET_INTERVAL_TIMES,
	ET_INTERVAL_RUSAGE,
	ET_INTERVAL_USER, /* getrusage's user time alone */
	ET_INTERVAL_METHODS,
};

extern const char *const et_interval_method_names[];

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
