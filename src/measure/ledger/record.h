/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The data that the sources of the ledger fill in; the kernel and etalon share the layouts. */
#pragma once

#include "measure/trace/sched_record.h"

enum {
	ET_LEDGER_SLOTS = 2,
	ET_LEDGER_CULPRITS = 8192,
	ET_LEDGER_FIRST = 32,
	ET_LEDGER_MEMBERS = 16384,
};

/*
 * The account of one measured program, over its window. At each instant of the window, the program
 * is on a CPU (at least one of its tasks runs), or it is runnable (no task runs, and at least one
 * waits for a CPU), or it is neither. While none of its tasks runs, its home CPU is looked at: that
 * is the CPU which one of its tasks waits for, or on which the last of them ran.
 */
struct et_slot {
	__u64 t0_ns;   /* the begin of the window, written by the child itself; 0: not yet */
	__u64 t1_ns;   /* the end of the window; 0: not yet */
	__u64 last_ns; /* the window is accounted up to here */
	__s32 home;    /* the home CPU; -1: the program was not seen yet */
	__s32 program; /* PID of its first process; 0: not created yet */
	__s32 running, runnable; /* the number of its tasks that run, and that wait for a CPU */
	__u32 crowded;           /* some events were lost for want of memory */
	__u32 unused;
	__u64 busy_ns;   /* the program was on a CPU */
	__u64 idle_ns;   /* no task of it ran, and its home CPU was idle */
	__u64 others_ns; /* no task of it ran, and its home CPU ran another task */
	__u64 taken_ns;  /* the part of others_ns in which the program was runnable */
	__u64 waited_ns; /* the sum of what its tasks were runnable without running */
	__u64 own_ns;    /* the sum of what its tasks ran, more than busy_ns if in parallel */
	/*
	 * While its own tasks ran: the time that rq->clock_task omitted, in total and for
	 * interrupts; and the duration of interrupts.
	 */
	__u64 hidden_ns, hidden_irq_ns;
	__u64 irq_ns, softirq_ns;
};

enum et_ledger_state { ET_TASK_ASLEEP, ET_TASK_RUNNABLE, ET_TASK_RUNNING };

/* A task of a measured program. */
struct et_ledger_task {
	__s32 slot;
	__u32 state; /* enum et_ledger_state */
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

/* The time of a switch, by the clocks of the scheduler. */
struct instant {
	__u64 ns;
	/* Time that rq->clock_task has omitted since boot: in total, and for interrupts. */
	__u64 hidden_ns, irq_ns;
};

/* The task that has a CPU. */
struct et_ledger_cpu {
	__u64 since_ns;                 /* since when */
	__u64 offset_ns;                /* our clock minus rq->clock, when that was just updated */
	__u64 hidden_ns, hidden_irq_ns; /* time that rq->clock_task had omitted then */
	struct instant now;             /* of the switch that is being accounted */
	__u64 irq_ns, softirq_ns;       /* when the present interrupt began; 0: none */
	__s32 slot;                     /* of the program that it belongs to; -1: none */
	__u32 kernel_thread;
	struct et_sched_task who;
};

/* Another process on the home CPU while no task of the program ran. */
struct et_culprit_account {
	__u64 ran_ns;
	__u64 taken_ns; /* the part in which the program was runnable */
	__u32 kernel_thread, unused;
	char name[ET_TASK_NAME];
};
