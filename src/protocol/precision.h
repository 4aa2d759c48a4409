/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of precision over a finished experiment: by program, and by the clock that was read. Only
 * solo runs count, without warm-up, failed and stopped runs.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/precision.h"
#include "model/sample/daemon.h"

/* Which runs count, as they are ruled now: a bit per enum et_removed_by. */
enum et_runs_counted {
	ET_RUNS_KEPT = 1 << ET_KEPT,
	ET_RUNS_BEFORE_SECOND = ET_RUNS_KEPT | 1 << ET_REMOVED_TWO_SIGMA, /* before check II */
	ET_RUNS_ALL = -1,                                                 /* removed or not */
};

/* Writes the times of these runs to x, which has room for all samples; returns their number. */
size_t et_runs_of(
	const struct et_command *c, enum et_metric m, enum et_runs_counted counted, double *x);
struct et_precision et_runs_precision(
	const struct et_command *c, enum et_metric m, enum et_runs_counted counted);
/* Which runs of a command count as they were recorded. */
void et_counted_judge(const struct et_command *c, struct et_counted *out);

void et_program_judge(const struct et_command *c, struct et_program_precision *out);
void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out);

/*
 * The same runs timed in five ways, as in Table XXV and Figure 18 of the EMP paper. inside may be
 * NULL: then the rows of readings inside the program are empty.
 */
void et_clock_methods_judge(
	const struct et_command *c, const struct et_inside *inside, struct et_clock_methods *out);
void et_clock_methods_free(struct et_clock_methods *m); /* what it owns */

/*
 * Applies the checks of `run --protocol emp` (sanity.h) to a run that was made before its daemons
 * were known, such as the one that they were learned from. All its samples must be listed. Times
 * count as above a cutoff only if they certainly are (daemons.h). et_checked_free frees the result.
 */
struct et_checked et_checked_find(const char *name, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_cutoffs *cutoffs, enum et_metric metric);
void et_checked_free(struct et_checked *c); /* what it owns */
