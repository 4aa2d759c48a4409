/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the ledger's sources fill in: one block of memory and two tables, which the BPF programs and
 * the tool share.
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
	__u64 t0_ns;         /* the window's begin, written by the child itself; 0: not yet */
	__u64 t1_ns;         /* its end; 0: not yet */
	__u64 home_since_ns; /* since when it is at home on that CPU */
	__s32 home;          /* the CPU it runs on, or waits for; -1: not seen yet */
	__s32 before;        /* its home before that one */
	__u32 crowded;       /* not all was seen: there was no room for it */
	__s32 program;       /* its first process, once it is made; 0: none */
	__u64 own_ns;        /* its tasks had a CPU */
	__u64 idle_ns;       /* nobody had its CPU */
	__u64 etalon_ns;     /* we ourselves had it */
	__u64 partner_ns;    /* the other program had it */
	__u64 unnamed_ns;    /* of culprits for whom there was no room */
	/* While it had the CPU: what the scheduler's clock of tasks left out, in all and for
	 * interrupts; and the interrupts' own times. */
	__u64 hidden_ns, hidden_irq_ns;
	__u64 irq_ns, softirq_ns;
};

struct et_culprit_key {
	__s32 slot, tgid;
};

struct et_ledger_memory {
	__u64 armed_ns;     /* since when switches are looked at; 0: they are not */
	__s32 etalon;       /* our process */
	__u32 tells_hidden; /* the kernel's clocks could be read */
	__u32 wanted, born; /* programs of this take, and how many of them are made */
	struct et_slot slots[ET_LEDGER_SLOTS];
	/*
	 * Culprits in the kernel's table, and the first of them by their keys: to go through the
	 * whole table takes longer than all else. Two at the same time may both be written to one
	 * place: fewer are listed then than there are.
	 */
	__u32 n_culprits, listed;
	struct et_culprit_key first[ET_LEDGER_FIRST];
};

/* Who has a CPU, and since when. */
struct et_ledger_cpu {
	__u64 since_ns;
	__u64 offset_ns;                /* our clock less the scheduler's when that is fresh */
	__u64 hidden_ns, hidden_irq_ns; /* the scheduler's clocks at that time */
	__u64 irq_ns, softirq_ns;       /* when the interrupt that goes on began; 0: none */
	__s32 slot;                     /* whose task it is; -1: nobody's */
	__u32 kernel_thread;
	struct et_task who;
};

struct et_culprit_account {
	__u64 ran_ns;
	__u32 kernel_thread, unused;
	char name[ET_TASK_NAME];
};

#endif
