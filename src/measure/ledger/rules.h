/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules by which context switches and wake-ups become an account. They are compiled for the
 * kernel, where BPF sees each event as it happens, and for etalon, which reads perf's records of
 * switches after the run. Every instant of a window is charged once: each event charges the time
 * since the last one to the state that the program was in (see struct et_slot), so the parts always
 * add up to the window. A file that includes this header must define the three functions declared
 * first.
 */
#pragma once

#include "measure/ledger/record.h"

#include <stdbool.h>
#include <stddef.h>

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu);
/* Calls charge_window(). In the kernel it is a function of its own, see ledger.bpf.c. */
static void charge(struct et_ledger_memory *m, __u32 number, __u64 to);
/* Another process had the home CPU of the slot for ran_ns; taken: the program was runnable. */
static void charge_culprit(struct et_ledger_memory *m, __u32 number,
	const struct et_ledger_cpu *cpu, __u64 ran_ns, bool taken);

/*
 * Takes the time from the last event until `to`, as far as it is in the window, for the caller to
 * charge. Two CPUs may try at once; then only one of them gets it.
 */
static inline __u64 take_time(struct et_slot *slot, __u64 to)
{
	__u64 last = slot->last_ns;

	if (to <= last || !__sync_bool_compare_and_swap(&slot->last_ns, last, to))
		return 0;
	__u64 from = last > slot->t0_ns ? last : slot->t0_ns;
	if (slot->t1_ns && to > slot->t1_ns)
		to = slot->t1_ns;
	return to > from ? to - from : 0;
}

/* Charges the time since the last event to the present state of the program. */
static inline void charge_window(struct et_ledger_memory *m, __u32 number, __u64 to)
{
	struct et_slot *slot = &m->slots[number == 1];
	__u64 ns = slot->t0_ns ? take_time(slot, to) : 0;

	if (!ns)
		return;
	if (slot->runnable > 0)
		__sync_fetch_and_add(&slot->waited_ns, ns * (__u64)slot->runnable);
	if (slot->running > 0) {
		__sync_fetch_and_add(&slot->busy_ns, ns);
		return;
	}
	struct et_ledger_cpu *cpu = slot->home >= 0 ? cpu_state(m, (__u32)slot->home) : NULL;
	if (!cpu)
		return;
	if (!cpu->who.pid) {
		__sync_fetch_and_add(&slot->idle_ns, ns);
		return;
	}
	__sync_fetch_and_add(&slot->others_ns, ns);
	if (slot->runnable > 0)
		__sync_fetch_and_add(&slot->taken_ns, ns);
	/* The partner of a duet and etalon itself are no culprits. */
	if (cpu->slot < 0 && cpu->who.tgid != m->etalon)
		charge_culprit(m, number, cpu, ns, slot->runnable > 0);
}

static inline void count_task(struct et_slot *slot, __u32 state, int change)
{
	if (state == ET_TASK_RUNNING)
		__sync_fetch_and_add(&slot->running, change);
	else if (state == ET_TASK_RUNNABLE)
		__sync_fetch_and_add(&slot->runnable, change);
}

/*
 * The task changes its state, on this CPU. The time until now must have been charged. While a task
 * waits for a CPU, that CPU is home, whatever others of the program do.
 */
static inline void set_state(
	struct et_ledger_memory *m, struct et_ledger_task *t, __u32 state, __u32 cpu)
{
	struct et_slot *slot = &m->slots[t->slot == 1];

	if (t->state != state) {
		count_task(slot, t->state, -1);
		count_task(slot, state, 1);
		t->state = state;
	}
	if (state == ET_TASK_RUNNABLE || slot->runnable <= 0 || slot->home < 0)
		slot->home = (__s32)cpu;
}

/* Charges a stretch of a task of the program. */
static inline void charge_own(
	struct et_slot *slot, const struct et_ledger_cpu *cpu, const struct instant *now)
{
	__u64 from = cpu->since_ns > slot->t0_ns ? cpu->since_ns : slot->t0_ns;
	__u64 to = slot->t1_ns && now->ns > slot->t1_ns ? slot->t1_ns : now->ns;

	if (!slot->t0_ns || to <= from)
		return;
	__sync_fetch_and_add(&slot->own_ns, to - from);
	__sync_fetch_and_add(&slot->hidden_ns, now->hidden_ns - cpu->hidden_ns);
	__sync_fetch_and_add(&slot->hidden_irq_ns, now->irq_ns - cpu->hidden_irq_ns);
}

/* Charges each program that is concerned if a task of this slot (-1: of none) leaves a CPU. */
static inline void charge_switch(struct et_ledger_memory *m, __u32 here, int slot, __u64 now)
{
	for (int i = 0; i < ET_LEDGER_SLOTS; i++) {
		if (m->slots[i].home == (__s32)here || slot == i)
			charge(m, (__u32)i, now);
	}
}

/* The task in cpu->who leaves the CPU; `task` is NULL if it belongs to no program. */
static inline void end_stretch(struct et_ledger_memory *m, struct et_ledger_cpu *cpu, __u32 here,
	struct et_ledger_task *task, bool runnable, const struct instant *now)
{
	charge_switch(m, here, task ? task->slot : -1, now->ns);
	if (task) {
		charge_own(&m->slots[task->slot == 1], cpu, now);
		set_state(m, task, runnable ? ET_TASK_RUNNABLE : ET_TASK_ASLEEP, here);
	}
	cpu->hidden_ns = now->hidden_ns;
	cpu->hidden_irq_ns = now->irq_ns;
}

/* The task in cpu->who gets the CPU. */
static inline void begin_stretch(struct et_ledger_memory *m, struct et_ledger_cpu *cpu, __u32 here,
	struct et_ledger_task *task, __u64 now)
{
	cpu->since_ns = now;
	cpu->slot = task ? task->slot : -1;
	if (!task)
		return;
	charge(m, (__u32)task->slot, now);
	set_state(m, task, ET_TASK_RUNNING, here);
}
