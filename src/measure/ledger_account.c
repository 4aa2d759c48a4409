/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/ledger_account.h"
#include "base/alloc.h"
#include "base/u64.h"
#include "measure/ledger_rules.h"

#include <string.h>

/*
 * If the account has seen less than the program's CPU time, the program ran on CPUs that are not
 * watched, or in tasks that were not seen to be created. The kernel's CPU time and the sum of
 * stretches are read from different clocks and at different instants; the tolerance is our choice.
 */
static const uint64_t UNSEEN_NS = 1000000;
enum { UNSEEN_ONE_IN = 10 };

/*
 * At each instant one thing has the home CPU, so all stretches together fit into the window.
 * Anything more means that tasks of the program ran on several CPUs at once. The edges of the
 * window are dated by another clock than the switches; the tolerance is our choice.
 */
static const uint64_t OVERLAP_NS = 50000;
enum { OVERLAP_ONE_IN = 100 };

void et_account_add(struct et_account *a, int32_t pid, const struct et_culprit_account *by)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->list[i].pid == pid) {
			a->list[i].by.ran_ns += by->ran_ns;
			return;
		}
	}
	ET_GROW(a->list, a->n, a->cap);
	a->list[a->n++] = (struct et_account_entry){ .pid = pid, .by = *by };
}

void et_account_free(struct et_account *a)
{
	free(a->list);
	a->list = NULL;
	a->n = a->cap = 0;
}

/* --- the rules of ledger_rules.h, applied to the last stretch of a window --- */

struct closing {
	struct et_ledger_memory memory; /* first: the rules' functions are given this */
	struct et_account *account;
};

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu)
{
	(void)cpu; /* only the home CPU has a stretch to close */
	return &((struct closing *)m)->account->home;
}

static void charge(struct et_ledger_memory *m, __u32 number, __u32 cpu, __u64 to)
{
	charge_stretch(m, number, cpu_state(m, cpu), to);
}

static void charge_culprit(
	struct et_ledger_memory *m, __u32 number, const struct et_ledger_cpu *cpu, __u64 ran_ns)
{
	struct et_culprit_account by = { .ran_ns = ran_ns, .kernel_thread = cpu->kernel_thread };

	(void)number;
	memcpy(by.name, cpu->who.name, sizeof(by.name));
	et_account_add(((struct closing *)m)->account, cpu->who.tgid, &by);
}

/* The task that had the home CPU at the end of the window has not been charged for it yet. */
static void close_last(struct et_account *a, int32_t number)
{
	struct closing c = { .memory.etalon = a->etalon, .account = a };
	/* It is not known how much rq->clock_task has omitted since the last switch: assume 0. */
	struct instant end = { a->slot.t1_ns, a->home.hidden_ns, a->home.hidden_irq_ns };

	c.memory.slots[number] = a->slot;
	end_stretch(&c.memory, &a->home, (__u32)a->slot.home, &end);
	a->slot = c.memory.slots[number];
}

/* --- entering the account into a sample --- */

/* A process that neither snapshots nor exit records show, but the scheduler does. */
static void add_unseen(struct et_sample *s, const struct et_account_entry *e)
{
	struct et_culprit c = { .pid = e->pid,
		.kernel_thread = e->by.kernel_thread,
		.exited = true,
		.cpu_ns = e->by.ran_ns,
		/* It may have run on other CPUs for the rest of the time. */
		.doubt_ns = et_minus_u64(s->measured.elapsed_ns, e->by.ran_ns),
		.on_our_cpu_ns = e->by.ran_ns };
	size_t at = s->measured.n_culprits;

	snprintf(c.name, sizeof(c.name), "%.15s", e->by.name);
	s->measured.culprits =
		et_realloc(s->measured.culprits, at + 1, sizeof(*s->measured.culprits));
	while (at > 0 && s->measured.culprits[at - 1].cpu_ns < c.cpu_ns) {
		s->measured.culprits[at] = s->measured.culprits[at - 1];
		at--;
	}
	s->measured.culprits[at] = c;
	s->measured.n_culprits++;
}

static void enter_culprits(const struct et_account *a, struct et_sample *s)
{
	for (size_t i = 0; i < s->measured.n_culprits; i++)
		s->measured.culprits[i].on_our_cpu_ns = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct et_culprit *found = NULL;
		for (size_t k = 0; k < s->measured.n_culprits; k++) {
			if (s->measured.culprits[k].pid == a->list[i].pid)
				found = &s->measured.culprits[k];
		}
		if (found)
			found->on_our_cpu_ns = a->list[i].by.ran_ns;
		else
			add_unseen(s, &a->list[i]);
	}
}

void et_account_settle(struct et_account *a, int32_t number, struct et_sample *s)
{
	const struct et_slot *slot = &a->slot;
	uint64_t others = 0;

	if (slot->crowded)
		s->ruling.marks |= ET_MARK_LOST_RECORDS;
	if (slot->home < 0 || !slot->t0_ns || !slot->t1_ns || slot->crowded)
		return; /* the program was not seen, or not all of it */
	close_last(a, number);
	if (slot->own_ns + slot->own_ns / UNSEEN_ONE_IN + UNSEEN_NS < s->measured.cpu_ns)
		return;
	for (size_t i = 0; i < a->n; i++)
		others += a->list[i].by.ran_ns;
	others += slot->etalon_ns + slot->partner_ns + slot->unnamed_ns;
	uint64_t slack = s->measured.elapsed_ns / OVERLAP_ONE_IN;
	slack = slack > OVERLAP_NS ? slack : OVERLAP_NS;
	if (slot->own_ns + others + slot->idle_ns > s->measured.elapsed_ns + slack)
		return;
	s->measured.idle_ns = slot->idle_ns;
	if (a->has_interrupts) {
		s->measured.irq_ns = slot->irq_ns;
		s->measured.softirq_ns = slot->softirq_ns;
	}
	/* Interrupts that the kernel does not charge to tasks are not part of cpu_ns. */
	s->measured.others_ns = others + slot->hidden_irq_ns;
	/* Without the kernel's clocks steal stays as /proc/stat counted it, in ticks. */
	if (a->has_hidden)
		s->measured.steal_ns = et_minus_u64(slot->hidden_ns, slot->hidden_irq_ns);
	uint64_t most = et_minus_u64(s->measured.elapsed_ns,
		s->measured.cpu_ns + s->measured.others_ns + s->measured.idle_ns);
	if (s->measured.steal_ns != ET_UNKNOWN && s->measured.steal_ns > most)
		s->measured.steal_ns = most;
	/* Without snapshots it is not known which processes ended and what they used elsewhere. */
	if (!(s->ruling.marks & ET_MARK_NO_SNAPSHOT))
		enter_culprits(a, s);
}
