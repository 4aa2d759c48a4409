/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Applies the two sanity checks of EMP to a run that was made before its daemons were known, such
 * as the run that they were learned from. The checks are those of `run --protocol emp` (sanity.h).
 */
#pragma once

#include "model/result/precision.h"
#include "model/sample/daemon.h"

/*
 * Judges a run, whose samples must all be listed, by one of its two times. Times of daemons in a
 * record of whole milliseconds count as above a cutoff only if they certainly are (daemons.h). The
 * caller frees the result by et_checked_free.
 */
struct et_checked et_checked_find(const char *name, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_cutoffs *cutoffs, enum et_metric metric);
void et_checked_free(struct et_checked *c); /* what it owns */
