/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is behind the ledger of ledger.h: the memory shared with the kernel, and its tables. */
#ifndef ET_MEASURE_LEDGER_SOURCE_H
#define ET_MEASURE_LEDGER_SOURCE_H

#include "base/error.h"
#include "measure/ledger_record.h"

struct et_ledger_source {
	/* 0 or -errno with err filled. */
	int (*open)(void **ctx, struct et_ledger_memory **memory, struct et_error *err);
	/*
	 * Takes all culprits out of the kernel's table into arrays of ET_LEDGER_CULPRITS; returns
	 * how many.
	 */
	uint32_t (*take)(
		void *ctx, struct et_culprit_key *keys, struct et_culprit_account *accounts);
	/* Who has a CPU. 0 or -errno. */
	int (*look)(void *ctx, int32_t cpu, struct et_ledger_cpu *out);
	void (*close)(void *ctx);
};

extern const struct et_ledger_source et_ledger_by_bpf;

#endif
