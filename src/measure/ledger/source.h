/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of the ledger's two sources, BPF and perf, which sum up the accounts. */
#pragma once

#include "base/error.h"
#include "measure/ledger/ledger.h"
#include "measure/ledger/record.h"

#include <sched.h>

struct et_ledger_source {
	const char *name;
	bool interrupts; /* it sees them */
	bool wakeups;    /* likewise */
	/* For programs on these CPUs, NULL: all. Children share the memory; early may be NULL. */
	int (*open)(struct et_ledger_early *early, const cpu_set_t *cpus, void **ctx,
		struct et_ledger_memory **memory, struct et_error *err) ET_CHECK;
	/* Completes the slots and moves all culprits into arrays of ET_LEDGER_CULPRITS. */
	uint32_t (*take)(
		void *ctx, struct et_culprit_key *keys, struct et_culprit_account *accounts);
	/* Reads which task has a CPU. 0 or -errno. */
	int (*read_cpu)(void *ctx, int32_t cpu, struct et_ledger_cpu *out) ET_CHECK;
	void (*close)(void *ctx);
};

/* The BPF half of et_ledger_early(). */
struct et_ledger_early *et_ledger_bpf_early(void);

extern const struct et_ledger_source et_ledger_by_bpf;
extern const struct et_ledger_source et_ledger_by_perf;
