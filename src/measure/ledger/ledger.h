/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The account of the program's elapsed time (struct et_slot), from the scheduler's context switches
 * and wake-ups, which BPF sums in the kernel, or from perf's records of switches after the run. It
 * adds up for programs with parallel tasks, too; a rest may be stolen, or unexplained. The observer
 * et_observe_ledger (observer.h) makes it; this header has what comes before.
 */
#pragma once

struct et_ledger_early;

/*
 * Begins to load the BPF programs in a thread, while the caller prepares other things: loading
 * takes longer than everything else before the first run. NULL if that is not possible or not
 * useful; then the observer does it when it is opened.
 */
struct et_ledger_early *et_ledger_early(void);
/*
 * Waits for the thread. A process that etalon makes by a bare clone3() must not be made before: a
 * lock of the C library that the thread holds would stay locked in it. NULL is fine.
 */
void et_ledger_early_wait(struct et_ledger_early *early);
/* Waits for the thread, and frees what the observer has not taken. NULL is fine. */
void et_ledger_early_end(struct et_ledger_early *early);
