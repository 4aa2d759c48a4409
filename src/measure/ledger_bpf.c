/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger's programs in the kernel, and its tables there. */
#include "measure/ledger_source.h"

#include <errno.h>

#ifdef ET_HAVE_BPF
#include "base/alloc.h"
#include "measure/bpf.h"
#include "measure/ledger_object.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>

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

static int open_bpf(
	const cpu_set_t *cpus, void **ctx, struct et_ledger_memory **memory, struct et_error *err)
{
	(void)cpus; /* tracepoints cover all CPUs */
	const struct et_bpf_object object = { ledger_object, sizeof(ledger_object) };
	struct et_bpf bpf = { 0 };

	int rc = et_bpf_load(object, configure, NULL, &bpf, err);
	if (rc)
		return rc;
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

static int open_bpf(
	const cpu_set_t *cpus, void **ctx, struct et_ledger_memory **memory, struct et_error *err)
{
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
