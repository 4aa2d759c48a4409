/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How accurate is the CPU time that the kernel reports? Each run is a process of its own that works
 * for a known time, half of it in the kernel, and reads its CPU time by times() and getrusage().
 * For comparison we compute, from the periods in which the process ran, what an old kernel would
 * report: it charged every tick to the process that ran at that moment (Bryant & O'Hallaron,
 * Computer Systems, first edition, chapter 9, "Interval counting").
 */
#pragma once

#include "lab/grid.h"

enum et_interval_method {
	ET_INTERVAL_TICKS,  /* computed: the ticks that fell on the process */
	ET_INTERVAL_TIMES,  /* times(): user and system */
	ET_INTERVAL_RUSAGE, /* getrusage(): user and system */
	ET_INTERVAL_USER,   /* getrusage(): user time only */
	ET_INTERVAL_METHODS,
};

/* The names in the experiment and in JSON. */
extern const char *const et_interval_method_names[];

/* One run: the true times and the reported ones. */
struct et_interval_run {
	double truth_ns, truth_user_ns;
	double reported_ns[ET_INTERVAL_METHODS];
};

/* The figure that begins a case, even one without runs: how many were planned. */
#define ET_INTERVAL_CASE "interval-runs"

/* One case: a load and a length, with its runs. */
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

/* Measures on the present CPU, to which the thread stays bound; ended early, it adds its part. */
int et_interval_accuracy_run(const struct et_lab_grid *grid, const struct et_lab_progress *progress,
	struct et_experiment *e, struct et_error *err) ET_CHECK;
et_lab_read et_interval_accuracy_read; /* of a struct et_interval_accuracy */
et_lab_free et_interval_accuracy_free;

/* The errors (reported / true - 1) of the runs of a case; NaN without runs. */
struct et_interval_error {
	double mean, worst; /* worst: the error of the largest magnitude, with its sign */
	double least, most; /* with their signs */
};

/* The error of one run. */
double et_interval_error_of(const struct et_interval_run *r, enum et_interval_method method);
/* The mean error under a load of cases of ET_INTERVAL_LONG_NS or longer: a bias. NaN: none. */
#define ET_INTERVAL_LONG_NS 100e6
double et_interval_bias(
	const struct et_interval_accuracy *a, unsigned load, enum et_interval_method method);

struct et_interval_error et_interval_judge(
	const struct et_interval_cell *c, enum et_interval_method method);
