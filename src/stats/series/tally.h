/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Samples of a command: how many were kept, and which parts their elapsed time consists of. */
#pragma once

#include "model/result/result.h"
#include "model/sample/sample.h"

enum { ET_TALLY_CAUSES = ET_REMOVED_MACHINE_SLOW + 1 };

/* Means over the kept solo samples, in nanoseconds; NaN if a sample lacks the value. */
struct et_parts {
	double elapsed, cpu, user, system;
	/*
	 * By enum et_share: they add up to elapsed. NaN: not known, and then part of the
	 * unexplained; all are NaN for parallel tasks without a ledger.
	 */
	double shares[ET_SHARES];
	double blocked; /* waiting for block I/O, a part of asleep or waiting */
	bool ledger;    /* every sample has one: et_takers() knows who had the CPU */
};

/* A process, or all processes of one name, that had the CPU while the program was runnable. */
struct et_tally_taker {
	char name[16];
	double ns; /* mean over the kept solo samples */
};

struct et_tally {
	size_t warmup;
	size_t kept[ET_PACED + 1];       /* by arrangement */
	size_t removed[ET_TALLY_CAUSES]; /* by enum et_removed_by; [ET_KEPT] is unused */
	size_t n_removed;
	size_t wait4;           /* kept samples whose CPU time is from wait4() */
	uint64_t max_rss_bytes; /* the largest of the kept samples; ET_UNKNOWN if none has it */
	struct et_parts parts;
};

void et_tally_samples(const struct et_command *c, struct et_tally *out);
/*
 * The processes that took the CPU, by descending time: a new array of *n, which the caller frees.
 * *rest_ns is the part of the runnable share that has no name: etalon itself and interrupts. Empty
 * without a ledger.
 */
struct et_tally_taker *et_takers(
	const struct et_command *c, const struct et_parts *p, size_t *n, double *rest_ns);
