/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is behind the stream of witness.h: the two ways to look, and what they hand to it. */
#ifndef ET_MEASURE_SCHED_SOURCE_H
#define ET_MEASURE_SCHED_SOURCE_H

#include "measure/sched_record.h"
#include "measure/sched_stream.h"

#include <sched.h>

/* Records in the order in which their CPU wrote them. */
struct et_sched_batch {
	struct et_sched_record *records;
	size_t n, cap;
};

void et_sched_batch_add(struct et_sched_batch *b, const struct et_sched_record *r);

struct et_sched_source {
	const char *name;
	bool interrupts;
	/* 0 or -errno with err filled. */
	int (*open)(int cpu, size_t capacity_bytes, void **ctx, struct et_error *err);
	/* Adds what is there to the batch, and sets the number lost so far. */
	int (*drain)(void *ctx, struct et_sched_batch *b, uint64_t *lost);
	void (*close)(void *ctx);
};

extern const struct et_sched_source et_sched_by_bpf;
extern const struct et_sched_source et_sched_by_perf;

/* Records that are no et_sched_event: of interest to the ledger alone. */
enum {
	ET_RECORD_FORK = 100, /* who made next */
	ET_RECORD_GAP,        /* records of this CPU were lost */
};

/*
 * Opens et_sched_by_perf on several CPUs, NULL: all. For the ledger its batches also hold the
 * records above, and tasks have the names of their processes.
 */
int et_sched_perf_open(const cpu_set_t *cpus, size_t capacity_bytes, bool for_ledger, void **ctx,
	struct et_error *err) ET_CHECK;

/*
 * The pure half: hands the batch over in order of start on each CPU, with the stretches that are
 * not over split at the last thing seen. edges[cpu] (n_cpus of them, 0 at first) remembers where.
 */
void et_sched_batch_deliver(struct et_sched_batch *b, uint64_t *edges, size_t n_cpus,
	void (*each)(void *ctx, const struct et_sched_event *h), void *ctx);

#endif
