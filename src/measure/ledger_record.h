/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The data that the sources of the ledger fill in: one block of memory and two tables. The BPF
 * programs in the kernel and etalon share these layouts.
 */
#ifndef ET_MEASURE_LEDGER_RECORD_H
#define ET_MEASURE_LEDGER_RECORD_H

#include "measure/sched_record.h"

enum {
	ET_LEDGER_SLOTS = 2,
	ET_LEDGER_CULPRITS = 8192,
	ET_LEDGER_FIRST = 32,
	ET_LEDGER_MEMBERS = 16384,
};

/* The account of one measured program, over its window. */
struct et_slot {
	__u64 t0_ns;         /* the begin of the window, written by the child itself; 0: not yet */
	__u64 t1_ns;         /* the end of the window; 0: not yet */
	__u64 home_since_ns; /* since when `home` is its home CPU */
	__s32 home;          /* the CPU that it runs on or waits for; -1: not seen yet */
	__s32 before;        /* its previous home */
	__u32 crowded;       /* some events were lost for want of memory */
	__s32 program;       /* PID of its first process; 0: not created yet */
	__u64 own_ns;        /* its own tasks ran */
	__u64 idle_ns;       /* its home CPU was idle */
	__u64 etalon_ns;     /* etalon ran on its home CPU */
	__u64 partner_ns;    /* the other program of a duet ran on it */
	__u64 unnamed_ns;    /* processes that did not fit into the table of culprits */
	/*
	 * While its own tasks ran: the time that rq->clock_task omitted, in total and for
	 * interrupts; and the duration of interrupts.
	 */
	__u64 hidden_ns, hidden_irq_ns;
	__u64 irq_ns, softirq_ns;
};

struct et_culprit_key {
	__s32 slot, tgid;
};

struct et_ledger_memory {
	__u64 armed_ns;     /* since when switches are counted; 0: they are not */
	__s32 etalon;       /* PID of etalon */
	__u32 has_hidden;   /* rq->clock and rq->clock_task could be read */
	__u32 wanted, born; /* the number of programs of this run, and of those that exist */
	struct et_slot slots[ET_LEDGER_SLOTS];
	/*
	 * The number of culprits in the kernel's table, and the keys of the first ones, because
	 * reading the whole table takes longer than everything else. Two CPUs may write to the
	 * same place of `first` at once: then `listed` is less than n_culprits.
	 */
	__u32 n_culprits, listed;
	struct et_culprit_key first[ET_LEDGER_FIRST];
};

/* The task that has a CPU. */
struct et_ledger_cpu {
	__u64 since_ns;                 /* since when */
	__u64 offset_ns;                /* our clock minus rq->clock, when that was just updated */
	__u64 hidden_ns, hidden_irq_ns; /* time that rq->clock_task had omitted then */
	__u64 irq_ns, softirq_ns;       /* when the present interrupt began; 0: none */
	__s32 slot;                     /* of the program that it belongs to; -1: none */
	__u32 kernel_thread;
	struct et_task who;
};

struct et_culprit_account {
	__u64 ran_ns;
	__u32 kernel_thread, unused;
	char name[ET_TASK_NAME];
};

#endif
