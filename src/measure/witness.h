/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Who ran on which CPU, exactly: the kernel's own scheduler and interrupt records, by BPF where the
 * kernel has BTF and we may, else by perf_event_open's context-switch records, which tell of no
 * interrupts. A stream of what happened, for `trace`; a sample's account, summed in the kernel, is
 * ledger.h. Times are CLOCK_MONOTONIC.
 */
#ifndef ET_MEASURE_WITNESS_H
#define ET_MEASURE_WITNESS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct et_witness;

/* How to look. The scheduler's records by perf hold no interrupts. */
enum et_witness_way {
	ET_WITNESS_ANY, /* by BPF, or else by perf */
	ET_WITNESS_BPF,
	ET_WITNESS_PERF,
};

enum et_happening_kind {
	ET_HAPPENING_RAN,     /* a process had the CPU, from start for duration; pid 0 is idle */
	ET_HAPPENING_IRQ,     /* a hard interrupt other than the timer's; name is the device's */
	ET_HAPPENING_TIMER,   /* the local timer interrupt */
	ET_HAPPENING_SOFTIRQ, /* name is the vector's */
};

struct et_happening {
	enum et_happening_kind kind;
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
int et_witness_stream_open(
	int cpu, size_t capacity_bytes, struct et_witness **out, struct et_error *err);
/* The same by the way that is named. */
int et_witness_stream_open_by(enum et_witness_way way, int cpu, size_t capacity_bytes,
	struct et_witness **out, struct et_error *err);
/*
 * Hands over what has happened since the last call, in order of CPU and start. A process that
 * still runs is told up to the last thing seen on its CPU, and goes on from there in the next call.
 * Interrupts lie inside the stretch of whom they interrupted, hard ones also inside soft ones. lost
 * is the number since the stream was opened. 0 or -errno.
 */
int et_witness_stream_drain(struct et_witness *w,
	void (*each)(void *ctx, const struct et_happening *h), void *ctx, uint64_t *lost);
void et_witness_close(struct et_witness *w); /* NULL is fine */
/* "bpf" or "perf". */
const char *et_witness_source(const struct et_witness *w);
/* Whether this build has BPF at all. */
bool et_witness_has_bpf(void);
/* False: the source tells of processes alone. */
bool et_witness_sees_interrupts(const struct et_witness *w);

#endif
