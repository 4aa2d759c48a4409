/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments that time functions inside this process: their cases are each load with each length
 * of the function. They share how they use the counter and libetalon.
 */
#pragma once

#include "base/error.h"
#include "clock/counter.h"
#include "lab/progress.h"
#include "model/experiment/figure.h"

#include <etalon/etalon.h>

/* Fills a result, a struct of the experiment, from an experiment that it made; else -EINVAL. */
typedef int et_lab_read(const struct et_experiment *e, void *result, struct et_error *err) ET_CHECK;

enum { ET_MAX_LOADS = 8, ET_MAX_LENGTHS = 32 };

struct et_lab_grid {
	unsigned loads[ET_MAX_LOADS]; /* runnable processes on the CPU, including this one */
	size_t n_loads;
	uint64_t lengths_ns[ET_MAX_LENGTHS];
	size_t n_lengths;
	uint32_t runs; /* per case */
};

/* The progress of a walk over the grid, counted in the time that its parts are expected to take. */
struct et_walk {
	const struct et_lab_progress *progress;
	double done_ns, total_ns;
	bool stopped; /* progress->report has returned false */
};

/* Adds ns of work done and reports the progress. Returns false if the experiment should end. */
bool et_walk_advance(struct et_walk *w, double ns);

/* Measures one case of the grid. An error ends the walk. */
typedef int et_walk_fn(void *ctx, struct et_walk *w, unsigned load, uint64_t length_ns,
	struct et_error *err) ET_CHECK;

/*
 * Binds the thread to its present CPU, where it stays, and measures each case under its load. A
 * case is expected to take times * load * length. If progress->report ends the walk early, that is
 * no error.
 */
int et_grid_walk(const struct et_lab_grid *g, double times, const struct et_lab_progress *progress,
	et_walk_fn *measure, void *ctx, struct et_error *err) ET_CHECK;

/* Calibrates the counter of the processor for that long. */
int et_timing_calibrate(struct et_counter *c, uint64_t ns, struct et_error *err) ET_CHECK;
/* The time of that many ticks. */
double et_timing_ns(const struct et_counter *c, double ticks);
/* Measures a function by libetalon; it is no error if that did not converge. */
int et_timing_kbest(void (*function)(void *arg), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *out, struct et_error *err) ET_CHECK;
/* The error of a read function about an experiment of something else. */
int et_timing_foreign(const struct et_experiment *e, const char *lab, struct et_error *err);
