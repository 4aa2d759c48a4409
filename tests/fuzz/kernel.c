/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: records of the kernel. */
#include "base/base.h"
#include "fuzz.h"
#include "measure/ledger/account.h"
#include "measure/ledger/source.h"
#include "measure/observe/snapshot.h"
#include "measure/observe/taskstats.h"
#include "measure/trace/sched_source.h"
#include "profile/sampling/record.h"
#include "profile/sampling/sampler.h"

#include <string.h>

enum { FAMILY = 29 };

/* Exit records: a message of netlink, and the tree of processes that is made of the records. */
static int fuzz_netlink(const uint8_t *data, size_t size)
{
	struct et_exits exits = { 0 };
	/* A received message is aligned. */
	int rc = size >= 16 ? et_taskstats_decode(data, size, FAMILY, et_exits_add, &exits) : -1;

	for (size_t i = 0; i < exits.n; i++) {
		FUZZ_CHECK(exits.records[i].pid > 0);
		FUZZ_CHECK(strlen(exits.records[i].name) < sizeof(exits.records[i].name));
	}
	bool accepted = rc == 0 && exits.n;
	if (exits.n) {
		struct et_snapshot before = { 0 }, after = { 0 };
		struct et_proc_reader reader = { .root = "/none", .proc_fd = -1, .loadavg_fd = -1 };
		struct et_culprit *culprits = NULL;
		size_t n = exits.n;
		et_exits_claim(&exits, exits.records[0].pid, exits.records[n - 1].ppid);
		FUZZ_CHECK(et_snapshot_compare(
				   &reader, &before, &after, &exits, 1, 4000000, &culprits) <= n);
		free(culprits);
	}
	et_exits_free(&exits);
	return accepted;
}

FUZZ_TARGET(netlink) = { "netlink", fuzz_netlink, 20000, .binary = true,
	.input = "exit records (taskstats)",
	.holds = "positive PIDs; no more culprits than records" };

static void take_event(void *ctx, const struct et_sched_event *h)
{
	uint64_t *n = ctx;

	FUZZ_CHECK(strlen(h->name) < sizeof(h->name));
	++*n;
}

static void stream_perf(uint64_t *events)
{
	struct et_sched_batch batch = { 0 };
	uint64_t edges[2] = { 0 }, lost = 0;
	struct et_error err;
	cpu_set_t cpus;
	void *ctx;

	CPU_ZERO(&cpus);
	for (int i = 0; i < 2 && i < sysconf(_SC_NPROCESSORS_CONF); i++)
		CPU_SET(i, &cpus);
	FUZZ_CHECK(et_sched_perf_open(&cpus, 4096, false, &ctx, &err) == 0);
	(void)!et_sched_by_perf.drain(ctx, &batch, &lost);
	et_sched_batch_deliver(&batch, edges, 2, take_event, events);
	et_sched_by_perf.close(ctx);
	free(batch.records);
}

/* The window of the slots is in the last bytes of the input, so that records fall into it. */
static void account_perf(const uint8_t *data, size_t size)
{
	static struct et_culprit_key keys[ET_LEDGER_CULPRITS];
	static struct et_culprit_account accounts[ET_LEDGER_CULPRITS];
	struct et_ledger_memory *memory;
	struct et_ledger_cpu cpu;
	struct et_error err;
	uint64_t window[4] = { 1, 2, UINT64_MAX / 2, 3 };
	void *ctx;

	FUZZ_CHECK(et_ledger_by_perf.open(NULL, NULL, &ctx, &memory, &err) == 0);
	if (size > sizeof(window))
		memcpy(window, data + size - sizeof(window), sizeof(window));
	memory->etalon = 7;
	for (int i = 0; i < ET_LEDGER_SLOTS; i++) {
		memory->slots[i].home = -1;
		memory->slots[i].program = (int32_t)(window[0] & 0xffff) + i;
		memory->slots[i].t0_ns = window[1];
		memory->slots[i].t1_ns = window[2];
	}
	uint32_t n = et_ledger_by_perf.take(ctx, keys, accounts);
	FUZZ_CHECK(n <= ET_LEDGER_CULPRITS);
	for (int i = 0; i < ET_LEDGER_SLOTS; i++) {
		int32_t home = memory->slots[i].home;
		FUZZ_CHECK(home < (int32_t)sysconf(_SC_NPROCESSORS_CONF));
		if (home >= 0)
			FUZZ_CHECK(et_ledger_by_perf.read_cpu(ctx, home, &cpu) == 0);
	}
	et_ledger_by_perf.close(ctx);
}

/* Ring buffers of perf: the records of two CPUs, as a stream and as an account. */
static int fuzz_perf(const uint8_t *data, size_t size)
{
	uint64_t events = 0;

	if (!size)
		return 0;
	fuzz_rings_set(data, size);
	stream_perf(&events);
	fuzz_rings_set(data, size);
	account_perf(data, size);
	fuzz_rings_set(NULL, 0);
	return events > 0;
}

FUZZ_TARGET(perf) = { "perf", fuzz_perf, 5000, .binary = true,
	.input = "perf's ring buffers, as a stream and as the ledger",
	.holds = "no more culprits than fit; the home CPU exists" };

/* Feeds whole records to the sampler, as a ring does. */
static void feed(struct et_sampler *s, const uint8_t *data, size_t size)
{
	_Alignas(8) char body[UINT16_MAX + 1];
	struct perf_event_header h;

	while (size >= sizeof(h)) {
		memcpy(&h, data, sizeof(h));
		if (h.size < sizeof(h) || h.size > size)
			break;
		memcpy(body, data + sizeof(h), h.size - sizeof(h));
		body[h.size - sizeof(h)] = '\0';
		et_sampler_take(s, &h, body, h.size - sizeof(h));
		data += h.size;
		size -= h.size;
	}
}

/* Records of a profile; before them, how samples are laid out and the PID of the program. */
static int fuzz_samples(const uint8_t *data, size_t size)
{
	struct et_event_kind kind = { .sample_type = ET_SAMPLE_TYPE };
	struct et_profile_plan plan = et_default_profile_plan;
	uint32_t head[2];
	uint64_t sum = 0;

	if (size < sizeof(head))
		return 0;
	memcpy(head, data, sizeof(head));
	if (head[0] & 1) {
		plan.chains = ET_CHAINS_FP;
		kind.sample_type |= PERF_SAMPLE_CALLCHAIN;
	}
	if (head[0] & 2) {
		plan.chains = ET_CHAINS_DWARF;
		kind.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
		kind.regs = et_unwind_registers();
	}
	struct et_profile *p = et_profile_new(&plan);
	struct et_sampler *s = et_sampler_new("/nonexistent", p, &kind);
	et_sampler_begin(s, (pid_t)head[1], 0, 10000000);
	feed(s, data + sizeof(head), size - sizeof(head));
	et_sampler_process(s, UINT64_MAX);
	struct et_profile_run *run = et_sampler_end(s);
	for (size_t i = 0; i < run->n_counts; i++) {
		FUZZ_CHECK(run->counts[i].node < p->n_nodes);
		FUZZ_CHECK(run->counts[i].at_entry <= run->counts[i].samples);
		sum += run->counts[i].samples;
	}
	FUZZ_CHECK(sum == run->samples && run->samples <= et_sampler_taken(s));
	bool accepted = run->samples > 0;
	et_profile_run_free(run);
	et_sampler_free(s);
	et_profile_free(p);
	return accepted;
}

FUZZ_TARGET(samples) = { "samples", fuzz_samples, 5000, .binary = true,
	.input =
		"perf's records of a profile: samples with call chains and stacks, mappings, forks",
	.holds = "the counts of the run add up to its samples, each in a context of the profile" };

/* Records as BPF's ring buffer has them: events are handed out by CPU and start. */
static int fuzz_sched(const uint8_t *data, size_t size)
{
	struct et_sched_batch batch = { 0 };
	struct et_sched_record r;
	uint64_t edges[4] = { 0 }, events = 0;

	for (size_t at = 0; at + sizeof(r) <= size; at += sizeof(r)) {
		memcpy(&r, data + at, sizeof(r));
		et_sched_batch_add(&batch, &r);
		if (batch.n == 64)
			et_sched_batch_deliver(&batch, edges, 4, take_event, &events);
	}
	et_sched_batch_deliver(&batch, edges, 4, take_event, &events);
	free(batch.records);
	return events > 0;
}

FUZZ_TARGET(sched) = { "sched", fuzz_sched, 10000, .binary = true,
	.input = "records of BPF's ring buffer", .holds = "names are terminated" };

/* The account of a sample from the block of memory that BPF fills. */
static int fuzz_account(const uint8_t *data, size_t size)
{
	struct et_account a = { .etalon = 7 };
	struct et_sample s = { 0 };
	struct {
		int32_t pid, flags;
		struct et_culprit_account by;
	} entry;
	size_t at = sizeof(a.slot) + sizeof(a.home) + 2 * sizeof(uint64_t);

	if (size < at)
		return 0;
	memcpy(&a.slot, data, sizeof(a.slot));
	memcpy(&a.home, data + sizeof(a.slot), sizeof(a.home));
	memcpy(&s.measured.elapsed_ns, data + at - 2 * sizeof(uint64_t), sizeof(uint64_t));
	memcpy(&s.measured.cpu_ns, data + at - sizeof(uint64_t), sizeof(uint64_t));
	a.has_hidden = size & 8;
	a.has_interrupts = size & 16;
	for (; at + sizeof(entry) <= size; at += sizeof(entry)) {
		memcpy(&entry, data + at, sizeof(entry));
		et_account_add(&a, entry.pid, &entry.by);
	}
	et_account_settle(&a, 0, &s);
	for (size_t i = 0; i < s.measured.n_culprits; i++)
		FUZZ_CHECK(
			strnlen(s.measured.culprits[i].name, sizeof(s.measured.culprits[i].name)) <
			sizeof(s.measured.culprits[i].name));
	free(s.measured.culprits);
	et_account_free(&a);
	return 1;
}

FUZZ_TARGET(account) = { "account", fuzz_account, 10000, .binary = true,
	.input = "the ledger's block of memory, which BPF fills", .holds = "names are terminated" };
