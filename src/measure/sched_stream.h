/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who ran on which CPU, exactly: the kernel's own scheduler and interrupt records, by BPF where the
 * kernel has BTF and we may, else by perf_event_open's context-switch records, which tell of no
 * interrupts. A stream of what happened, for `trace`; a sample's account, summed in the kernel, is
 * ledger.h. Times are CLOCK_MONOTONIC.
 */
#ifndef ET_MEASURE_SCHED_STREAM_H
#define ET_MEASURE_SCHED_STREAM_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct et_sched_stream;

/* How to look. The scheduler's records by perf hold no interrupts. */
enum et_sched_way {
	ET_SCHED_ANY, /* by BPF, or else by perf */
	ET_SCHED_BPF,
	ET_SCHED_PERF,
};

enum et_sched_event_kind {
	ET_SCHED_RAN,     /* a process had the CPU, from start for duration; pid 0 is idle */
	ET_SCHED_IRQ,     /* a hard interrupt other than the timer's; name is the device's */
	ET_SCHED_TIMER,   /* the local timer interrupt */
	ET_SCHED_SOFTIRQ, /* name is the vector's */
};

struct et_sched_event {
	enum et_sched_event_kind kind;
	int32_t cpu;
	int32_t pid; /* of RAN: the thread; tgid where known */
	int32_t tgid;
	char name[16];
	uint64_t start_ns, duration_ns;
};

/*
 * Opens the stream for one CPU, or all with -1. capacity_bytes bounds the kernel's buffer (perf has
 * one a CPU); what does not fit is counted as lost, never silently dropped. 0 or -errno with err
 * filled (exit 3 and a hint without privileges).
 */
int et_sched_stream_open(int cpu, size_t capacity_bytes, struct et_sched_stream **out,
	struct et_error *err) ET_CHECK;
/* The same by the way that is named. */
int et_sched_stream_open_by(enum et_sched_way way, int cpu, size_t capacity_bytes,
	struct et_sched_stream **out, struct et_error *err) ET_CHECK;
/*
 * Hands over what has happened since the last call, in order of CPU and start. A process that
 * still runs is told up to the last thing seen on its CPU, and goes on from there in the next call.
 * Interrupts lie inside the stretch of whom they interrupted, hard ones also inside soft ones. lost
 * is the number since the stream was opened. 0 or -errno.
 */
int et_sched_stream_drain(struct et_sched_stream *w,
	void (*each)(void *ctx, const struct et_sched_event *h), void *ctx,
	uint64_t *lost) ET_CHECK;
void et_sched_stream_close(struct et_sched_stream *w); /* NULL is fine */
/* "bpf" or "perf". */
const char *et_sched_stream_source(const struct et_sched_stream *w);
/* Whether this build has BPF at all. */
bool et_sched_has_bpf(void);
/* False: the source tells of processes alone. */
bool et_sched_stream_sees_interrupts(const struct et_sched_stream *w);

#endif
