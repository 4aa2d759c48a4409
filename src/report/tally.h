/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counts and means of the samples of one command, for the reports: how many were kept, and which
 * parts their elapsed time consists of.
 */
#ifndef ET_REPORT_TALLY_H
#define ET_REPORT_TALLY_H

#include "model/result.h"

enum { ET_CAUSES = ET_REMOVED_MACHINE_SLOW + 1 };

/* Means over the kept solo samples, in nanoseconds; NaN if a sample lacks the value. */
struct et_parts {
	double elapsed, cpu, user, system, wait, blocked, steal;
	double rest;  /* asleep or unexplained; NaN if cpu is not known, 0 if parts overlap */
	bool overlap; /* the sum of the parts exceeds elapsed: tasks waited at the same time */
	/* From the ledger, if every sample has one. */
	double others, idle, unexplained;
};

struct et_tally {
	size_t warmup;
	size_t kept[ET_PACED + 1]; /* by arrangement */
	size_t removed[ET_CAUSES]; /* by enum et_removed_by; [ET_KEPT] is unused */
	size_t n_removed;
	size_t wait4;           /* kept samples whose CPU time is from wait4() */
	uint64_t max_rss_bytes; /* the largest of the kept samples; ET_UNKNOWN if none has it */
	struct et_parts parts;
};

void et_tally_samples(const struct et_command *c, struct et_tally *out);
bool et_sample_counts(const struct et_sample *s); /* kept, solo, not warm-up */

#endif
