/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rules by which context switches become an account. They are compiled for the kernel, where
 * BPF sees each switch as it happens, and for etalon, which reads perf's records of switches after
 * the run. The home of a program is the CPU that it runs on, last ran on, or was moved to; at each
 * instant of the window that CPU runs the program, runs another task, or is idle. A file that
 * includes this header must define the three functions declared first.
 */
#ifndef ET_MEASURE_LEDGER_RULES_H
#define ET_MEASURE_LEDGER_RULES_H

#include "measure/ledger_record.h"

#include <stdbool.h>
#include <stddef.h>

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu);
/* Calls charge_stretch(). In the kernel it is a function of its own, see ledger.bpf.c. */
static void charge(struct et_ledger_memory *m, __u32 number, __u32 cpu, __u64 to);
/* Another process had the home CPU of the slot for ran_ns. */
static void charge_culprit(
	struct et_ledger_memory *m, __u32 number, const struct et_ledger_cpu *cpu, __u64 ran_ns);

/* The time of a switch, by the clocks of the scheduler. */
struct instant {
	__u64 ns;
	/* Time that rq->clock_task has omitted since boot: in total, and for interrupts. */
	__u64 hidden_ns, irq_ns;
};

/* How much of the present stretch on a CPU, until `to`, is within the window and at home. */
static inline __u64 stretch_ns(
	const struct et_slot *slot, const struct et_ledger_cpu *cpu, __u64 to)
{
	__u64 from = cpu->since_ns;

	if (from < slot->t0_ns)
		from = slot->t0_ns;
	if (from < slot->home_since_ns)
		from = slot->home_since_ns;
	if (slot->t1_ns && to > slot->t1_ns)
		to = slot->t1_ns;
	return to > from ? to - from : 0;
}

/* Charges the stretch of another task on the home CPU of the slot, until `to`. */
static inline void charge_stretch(
	struct et_ledger_memory *m, __u32 number, const struct et_ledger_cpu *cpu, __u64 to)
{
	struct et_slot *slot = &m->slots[number == 1];
	__u64 ran_ns = stretch_ns(slot, cpu, to);

	if (!ran_ns || cpu->slot == (__s32)number)
		return;
	if (!cpu->who.pid)
		__sync_fetch_and_add(&slot->idle_ns, ran_ns);
	else if (cpu->slot >= 0)
		__sync_fetch_and_add(&slot->partner_ns, ran_ns);
	else if (cpu->who.tgid == m->etalon)
		__sync_fetch_and_add(&slot->etalon_ns, ran_ns);
	else
		charge_culprit(m, number, cpu, ran_ns);
}

static inline void move_home(struct et_ledger_memory *m, __u32 number, int cpu, __u64 now)
{
	struct et_slot *slot = &m->slots[number == 1];

	if (slot->home >= 0)
		charge(m, number, (__u32)slot->home, now);
	slot->before = slot->home;
	slot->home = cpu;
	slot->home_since_ns = now;
}

/* Charges a stretch of the program itself. */
static inline void charge_own(
	struct et_slot *slot, const struct et_ledger_cpu *cpu, const struct instant *now)
{
	__u64 from = cpu->since_ns > slot->t0_ns ? cpu->since_ns : slot->t0_ns;
	__u64 to = slot->t1_ns && now->ns > slot->t1_ns ? slot->t1_ns : now->ns;

	if (to <= from)
		return;
	__sync_fetch_and_add(&slot->own_ns, to - from);
	__sync_fetch_and_add(&slot->hidden_ns, now->hidden_ns - cpu->hidden_ns);
	__sync_fetch_and_add(&slot->hidden_irq_ns, now->irq_ns - cpu->hidden_irq_ns);
}

/* Ends the stretch of the task that has the CPU. */
static inline void end_stretch(struct et_ledger_memory *m, struct et_ledger_cpu *cpu, __u32 here,
	const struct instant *now)
{
	for (int i = 0; i < ET_LEDGER_SLOTS; i++) {
		struct et_slot *slot = &m->slots[i];
		if (!slot->t0_ns)
			continue;
		if (cpu->slot == i)
			charge_own(slot, cpu, now);
		else if (slot->home == (__s32)here)
			charge(m, (__u32)i, here, now->ns);
		if (cpu->slot == i && slot->home < 0)
			move_home(m, (__u32)i, (int)here, now->ns);
	}
}

/* Whether a task of the program still runs on its previous home. */
static inline bool runs_before(struct et_ledger_memory *m, const struct et_slot *slot, int number)
{
	struct et_ledger_cpu *cpu = slot->before >= 0 ? cpu_state(m, (__u32)slot->before) : NULL;

	return cpu && cpu->slot == number;
}

/*
 * Begins the stretch of the task in cpu->who, which belongs to slot `number` (-1: to no program).
 * The home of a program is where a task of it runs: when one of two parallel tasks ends, the home
 * moves to the CPU of the other.
 */
static inline void begin_stretch(
	struct et_ledger_memory *m, struct et_ledger_cpu *cpu, __u32 here, int number, __u64 now)
{
	cpu->since_ns = now;
	cpu->slot = number;
	for (int i = 0; i < ET_LEDGER_SLOTS; i++) {
		struct et_slot *slot = &m->slots[i];
		if (!slot->t0_ns)
			continue;
		if (cpu->slot == i && slot->home != (__s32)here)
			move_home(m, (__u32)i, (int)here, now);
		else if (cpu->slot != i && slot->home == (__s32)here && runs_before(m, slot, i))
			move_home(m, (__u32)i, slot->before, now);
	}
}

#endif
