/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/timer_phase.h"
#include "base/clock.h"
#include "clock/spread.h"
#include "measure/trace/sched_stream.h"

enum { INTERVALS = 40, MOST_RECORDS = 4096, RECORDS_BYTES = 1 << 20 };

struct records {
	int cpu;
	double at_ns[MOST_RECORDS];
	size_t n;
};

static void keep(void *ctx, const struct et_sched_event *h)
{
	struct records *r = ctx;

	if (h->kind == ET_SCHED_TIMER && h->cpu == r->cpu && r->n < MOST_RECORDS)
		r->at_ns[r->n++] = (double)h->start_ns;
}

uint64_t et_timer_phase(int cpu, uint64_t tick_ns)
{
	struct et_sched_stream *stream;
	struct et_error why = { 0 };
	struct records r = { .cpu = cpu };
	uint64_t lost;

	if (et_sched_stream_open_by(ET_SCHED_BPF, cpu, RECORDS_BYTES, &stream, &why))
		return ET_UNKNOWN;
	/* An idle CPU may have no tick. */
	uint64_t end_ns = et_clock_read_ns(CLOCK_MONOTONIC) + INTERVALS * tick_ns;
	while (et_clock_read_ns(CLOCK_MONOTONIC) < end_ns)
		;
	int rc = et_sched_stream_drain(stream, keep, &r, &lost);
	et_sched_stream_close(stream);
	/* Interrupts of the hypervisor delay some of them by a few microseconds. */
	struct et_phase p = et_phase_find(r.at_ns, r.n, (double)tick_ns, (double)tick_ns / 200);
	if (rc || p.seen < INTERVALS / 2)
		return ET_UNKNOWN;
	return end_ns / tick_ns * tick_ns + (uint64_t)p.at;
}
