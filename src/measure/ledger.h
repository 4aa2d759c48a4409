/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where a sample's elapsed time went: elapsed_ns = cpu_ns + what each other process ran on the
 * program's CPU + the time that CPU was idle + steal + an unexplained rest, from the scheduler's
 * own switches, summed in the kernel by BPF, or afterwards from perf's records of them.
 *
 * The account follows one CPU at a time: the one on which a task of the program runs, last ran, or
 * waits. It is an account of a program that does one thing at a time, with one task or with several
 * in turn; of one whose tasks run side by side it would be no sum, and nothing is told.
 */
#ifndef ET_MEASURE_LEDGER_H
#define ET_MEASURE_LEDGER_H

#include "base/error.h"
#include "measure/sched_stream.h"
#include "model/sample.h"

#include <sched.h>

struct et_ledger;

/*
 * For programs that may use these CPUs, NULL: all. 0 or -errno with err saying what is missing.
 */
int et_ledger_open(
	enum et_sched_way way, const cpu_set_t *cpus, struct et_ledger **out, struct et_error *err);
/* "bpf" or "perf". */
const char *et_ledger_source(const struct et_ledger *l);

/* All that follows takes NULL for a ledger that is off. */
void et_ledger_close(struct et_ledger *l);
/* Begins to look, with empty accounts. The next n children that we make are the programs. */
void et_ledger_arm(struct et_ledger *l, size_t n);
/* The slot's program is this process, one of those children. */
void et_ledger_follow(struct et_ledger *l, size_t slot, int32_t pid);
/*
 * Words in which the window's begin (by the child itself) and end are written, CLOCK_MONOTONIC; the
 * account is of the time between. slot 0 or 1: the programs of one take.
 */
uint64_t *et_ledger_begin(struct et_ledger *l, size_t slot);
uint64_t *et_ledger_end(struct et_ledger *l, size_t slot);
/* Looks no more, and gathers the accounts. */
void et_ledger_disarm(struct et_ledger *l);
/* Enters a slot's account into its sample, whose times and culprits are there already. */
void et_ledger_fill(const struct et_ledger *l, size_t slot, struct et_sample *s);

#endif
