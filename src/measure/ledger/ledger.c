/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/ledger/ledger.h"
#include "base/clock.h"
#include "base/sysroot.h"
#include "measure/child/run.h"
#include "measure/ledger/account.h"
#include "measure/ledger/source.h"
#include "model/sample/executor.h"

_Static_assert((int)ET_LEDGER_SLOTS == (int)ET_SLOTS, "the kernel's side has the same slots");

struct ledger {
	const struct et_ledger_source *source;
	void *ctx;
	struct et_ledger_memory *memory; /* shared with the kernel, and with children */
	/* The accounts that fill() took from it. */
	struct et_ledger_memory end;
	struct et_ledger_cpu homes[ET_LEDGER_SLOTS];
	struct et_culprit_key *keys;
	struct et_culprit_account *culprits;
	uint32_t n;
};

/* In the order of enum et_sched_way; BPF is preferred because it also reports interrupts. */
static const struct et_ledger_source *const sources[] = { &et_ledger_by_bpf, &et_ledger_by_perf };

/*
 * Inside a PID namespace BPF reports other process IDs than those that we see, and perf reports
 * all processes outside of it as PID 0, like the idle task.
 */
static bool in_first_namespace(void)
{
	static const char first[] = "pid:[4026531836]"; /* PROC_PID_INIT_INO */
	char text[64];

	return et_sysroot_link("", "/proc/self/ns/pid", text, sizeof(text)) > 0 &&
	       !strcmp(text, first);
}

struct et_ledger_early *et_ledger_early(void)
{
	return in_first_namespace() ? et_ledger_bpf_early() : NULL;
}

static int open_source(
	struct ledger *l, const struct et_observer_setup *setup, struct et_error *err)
{
	struct et_error why[ET_LENGTH(sources)];
	int rc = 0;

	if (!in_first_namespace())
		return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
			"cannot watch the CPU inside a PID namespace: kernel events carry the "
			"host's process IDs");
	if (setup->sched_way != ET_SCHED_ANY) {
		l->source = sources[setup->sched_way - ET_SCHED_BPF];
		return l->source->open(setup->early, setup->cpus, &l->ctx, &l->memory, err);
	}
	for (size_t i = 0; i < ET_LENGTH(sources); i++) {
		l->source = sources[i];
		rc = l->source->open(setup->early, setup->cpus, &l->ctx, &l->memory, &why[i]);
		if (rc == 0)
			return 0;
	}
	return et_fail(err, -rc, ET_EXIT_ENVIRONMENT, "%.200s; %.200s", why[0].what, why[1].what);
}

static int open_ledger(const struct et_observer_setup *setup, void **self, struct et_error *err)
{
	struct ledger *l = et_calloc(1, sizeof(*l));
	int rc = open_source(l, setup, err);

	if (rc) {
		free(l);
		return rc;
	}
	l->keys = et_calloc(ET_LEDGER_CULPRITS, sizeof(*l->keys));
	l->culprits = et_calloc(ET_LEDGER_CULPRITS, sizeof(*l->culprits));
	*self = l;
	return 0;
}

static void close_ledger(void *self)
{
	struct ledger *l = self;

	l->source->close(l->ctx);
	free(l->keys);
	free(l->culprits);
	free(l);
}

static void stop(struct ledger *l)
{
	__atomic_store_n(&l->memory->armed_ns, 0, __ATOMIC_RELEASE);
}

/* Begins to watch, with empty accounts. The next children that etalon makes are the programs. */
static void before(void *self, struct et_run *run)
{
	struct ledger *l = self;
	struct et_slot *slots = l->memory->slots;

	for (size_t i = 0; i < run->n_children; i++) {
		run->setups[i].begin_ns = (uint64_t *)&slots[i].t0_ns;
		run->waits[i].end_ns = (uint64_t *)&slots[i].t1_ns;
	}
	stop(l);
	l->source->take(l->ctx, l->keys, l->culprits); /* drop what a failed run left */
	memset(slots, 0, sizeof(l->memory->slots));
	for (size_t i = 0; i < ET_LEDGER_SLOTS; i++)
		slots[i].home = -1;
	l->memory->etalon = getpid();
	l->memory->wanted = (uint32_t)run->n_children;
	l->memory->born = 0;
	__atomic_store_n(&l->memory->armed_ns, et_clock_read_ns(CLOCK_MONOTONIC), __ATOMIC_RELEASE);
}

static int attach(void *self, struct et_run *run, struct et_error *err)
{
	struct ledger *l = self;

	(void)err;
	for (size_t i = 0; i < run->n_children; i++)
		l->memory->slots[i].program = run->waits[i].pid;
	return 0;
}

static void after(void *self, struct et_run *run)
{
	(void)run;
	stop(self); /* takes no time */
}

/* Enters a slot's account into its sample, whose times and culprits are known by now. */
static void settle(const struct ledger *l, size_t slot, struct et_sample *s)
{
	struct et_account a = { .slot = l->end.slots[slot],
		.home = l->homes[slot],
		.etalon = l->end.etalon,
		.has_hidden = l->end.has_hidden,
		.has_interrupts = l->source->interrupts,
		.has_wakeups = l->source->wakeups };

	for (uint32_t i = 0; i < l->n; i++) {
		if (l->keys[i].slot == (int32_t)slot)
			et_account_add(&a, l->keys[i].tgid, &l->culprits[i]);
	}
	et_account_settle(&a, (int32_t)slot, s);
	et_account_free(&a);
}

/* Takes the accounts from the kernel, once per run. */
static void fill(void *self, struct et_run *run, struct et_sample *samples)
{
	struct ledger *l = self;

	l->n = l->source->take(l->ctx, l->keys, l->culprits);
	l->end = *l->memory;
	for (size_t i = 0; i < ET_LEDGER_SLOTS; i++) {
		int32_t home = l->end.slots[i].home;
		if (home >= 0 && l->source->read_cpu(l->ctx, home, &l->homes[i]) < 0)
			l->end.slots[i].home = -1;
	}
	for (size_t i = 0; i < run->n; i++)
		settle(l, i, &samples[i]);
}

static const char *source(const void *self)
{
	return ((const struct ledger *)self)->source->name;
}

const struct et_observer et_observe_ledger = {
	.name = "ledger",
	.on_request = true,
	.open = open_ledger,
	.before = before,
	.attach = attach,
	.after = after,
	.fill = fill,
	.source = source,
	.close = close_ledger,
};
