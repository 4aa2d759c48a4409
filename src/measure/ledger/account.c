/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/ledger/account.h"
#include "base/u64.h"
#include "measure/ledger/rules.h"

/*
 * If the account has seen less than the program's CPU time, the program ran on CPUs that are not
 * watched, or in tasks that were not seen to be created. The kernel's CPU time and the sum of
 * stretches are read from different clocks and at different instants; the tolerance is our choice.
 */
static const uint64_t UNSEEN_NS = 1000000;
enum { UNSEEN_ONE_IN = 10 };

/*
 * Tasks ran in parallel if the sum of their stretches exceeds the time in which at least one of
 * them ran. Two CPUs may date the same switch a few microseconds apart; the tolerance is our
 * choice.
 */
static const uint64_t PARALLEL_NS = 50000;
enum { PARALLEL_ONE_IN = 100 };

void et_account_add(struct et_account *a, int32_t pid, const struct et_culprit_account *by)
{
	for (size_t i = 0; i < a->n; i++) {
		if (a->list[i].pid == pid) {
			a->list[i].by.ran_ns += by->ran_ns;
			a->list[i].by.taken_ns += by->taken_ns;
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

/* --- the rules of measure/ledger/rules.h, applied to the last stretch of a window --- */

struct closing {
	struct et_ledger_memory memory; /* first: the rules' functions are given this */
	struct et_account *account;
};

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu)
{
	(void)cpu; /* only the home CPU has a stretch to close */
	return &((struct closing *)m)->account->home;
}

static void charge(struct et_ledger_memory *m, __u32 number, __u64 to)
{
	charge_window(m, number, to);
}

static void charge_culprit(struct et_ledger_memory *m, __u32 number,
	const struct et_ledger_cpu *cpu, __u64 ran_ns, bool taken)
{
	struct et_culprit_account by = { .ran_ns = ran_ns,
		.taken_ns = taken ? ran_ns : 0,
		.kernel_thread = cpu->kernel_thread };

	(void)number;
	memcpy(by.name, cpu->who.name, sizeof(by.name));
	et_account_add(((struct closing *)m)->account, cpu->who.tgid, &by);
}

/* The time since the last event has not been charged yet. */
static void close_window(struct et_account *a, int32_t number)
{
	struct closing c = { .memory.etalon = a->etalon, .account = a };
	/* It is not known how much rq->clock_task has omitted since the last switch: assume 0. */
	struct instant end = { a->slot.t1_ns, a->home.hidden_ns, a->home.hidden_irq_ns };

	c.memory.slots[number] = a->slot;
	if (a->home.slot == number)
		charge_own(&c.memory.slots[number], &a->home, &end);
	charge(&c.memory, (__u32)number, end.ns);
	a->slot = c.memory.slots[number];
}

/* --- entering the account into a sample --- */

/* The share of on-CPU time in the sum of the stretches: 1 if one task runs at a time. */
static double serial_part(const struct et_slot *slot)
{
	uint64_t slack = slot->own_ns / PARALLEL_ONE_IN;

	slack = slack > PARALLEL_NS ? slack : PARALLEL_NS;
	return slot->busy_ns + slack < slot->own_ns ? (double)slot->busy_ns / (double)slot->own_ns
						    : 1;
}

/*
 * Whether several tasks wanted a CPU at the same time: they ran in parallel, or one waited while
 * another ran or waited. A program that starts another does so for a moment; the tolerance is our
 * choice.
 */
static bool is_parallel(const struct et_slot *slot)
{
	return serial_part(slot) < 1 ||
	       slot->waited_ns > slot->taken_ns + slot->taken_ns / UNSEEN_ONE_IN + UNSEEN_NS;
}

/*
 * Without records of wake-ups it is not known how long a task waited for a CPU after it had slept.
 * The kernel reports how long the tasks waited in total. The part that preemption does not explain
 * is divided among the processes that ran meanwhile. Where the kernel does not report it, that time
 * remains unexplained. So does that part for parallel tasks: one may have waited while another ran.
 * Returns the unexplained time.
 */
static uint64_t estimate_waits(struct et_account *a, uint64_t wait_ns)
{
	uint64_t unsure = et_minus_u64(a->slot.others_ns, a->slot.taken_ns);

	if (a->has_wakeups || !unsure)
		return 0;
	if (wait_ns == ET_UNKNOWN)
		return unsure;
	uint64_t waited = et_minus_u64(wait_ns, a->slot.waited_ns);
	if (is_parallel(&a->slot))
		return waited < unsure ? waited : unsure;
	double share = waited < unsure ? (double)waited / (double)unsure : 1;
	for (size_t i = 0; i < a->n; i++) {
		struct et_culprit_account *by = &a->list[i].by;
		uint64_t rest = et_minus_u64(by->ran_ns, by->taken_ns);
		by->taken_ns += (uint64_t)((double)rest * share);
	}
	a->slot.taken_ns += (uint64_t)((double)unsure * share);
	return 0;
}

/* A process that neither snapshots nor exit records show, but the scheduler does. */
static void add_unseen(struct et_sample *s, const struct et_account_entry *e)
{
	struct et_culprit c = { .pid = e->pid,
		.kernel_thread = e->by.kernel_thread,
		.exited = true,
		.cpu_ns = e->by.ran_ns,
		/* It may have run on other CPUs for the rest of the time. */
		.doubt_ns = et_minus_u64(s->measured.elapsed_ns, e->by.ran_ns),
		.on_our_cpu_ns = e->by.taken_ns };
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
			found->on_our_cpu_ns = a->list[i].by.taken_ns;
		else
			add_unseen(s, &a->list[i]);
	}
}

/* Enters the shares of the elapsed time; `unknown` of it may be asleep or not. */
static void enter_shares(const struct et_account *a, uint64_t unknown_ns, struct et_measured *m)
{
	const struct et_slot *slot = &a->slot;
	double part = serial_part(slot);
	/* Interrupts that the kernel does not charge to tasks are not part of cpu_ns. */
	uint64_t irq_ns = (uint64_t)((double)slot->hidden_irq_ns * part);

	m->idle_ns = slot->idle_ns;
	m->others_ns = slot->others_ns + irq_ns;
	m->runnable_ns = slot->taken_ns + irq_ns;
	m->asleep_ns = slot->idle_ns + et_minus_u64(slot->others_ns, slot->taken_ns + unknown_ns);
	/* The kernel's sum may exceed what the switches leave for it by a few microseconds. */
	uint64_t on_cpu_ns = (uint64_t)((double)m->cpu_ns * part);
	uint64_t rest_ns = et_minus_u64(m->elapsed_ns, m->others_ns + m->idle_ns);
	m->on_cpu_ns = on_cpu_ns < rest_ns ? on_cpu_ns : rest_ns;
	/* Without the kernel's clocks steal stays as /proc/stat counted it, in ticks. */
	if (a->has_hidden)
		m->steal_ns = et_minus_u64(slot->hidden_ns, slot->hidden_irq_ns);
	double most_ns = (double)(rest_ns - m->on_cpu_ns) / part;
	if (m->steal_ns != ET_UNKNOWN && (double)m->steal_ns > most_ns)
		m->steal_ns = (uint64_t)most_ns;
}

void et_account_settle(struct et_account *a, int32_t number, struct et_sample *s)
{
	struct et_slot *slot = &a->slot;

	if (slot->crowded)
		s->ruling.marks |= ET_MARK_LOST_RECORDS;
	if (slot->home < 0 || !slot->t0_ns || !slot->t1_ns || slot->crowded)
		return; /* the program was not seen, or not all of it */
	close_window(a, number);
	if (slot->own_ns + slot->own_ns / UNSEEN_ONE_IN + UNSEEN_NS < s->measured.cpu_ns)
		return;
	enter_shares(a, estimate_waits(a, s->measured.wait_ns), &s->measured);
	if (a->has_interrupts) {
		s->measured.irq_ns = slot->irq_ns;
		s->measured.softirq_ns = slot->softirq_ns;
		/* With CONFIG_IRQ_TIME_ACCOUNTING the kernel hides interrupts from CPU time. */
		if (a->has_hidden)
			s->measured.irq_in_cpu_ns =
				et_minus_u64(slot->irq_ns + slot->softirq_ns, slot->hidden_irq_ns);
	}
	/* Without snapshots it is not known which processes ended and what they used elsewhere. */
	if (!(s->ruling.marks & ET_MARK_NO_SNAPSHOT))
		enter_culprits(a, s);
}
