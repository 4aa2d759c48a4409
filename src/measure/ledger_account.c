/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/ledger_account.h"
#include "base/alloc.h"

#include <string.h>

static uint64_t minus(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

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

/* Whoever has the home CPU since before the window's end has not been charged for it yet. */
static void close_last(struct et_account *a, int32_t number)
{
	struct et_slot *slot = &a->slot;
	const struct et_ledger_cpu *cpu = &a->home;
	uint64_t from = cpu->since_ns;

	if (from < slot->t0_ns)
		from = slot->t0_ns;
	if (from < slot->home_since_ns)
		from = slot->home_since_ns;
	uint64_t rest = minus(slot->t1_ns, from);
	if (!rest)
		return;
	if (cpu->slot == number) {
		slot->own_ns += rest;
	} else if (!cpu->who.pid) {
		slot->idle_ns += rest;
	} else if (cpu->slot >= 0) {
		slot->partner_ns += rest;
	} else if (cpu->who.tgid == a->etalon) {
		slot->etalon_ns += rest;
	} else {
		struct et_culprit_account by = { .ran_ns = rest,
			.kernel_thread = cpu->kernel_thread };
		memcpy(by.name, cpu->who.name, sizeof(by.name));
		et_account_add(a, cpu->who.tgid, &by);
	}
}

/* The list has those that pictures and exit records tell of; the scheduler may know more. */
static void add_unseen(struct et_sample *s, const struct et_account_entry *e)
{
	struct et_culprit who = { .pid = e->pid,
		.kernel_thread = e->by.kernel_thread,
		.exited = true,
		.cpu_ns = e->by.ran_ns,
		.doubt_ns = minus(
			s->measured.elapsed_ns, e->by.ran_ns), /* it may have run elsewhere, too */
		.on_our_cpu_ns = e->by.ran_ns };
	size_t at = s->measured.n_culprits;

	snprintf(who.name, sizeof(who.name), "%.15s", e->by.name);
	s->measured.culprits =
		et_realloc(s->measured.culprits, at + 1, sizeof(*s->measured.culprits));
	while (at > 0 && s->measured.culprits[at - 1].cpu_ns < who.cpu_ns) {
		s->measured.culprits[at] = s->measured.culprits[at - 1];
		at--;
	}
	s->measured.culprits[at] = who;
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
		return; /* it was not seen, or not all of it */
	close_last(a, number);
	/* More CPU time than was seen: it ran where nobody looked. */
	if (slot->own_ns + slot->own_ns / 10 + 1000000 < s->measured.cpu_ns)
		return;
	for (size_t i = 0; i < a->n; i++)
		others += a->list[i].by.ran_ns;
	others += slot->etalon_ns + slot->partner_ns + slot->unnamed_ns;
	/*
	 * At each instant one thing has the home CPU. More than the window in all: tasks of the
	 * program ran elsewhere at the same time.
	 */
	uint64_t slack =
		s->measured.elapsed_ns / 100 > 50000 ? s->measured.elapsed_ns / 100 : 50000;
	if (slot->own_ns + others + slot->idle_ns > s->measured.elapsed_ns + slack)
		return;
	s->measured.idle_ns = slot->idle_ns;
	if (a->tells_interrupts) {
		s->measured.irq_ns = slot->irq_ns;
		s->measured.softirq_ns = slot->softirq_ns;
	}
	/* Interrupts that the kernel does not charge to tasks are not in process time. */
	s->measured.others_ns = others + slot->hidden_irq_ns;
	/* Without the kernel's clocks steal is what its ticks have told, here or elsewhere. */
	if (a->tells_hidden)
		s->measured.steal_ns = minus(slot->hidden_ns, slot->hidden_irq_ns);
	uint64_t most = minus(s->measured.elapsed_ns,
		s->measured.cpu_ns + s->measured.others_ns + s->measured.idle_ns);
	if (s->measured.steal_ns != ET_UNKNOWN && s->measured.steal_ns > most)
		s->measured.steal_ns = most;
	/* Without snapshots it is not known which processes ended and what they used elsewhere. */
	if (!(s->ruling.marks & ET_MARK_NO_SNAPSHOT))
		enter_culprits(a, s);
}
