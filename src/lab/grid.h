/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Under which loads, for which lengths and how often a lab that measures is to measure. */
#ifndef ET_LAB_GRID_H
#define ET_LAB_GRID_H

#include "base/error.h"
#include "lab/progress.h"

#include <stddef.h>

enum { ET_MAX_LOADS = 8, ET_MAX_LENGTHS = 32 };

struct et_grid {
	unsigned loads[ET_MAX_LOADS]; /* processes that want the CPU, we among them */
	size_t n_loads;
	uint64_t lengths_ns[ET_MAX_LENGTHS];
	size_t n_lengths;
	uint32_t runs; /* of a case */
};

/* How far it is, in time that the work was expected to take. */
struct et_walk {
	const struct et_lab_progress *progress;
	double done_ns, total_ns;
	bool stopped; /* progress->report has returned false */
};

/* So much more is done; false when it is to end. */
bool et_walk_advance(struct et_walk *w, double ns);

/* Measures one case of the grid. The first error ends the walk. */
typedef int et_walk_fn(
	void *ctx, struct et_walk *w, unsigned load, uint64_t length_ns, struct et_error *err);

/*
 * Binds the thread to the CPU it is on and has each case measured under its load, times being what
 * a run of a length takes of itself. Ends early, with 0, when progress->report returns false.
 */
int et_grid_walk(const struct et_grid *g, double times, const struct et_lab_progress *progress,
	et_walk_fn *measure, void *ctx, struct et_error *err) ET_CHECK;

#endif
