/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger's programs in the kernel, and its tables there. */
#include "measure/ledger/source.h"

#ifdef ET_HAVE_BPF
#include "measure/ledger_object.h"
#include "measure/observe/bpf.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <pthread.h>
#include <signal.h>

struct by_bpf {
	struct et_bpf bpf;
	int cpus_fd, culprits_fd;
};

static void configure(struct bpf_object *o, const void *ctx)
{
	int n_cpus = libbpf_num_possible_cpus();

	(void)ctx;
	if (n_cpus <= 0) /* /sys is not mounted */
		n_cpus = (int)sysconf(_SC_NPROCESSORS_CONF);
	bpf_map__set_max_entries(bpf_object__find_map_by_name(o, "cpus"), (uint32_t)n_cpus);
}

/* Loading in a thread: it changes only this struct, and calls no function of etalon but bpf.h's. */
struct et_ledger_early {
	pthread_t thread;
	bool running;
	struct et_bpf bpf;
	int rc;
};

static int load(struct et_bpf *out)
{
	return et_bpf_try(ledger_object, sizeof(ledger_object), configure, NULL, out);
}

static void *load_early(void *ctx)
{
	struct et_ledger_early *early = ctx;

	early->rc = load(&early->bpf);
	return NULL;
}

struct et_ledger_early *et_ledger_bpf_early(void)
{
	struct et_ledger_early *early = et_calloc(1, sizeof(*early));
	sigset_t all, old;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old); /* signals are for the main thread */
	early->running = pthread_create(&early->thread, NULL, load_early, early) == 0;
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	if (early->running)
		return early;
	free(early);
	return NULL;
}

void et_ledger_early_wait(struct et_ledger_early *early)
{
	if (!early || !early->running)
		return;
	pthread_join(early->thread, NULL);
	early->running = false;
}

void et_ledger_early_end(struct et_ledger_early *early)
{
	if (!early)
		return;
	et_ledger_early_wait(early);
	et_bpf_unload(&early->bpf);
	free(early);
}

static int open_bpf(struct et_ledger_early *early, const cpu_set_t *cpus, void **ctx,
	struct et_ledger_memory **memory, struct et_error *err)
{
	(void)cpus; /* tracepoints cover all CPUs */
	struct et_bpf bpf = { 0 };
	int rc;

	if (early) {
		et_ledger_early_wait(early);
		rc = early->rc;
		bpf = early->bpf;
		early->bpf = (struct et_bpf){ 0 };
	} else {
		rc = load(&bpf);
	}
	if (rc)
		return et_bpf_explain(rc, err);
	struct by_bpf *s = et_calloc(1, sizeof(*s));
	s->bpf = bpf;
	s->cpus_fd = bpf_object__find_map_fd_by_name(bpf.object, "cpus");
	s->culprits_fd = bpf_object__find_map_fd_by_name(bpf.object, "culprits");
	*ctx = s;
	*memory = bpf.variables;
	return 0;
}

static void close_bpf(void *ctx)
{
	struct by_bpf *s = ctx;

	et_bpf_unload(&s->bpf);
	free(s);
}

static uint32_t take_table(
	const struct by_bpf *s, struct et_culprit_key *keys, struct et_culprit_account *accounts)
{
	uint32_t batch = 0, n = ET_LEDGER_CULPRITS;
	int rc = bpf_map_lookup_and_delete_batch(
		s->culprits_fd, NULL, &batch, keys, accounts, &n, NULL);

	return rc == 0 || rc == -ENOENT ? n : 0; /* -ENOENT: the end of the table */
}

static uint32_t take_listed(
	const struct by_bpf *s, struct et_culprit_key *keys, struct et_culprit_account *accounts)
{
	const struct et_ledger_memory *memory = s->bpf.variables;
	uint32_t n = 0;

	for (uint32_t i = 0; i < memory->listed; i++) {
		keys[n] = memory->first[i];
		n += bpf_map_lookup_elem(s->culprits_fd, &keys[n], &accounts[n]) == 0;
		bpf_map_delete_elem(s->culprits_fd, &memory->first[i]);
	}
	return n;
}

static uint32_t take_bpf(
	void *ctx, struct et_culprit_key *keys, struct et_culprit_account *accounts)
{
	const struct by_bpf *s = ctx;
	struct et_ledger_memory *memory = s->bpf.variables;
	bool all_listed = memory->listed == memory->n_culprits && memory->listed <= ET_LEDGER_FIRST;
	uint32_t n = all_listed ? take_listed(s, keys, accounts) : take_table(s, keys, accounts);

	memory->n_culprits = memory->listed = 0;
	return n;
}

static int read_cpu_bpf(void *ctx, int32_t cpu, struct et_ledger_cpu *out)
{
	const struct by_bpf *s = ctx;

	return bpf_map_lookup_elem(s->cpus_fd, &cpu, out);
}

#else

struct et_ledger_early *et_ledger_bpf_early(void)
{
	return NULL;
}

void et_ledger_early_wait(struct et_ledger_early *early)
{
	(void)early;
}

void et_ledger_early_end(struct et_ledger_early *early)
{
	(void)early;
}

static int open_bpf(struct et_ledger_early *early, const cpu_set_t *cpus, void **ctx,
	struct et_ledger_memory **memory, struct et_error *err)
{
	(void)early;
	(void)cpus;
	(void)ctx;
	(void)memory;
	return et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT, "this etalon was built without BPF");
}

#define take_bpf NULL
#define read_cpu_bpf NULL
#define close_bpf NULL
#endif

const struct et_ledger_source et_ledger_by_bpf = {
	.name = "bpf",
	.interrupts = true,
	.wakeups = true,
	.open = open_bpf,
	.take = take_bpf,
	.read_cpu = read_cpu_bpf,
	.close = close_bpf,
};
