/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The interface of the two sources of sched_stream.h, BPF and perf, and their records. */
#pragma once

#include "measure/trace/sched_record.h"
#include "measure/trace/sched_stream.h"

#include <sched.h>

/* Records in the order in which their CPU wrote them. */
struct et_sched_batch {
	struct et_sched_record *records;
	size_t n, cap;
};

void et_sched_batch_add(struct et_sched_batch *b, const struct et_sched_record *r);

struct et_sched_source {
	const char *name;
	bool interrupts; /* false: the events contain none */
	/* 0 or -errno with err filled. */
	int (*open)(int cpu, size_t capacity_bytes, void **ctx, struct et_error *err) ET_CHECK;
	/* Adds all records to the batch, and sets the number of those lost so far. 0 or -errno. */
	int (*drain)(void *ctx, struct et_sched_batch *b, uint64_t *lost) ET_CHECK;
	void (*close)(void *ctx);
};

extern const struct et_sched_source et_sched_by_bpf;
extern const struct et_sched_source et_sched_by_perf;

/* Kinds of records that are not events; only the ledger needs them. */
enum {
	ET_RECORD_FORK = 100, /* `who` created `next` */
	ET_RECORD_GAP,        /* records of this CPU were lost */
};

/*
 * Opens et_sched_by_perf on several CPUs, NULL: all. With for_ledger its batches also hold the
 * records above, and tasks have the names of their processes instead of their own.
 */
int et_sched_perf_open(const cpu_set_t *cpus, size_t capacity_bytes, bool for_ledger, void **ctx,
	struct et_error *err) ET_CHECK;

/*
 * The pure half: hands out the events of a batch by CPU and start. A stretch that has not ended is
 * handed out up to the last record of its CPU, and continues there in the next call; edges[cpu]
 * (n_cpus of them, 0 at first) remembers the place.
 */
void et_sched_batch_deliver(
	struct et_sched_batch *b, uint64_t *edges, size_t n_cpus, et_sched_fn *each, void *ctx);
