/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The samples of one command counted and averaged for the reports: how many were kept, what their
 * elapsed time is made of, who else ran.
 */
#ifndef ET_REPORT_TALLY_H
#define ET_REPORT_TALLY_H

#include "model/result.h"

enum { ET_CAUSES = ET_REMOVED_MACHINE_SLOW + 1 };

/* Means over the counted solo samples, in nanoseconds; NaN where not every sample tells. */
struct et_parts {
	double elapsed, cpu, user, system, wait, blocked, steal;
	double rest;  /* asleep or unexplained: NaN when pt is not known, 0 when parts overlap */
	bool overlap; /* the parts are more than the whole: tasks waited side by side */
	/* By the ledger of the program's CPU, where every sample has one. */
	double others, idle, unexplained;
};

struct et_tally {
	size_t warmup;
	size_t kept[ET_PACED + 1]; /* by arrangement */
	size_t removed[ET_CAUSES]; /* by cause; [ET_KEPT] is unused */
	size_t n_removed;
	size_t wait4;           /* counted samples whose CPU time is wait4's */
	uint64_t max_rss_bytes; /* the largest of the kept; ET_UNKNOWN when none tells */
	struct et_parts parts;
};

void et_tally_samples(const struct et_command *c, struct et_tally *out);
bool et_sample_counts(const struct et_sample *s); /* kept, solo, no warm-up */

#endif
