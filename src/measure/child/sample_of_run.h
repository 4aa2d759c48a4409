/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The figures of a sample from everything that was read about a run. Pure arithmetic: no process,
 * no file, no clock. The tolerances by which readings of different sources are reconciled are here
 * and in measure/ledger/account.c, and nowhere else.
 */
#pragma once

#include "measure/child/child.h"
#include "measure/child/reap.h"
#include "measure/observe/steal.h"
#include "model/sample/sample.h"

/* Everything that was read about one program's run. */
struct et_readings {
	uint64_t started_wall_ns;
	struct et_start start;     /* by the child itself, right before execve() */
	struct et_reap_result end; /* by its parent, when it had ended */
	bool suspended;            /* etalon was stopped meanwhile, and the program with it */
	bool one_cpu;              /* it was bound to a single CPU */

	/* CPU time of the program's control group; ET_CPU_BY_WAIT4: it has none of its own. */
	enum et_cpu_source group_source;
	uint64_t group_cpu_ns;  /* when the program had ended; ET_UNKNOWN: not readable */
	bool group_has_etalon;  /* etalon is in the same group, so its own CPU time is subtracted */
	uint64_t etalon_cpu_ns; /* when the program had ended */

	/* The exit records of its tasks. */
	bool has_exit_records;      /* false: tree is empty, and /proc and wait4 have to do */
	bool lost_exit_records;     /* the kernel dropped some */
	bool block_delays;          /* the kernel counts delays by block I/O */
	struct et_tree_delays tree; /* sums over all tasks of the program */

	struct et_stolen stolen[2];   /* before and after the run */
	uint64_t pace_ns, pace_loops; /* of the reference loop; ET_UNKNOWN without one */
};

/*
 * Fills `measured` and the marks of `ruling`. Figures that only an observer knows stay unknown, and
 * `place` is for the caller to fill.
 */
void et_sample_of_run(const struct et_readings *r, struct et_sample *s);
