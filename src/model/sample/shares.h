/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The shares of the elapsed time by the state of the program: at each instant at least one of its
 * tasks runs, or none runs and at least one is runnable, or all of them sleep or wait. The names
 * are the same whichever source the figures have: the ledger by BPF or perf, or the kernel's sums.
 */
#pragma once

#include "model/sample/sample.h"

enum et_share {
	ET_SHARE_ON_CPU,      /* at least one task ran */
	ET_SHARE_RUNNABLE,    /* none ran, at least one was runnable, and others had its CPU */
	ET_SHARE_ASLEEP,      /* the program slept, or waited for something else than a CPU */
	ET_SHARE_STOLEN,      /* the hypervisor had the program's CPU */
	ET_SHARE_UNEXPLAINED, /* the rest */
	ET_SHARES,
};

struct et_share_row {
	const char *name;  /* for people */
	const char *field; /* in JSON */
};

extern const struct et_share_row et_share_rows[ET_SHARES];

/*
 * The shares of a sample in nanoseconds, which add up to its elapsed time; NaN: not known, and then
 * part of the unexplained. All are NaN if the CPU time is not known, or if tasks ran in parallel
 * and there is no ledger.
 */
void et_sample_shares(const struct et_measured *m, double ns[ET_SHARES]);

/*
 * Fills on_cpu_ns, runnable_ns and asleep_ns without a ledger, from the kernel's sums for the
 * tasks of the program, as if these ran in turn. A program that never gave up its CPU did not
 * sleep: then the rest is unexplained.
 */
void et_shares_without_ledger(struct et_measured *m);
