/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A stream of the kernel's scheduler and interrupt events, for `etalon trace`: which task ran on
 * which CPU, and when. The source is BPF if the kernel has BTF and allows it, otherwise perf's
 * records of context switches, which contain no interrupts. The account of a sample, which is
 * summed up in the kernel, is in ledger.h. Times are CLOCK_MONOTONIC.
 */
#pragma once

#include "base/error.h"

struct et_sched_stream;
struct et_sched_source; /* sched_source.h */

/* The source of events. */
enum et_sched_way {
	ET_SCHED_ANY, /* BPF, or perf if there is no BPF */
	ET_SCHED_BPF,
	ET_SCHED_PERF,
};

enum et_sched_event_kind {
	ET_SCHED_RAN,     /* a task had the CPU; pid 0 is the idle task */
	ET_SCHED_IRQ,     /* a hard interrupt other than the timer's, with the device's name */
	ET_SCHED_TIMER,   /* the local timer interrupt */
	ET_SCHED_SOFTIRQ, /* a soft interrupt, with the name of its vector */
};

struct et_sched_event {
	enum et_sched_event_kind kind;
	int32_t cpu;
	int32_t pid;  /* of ET_SCHED_RAN: the thread */
	int32_t tgid; /* its process */
	char name[16];
	uint64_t start_ns, duration_ns;
};

typedef void et_sched_fn(void *ctx, const struct et_sched_event *h);

/*
 * Opens the stream for one CPU, or all with -1. capacity_bytes bounds the kernel's ring buffer
 * (perf has one per CPU); records that do not fit are counted as lost. 0 or -errno with err filled.
 */
int et_sched_stream_open(enum et_sched_way way, int cpu, size_t capacity_bytes,
	struct et_sched_stream **out, struct et_error *err) ET_CHECK;
/*
 * Hands out the events since the last call, by CPU and start. The stretch of a task that still runs
 * is handed out up to the last record of its CPU, and continues there in the next call. Interrupts
 * are inside the stretch of the task that they interrupted, hard ones may be inside soft ones.
 * *lost is the number of records lost since the stream was opened. 0 or -errno.
 */
int et_sched_stream_drain(
	struct et_sched_stream *w, et_sched_fn *each, void *ctx, uint64_t *lost) ET_CHECK;
void et_sched_stream_close(struct et_sched_stream *w); /* may be NULL */
/* Its name is "bpf" or "perf". */
const struct et_sched_source *et_sched_stream_source(const struct et_sched_stream *w);
/* Whether etalon was built with BPF. */
bool et_sched_has_bpf(void);

/*
 * Keeps the calling thread busy for 40 intervals of tick_ns, on the CPU to which it is pinned, and
 * returns CLOCK_MONOTONIC of a timer interrupt of that interval, or ET_UNKNOWN. Later ones are
 * multiples of tick_ns apart.
 */
uint64_t et_timer_phase(int cpu, uint64_t tick_ns);
