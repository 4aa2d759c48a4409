/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of the program's elapsed time: it was on a CPU, or it was runnable while other
 * processes had its CPU, or it was asleep or waiting; some time may have been stolen by the
 * hypervisor, and a rest is unexplained. It is made from the scheduler's context switches and
 * wake-ups, which BPF sums in the kernel, or from perf's records of switches after the run.
 *
 * The program is on a CPU if at least one of its tasks runs, and runnable if none runs and at least
 * one waits for a CPU. So the account adds up for programs with parallel tasks, too.
 */
#pragma once

#include "base/error.h"
#include "measure/trace/sched_stream.h"
#include "model/sample/sample.h"

#include <sched.h>

struct et_ledger;
struct et_ledger_early;

/*
 * Begins to load the BPF programs in a thread, while the caller prepares other things: loading
 * takes longer than everything else before the first run. NULL if that is not possible or not
 * useful; then et_ledger_open() does it.
 */
struct et_ledger_early *et_ledger_early(void);
/*
 * Waits for the thread. A process that etalon makes by a bare clone3() must not be made before: a
 * lock of the C library that the thread holds would stay locked in it. NULL is fine.
 */
void et_ledger_early_wait(struct et_ledger_early *early);
/* Waits for the thread, and frees what et_ledger_open() has not taken. NULL is fine. */
void et_ledger_early_end(struct et_ledger_early *early);

/*
 * Opens the ledger for programs that may use these CPUs, NULL: all. It takes what was loaded early,
 * if that is not NULL. 0 or -errno with err filled.
 */
int et_ledger_open(enum et_sched_way way, struct et_ledger_early *early, const cpu_set_t *cpus,
	struct et_ledger **out, struct et_error *err) ET_CHECK;
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
