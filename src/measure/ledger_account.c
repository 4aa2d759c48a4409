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
	struct et_lane *lane = &a->lane;
	const struct et_ledger_cpu *cpu = &a->home;
	uint64_t from = cpu->since_ns;

	if (from < lane->t0_ns)
		from = lane->t0_ns;
	if (from < lane->home_since_ns)
		from = lane->home_since_ns;
	uint64_t rest = minus(lane->t1_ns, from);
	if (!rest)
		return;
	if (cpu->lane == number) {
		lane->own_ns += rest;
	} else if (!cpu->who.pid) {
		lane->idle_ns += rest;
	} else if (cpu->lane >= 0) {
		lane->partner_ns += rest;
	} else if (cpu->who.tgid == a->etalon) {
		lane->etalon_ns += rest;
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
	struct et_interferer who = { .pid = e->pid,
		.kernel_thread = e->by.kernel_thread,
		.exited = true,
		.pt_ns = e->by.ran_ns,
		.doubt_ns = minus(s->et_ns, e->by.ran_ns), /* it may have run elsewhere, too */
		.on_our_cpu_ns = e->by.ran_ns };
	size_t at = s->n_interferers;

	snprintf(who.name, sizeof(who.name), "%.15s", e->by.name);
	s->interferers = et_realloc(s->interferers, at + 1, sizeof(*s->interferers));
	while (at > 0 && s->interferers[at - 1].pt_ns < who.pt_ns) {
		s->interferers[at] = s->interferers[at - 1];
		at--;
	}
	s->interferers[at] = who;
	s->n_interferers++;
}

static void enter_culprits(const struct et_account *a, struct et_sample *s)
{
	for (size_t i = 0; i < s->n_interferers; i++)
		s->interferers[i].on_our_cpu_ns = 0;
	for (size_t i = 0; i < a->n; i++) {
		struct et_interferer *found = NULL;
		for (size_t k = 0; k < s->n_interferers; k++) {
			if (s->interferers[k].pid == a->list[i].pid)
				found = &s->interferers[k];
		}
		if (found)
			found->on_our_cpu_ns = a->list[i].by.ran_ns;
		else
			add_unseen(s, &a->list[i]);
	}
}

void et_account_settle(struct et_account *a, int32_t number, struct et_sample *s)
{
	const struct et_lane *lane = &a->lane;
	uint64_t others = 0;

	if (lane->crowded)
		s->marks |= ET_MARK_LOST_RECORDS;
	if (lane->home < 0 || !lane->t0_ns || !lane->t1_ns || lane->crowded)
		return; /* it was not seen, or not all of it */
	close_last(a, number);
	/* More CPU time than was seen: it ran where nobody looked. */
	if (lane->own_ns + lane->own_ns / 10 + 1000000 < s->pt_ns)
		return;
	for (size_t i = 0; i < a->n; i++)
		others += a->list[i].by.ran_ns;
	others += lane->etalon_ns + lane->partner_ns + lane->unnamed_ns;
	/*
	 * At each instant one thing has the home CPU. More than the window in all: tasks of the
	 * program ran elsewhere at the same time.
	 */
	uint64_t slack = s->et_ns / 100 > 50000 ? s->et_ns / 100 : 50000;
	if (lane->own_ns + others + lane->idle_ns > s->et_ns + slack)
		return;
	s->idle_ns = lane->idle_ns;
	if (a->tells_interrupts) {
		s->irq_ns = lane->irq_ns;
		s->softirq_ns = lane->softirq_ns;
	}
	/* Interrupts that the kernel does not charge to tasks are not in process time. */
	s->others_ns = others + lane->hidden_irq_ns;
	/* Without the kernel's clocks steal is what its ticks have told, here or elsewhere. */
	if (a->tells_hidden)
		s->steal_ns = minus(lane->hidden_ns, lane->hidden_irq_ns);
	uint64_t most = minus(s->et_ns, s->pt_ns + s->others_ns + s->idle_ns);
	if (s->steal_ns != ET_UNKNOWN && s->steal_ns > most)
		s->steal_ns = most;
	enter_culprits(a, s);
}
