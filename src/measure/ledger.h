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
int et_ledger_open(enum et_sched_way way, const cpu_set_t *cpus, struct et_ledger **out,
	struct et_error *err) ET_CHECK;
/* "bpf" or "perf". */
const char *et_ledger_source(const struct et_ledger *l);

void et_ledger_close(struct et_ledger *l);
/* Begins to watch, with empty accounts. The next n children that etalon makes are the programs. */
void et_ledger_arm(struct et_ledger *l, size_t n);
/* The slot's program is this process, one of those children. */
void et_ledger_follow(struct et_ledger *l, size_t slot, int32_t pid);
/*
 * Where the begin of the window (by the child itself) and its end are written, CLOCK_MONOTONIC. The
 * account covers the time between them.
 */
uint64_t *et_ledger_begin(struct et_ledger *l, size_t slot);
uint64_t *et_ledger_end(struct et_ledger *l, size_t slot);
/* Stops watching; takes no time. */
void et_ledger_stop(struct et_ledger *l);
/* Takes the accounts from the kernel, once per run. */
void et_ledger_gather(struct et_ledger *l);
/* Enters a slot's account into its sample, whose times and culprits are known by now. */
void et_ledger_fill(const struct et_ledger *l, size_t slot, struct et_sample *s);

#endif
