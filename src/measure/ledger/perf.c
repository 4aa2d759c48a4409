/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger without BPF. perf's records of context switches and forks stay in a ring buffer of
 * each CPU until the program has ended (reading them earlier would take CPU time from it) and are
 * then put through the same rules. If records are lost, the sample has no account. perf does not
 * report interrupts, steal, or that a waiting task is moved to another CPU: its home moves when it
 * runs. It reports whether a task that left the CPU was still runnable, but not when a task that
 * slept was woken: measure/ledger/account.c estimates how long it waited after that.
 */
#include "base/hash.h"
#include "measure/ledger/rules.h"
#include "measure/ledger/source.h"
#include "measure/trace/sched_source.h"

#include <sys/mman.h>

struct culprit {
	struct et_culprit_key key;
	struct et_culprit_account account;
};

struct by_perf {
	struct et_ledger_memory memory; /* first: the rules' functions are given this */
	void *rings;
	struct et_sched_batch batch;
	struct et_ledger_cpu *cpus; /* n_cpus of them */
	size_t n_cpus;
	struct et_hash members;  /* struct et_ledger_task of each program, by PID */
	struct et_hash culprits; /* struct culprit, by slot and process */
};

/* --- the functions that measure/ledger/rules.h needs --- */

static struct et_ledger_cpu *cpu_state(struct et_ledger_memory *m, __u32 cpu)
{
	return &((struct by_perf *)m)->cpus[cpu];
}

static void charge(struct et_ledger_memory *m, __u32 number, __u64 to)
{
	charge_window(m, number, to);
}

static void charge_culprit(struct et_ledger_memory *m, __u32 number,
	const struct et_ledger_cpu *cpu, __u64 ran_ns, bool taken)
{
	struct et_hash *all = &((struct by_perf *)m)->culprits;
	struct et_culprit_key key = { (__s32)number, cpu->who.tgid };
	uint64_t place = (uint64_t)number << 32 | (uint32_t)key.tgid;

	/* A task that ends has lost its PID by its last switch. */
	if (key.tgid <= 0 || (all->n == ET_LEDGER_CULPRITS && !et_hash_find(all, place)))
		return;
	struct culprit *c = et_hash_put(all, place);
	c->key = key;
	c->account.ran_ns += ran_ns;
	c->account.taken_ns += taken ? ran_ns : 0;
	memcpy(c->account.name, cpu->who.name, sizeof(c->account.name));
}

/* --- records --- */

/* NULL: the task belongs to no program. */
static struct et_ledger_task *member(const struct by_perf *s, int32_t pid)
{
	struct et_ledger_task *t = pid > 0 ? et_hash_find(&s->members, (uint64_t)pid) : NULL;

	return t && t->slot >= 0 ? t : NULL;
}

/* A PID may be reused by a task that belongs to no program (slot -1). */
static struct et_ledger_task *add_member(struct by_perf *s, int32_t pid, int slot)
{
	struct et_ledger_task *known = member(s, pid);

	if (pid <= 0 || (slot < 0 && !known))
		return NULL;
	if (known)
		set_state(&s->memory, known, ET_TASK_ASLEEP,
			(__u32)s->memory.slots[known->slot].home);
	struct et_ledger_task *t = et_hash_put(&s->members, (uint64_t)pid);
	*t = (struct et_ledger_task){ .slot = slot, .state = ET_TASK_ASLEEP };
	return slot < 0 ? NULL : t;
}

static void replay_switch(struct by_perf *s, const struct et_sched_record *r)
{
	struct et_ledger_cpu *cpu = &s->cpus[r->cpu];
	struct et_ledger_task *from = member(s, r->who.pid), *to = member(s, r->next.pid);
	struct instant came = { .ns = r->start_ns }, now = { .ns = r->end_ns };

	if (cpu->who.pid != r->who.pid || cpu->since_ns != r->start_ns) {
		/* The switch to this task was not seen. */
		end_stretch(&s->memory, cpu, r->cpu, member(s, cpu->who.pid), false, &came);
		cpu->who = r->who;
		begin_stretch(&s->memory, cpu, r->cpu, from, came.ns);
	}
	cpu->who = r->who; /* its name may have changed */
	end_stretch(&s->memory, cpu, r->cpu, from, r->runnable, &now);
	cpu->who = r->next;
	begin_stretch(&s->memory, cpu, r->cpu, to, now.ns);
}

/* A new task waits for a CPU: which one is not known before it runs. */
static void replay_fork(struct by_perf *s, const struct et_sched_record *r)
{
	const struct et_ledger_task *parent = member(s, r->who.pid);
	struct et_ledger_task *child = add_member(s, r->next.pid, parent ? parent->slot : -1);

	if (!child)
		return;
	charge(&s->memory, (__u32)child->slot, r->end_ns);
	int32_t home = s->memory.slots[child->slot].home;
	set_state(&s->memory, child, ET_TASK_RUNNABLE, (__u32)home);
}

/* Records are missing, so the accounts of this run are incomplete. */
static void mark_crowded(struct by_perf *s)
{
	for (size_t i = 0; i < ET_LEDGER_SLOTS; i++)
		s->memory.slots[i].crowded = 1;
}

static void replay(struct by_perf *s, const struct et_sched_record *r)
{
	switch (r->kind) {
	case ET_SCHED_RAN:
		if (r->cpu < s->n_cpus) /* CPU numbers may have holes */
			replay_switch(s, r);
		break;
	case ET_RECORD_FORK:
		if (r->who.tgid != s->memory.etalon)
			replay_fork(s, r);
		break;
	case ET_RECORD_GAP:
		mark_crowded(s);
		break;
	}
}

static int by_end(const void *a, const void *b)
{
	const struct et_sched_record *x = a, *y = b;

	return ET_ORDER(x->end_ns, y->end_ns) ?: ET_ORDER(x->start_ns, y->start_ns);
}

static uint32_t take_perf(
	void *ctx, struct et_culprit_key *keys, struct et_culprit_account *accounts)
{
	struct by_perf *s = ctx;
	const struct culprit *c;
	uint64_t lost;
	uint32_t n = 0;
	size_t at = 0;

	/* A loss is also a record ET_RECORD_GAP. */
	if (et_sched_by_perf.drain(s->rings, &s->batch, &lost))
		mark_crowded(s);
	if (s->batch.n)
		qsort(s->batch.records, s->batch.n, sizeof(*s->batch.records), by_end);
	for (size_t i = 0; i < s->n_cpus; i++)
		s->cpus[i] = (struct et_ledger_cpu){ .slot = -1 };
	for (int i = 0; i < ET_LEDGER_SLOTS; i++)
		add_member(s, s->memory.slots[i].program, i);
	for (size_t i = 0; i < s->batch.n; i++)
		replay(s, &s->batch.records[i]);
	while ((c = et_hash_next(&s->culprits, &at))) {
		keys[n] = c->key;
		accounts[n++] = c->account;
	}
	s->batch.n = 0;
	et_hash_free(&s->members);
	et_hash_free(&s->culprits);
	return n;
}

static int read_cpu_perf(void *ctx, int32_t cpu, struct et_ledger_cpu *out)
{
	*out = ((const struct by_perf *)ctx)->cpus[cpu];
	return 0;
}

/* --- opening --- */

static void close_perf(void *ctx)
{
	struct by_perf *s = ctx;

	if (s->rings)
		et_sched_by_perf.close(s->rings);
	et_hash_free(&s->members);
	et_hash_free(&s->culprits);
	free(s->batch.records);
	free(s->cpus);
	munmap(s, sizeof(*s));
}

/*
 * Bytes of the rings of all CPUs, and of one. A switch takes 80 bytes, so 6,500 to 52,000 of them
 * fit. Users without privileges may get a smaller one.
 */
enum { ALL = 32 << 20, LEAST = 512 << 10, MOST = 4 << 20 };

static int open_perf(struct et_ledger_early *early, const cpu_set_t *cpus, void **ctx,
	struct et_ledger_memory **memory, struct et_error *err)
{
	(void)early; /* there is little to do */
	/* Shared: children write into it. */
	struct by_perf *s =
		mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (s == MAP_FAILED)
		return et_fail_errno(
			err, errno, ET_EXIT_OUTSIDE, "cannot allocate memory for the ledger");
	s->members.width = sizeof(struct et_ledger_task);
	s->culprits.width = sizeof(struct culprit);
	s->n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	s->cpus = et_calloc(s->n_cpus, sizeof(*s->cpus));
	size_t share = ALL / (cpus ? (size_t)CPU_COUNT(cpus) : s->n_cpus);
	share = share < LEAST ? LEAST : share > MOST ? MOST : share;
	int rc = et_sched_perf_open(cpus, share, true, &s->rings, err);
	if (rc) {
		close_perf(s);
		return rc;
	}
	*ctx = s;
	*memory = &s->memory;
	return 0;
}

const struct et_ledger_source et_ledger_by_perf = {
	.name = "perf",
	.interrupts = false,
	.wakeups = false,
	.open = open_perf,
	.take = take_perf,
	.read_cpu = read_cpu_perf,
	.close = close_perf,
};
