/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of who had the program's CPU: elapsed_ns = cpu_ns + the time of each other process on
 * that CPU + its idle time + steal + an unexplained rest. It is made from the scheduler's context
 * switches, which BPF sums in the kernel, or from perf's records of them after the run.
 *
 * The account follows one CPU at a time: the one on which a task of the program runs, last ran, or
 * waits. It is meant for a program that does one thing at a time, with one task or with several in
 * turn. If tasks of a program run in parallel, the parts would not add up, and the figures stay
 * unknown.
 */
#ifndef ET_MEASURE_LEDGER_H
#define ET_MEASURE_LEDGER_H

#include "base/error.h"
#include "measure/sched_stream.h"
#include "model/sample.h"

#include <sched.h>

struct et_ledger;

/*
 * Opens the ledger for programs that may use these CPUs, NULL: all. 0 or -errno with err filled.
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
