/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/sched_stream.h"
#include "base/clock.h"
#include "clock/timer.h"
#include "measure/trace/sched_source.h"

struct et_sched_stream {
	const struct et_sched_source *source;
	void *ctx;
	struct et_sched_batch batch;
	uint64_t *edges; /* of each CPU: the time up to which events were handed out */
	size_t n_cpus;
};

int et_sched_stream_open(enum et_sched_way way, int cpu, size_t capacity_bytes,
	struct et_sched_stream **out, struct et_error *err)
{
	static const struct et_sched_source *const sources[] = { &et_sched_by_bpf,
		&et_sched_by_perf };
	struct et_error why[ET_LENGTH(sources)];
	size_t i = way == ET_SCHED_PERF;
	void *ctx;

	if (cpu < -1 || cpu >= sysconf(_SC_NPROCESSORS_CONF))
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "this machine has no CPU %d", cpu);
	int rc = sources[i]->open(cpu, capacity_bytes, &ctx, way == ET_SCHED_ANY ? &why[i] : err);
	if (rc && way == ET_SCHED_ANY) {
		i = 1;
		rc = sources[i]->open(cpu, capacity_bytes, &ctx, &why[i]);
		if (rc)
			return et_hint(err,
				et_fail(err, -rc, ET_EXIT_ENVIRONMENT,
					"cannot see which processes run on the CPU: %.200s; %.200s",
					why[0].what, why[1].what),
				"%s", why[1].hint[0] ? why[1].hint : why[0].hint);
	}
	if (rc)
		return rc;
	struct et_sched_stream *w = et_calloc(1, sizeof(*w));
	w->source = sources[i];
	w->ctx = ctx;
	w->n_cpus = (size_t)sysconf(_SC_NPROCESSORS_CONF);
	w->edges = et_calloc(w->n_cpus, sizeof(*w->edges));
	*out = w;
	return 0;
}

void et_sched_batch_add(struct et_sched_batch *b, const struct et_sched_record *r)
{
	ET_GROW(b->records, b->n, b->cap);
	b->records[b->n++] = *r;
}

/* By CPU and start; an event comes before the events that it contains. */
static int by_start(const void *a, const void *b)
{
	const struct et_sched_record *x = a, *y = b;

	return ET_ORDER(x->cpu, y->cpu) ?: ET_ORDER(x->start_ns, y->start_ns)
		?: ET_ORDER(y->end_ns, x->end_ns);
}

static void hand_out(const struct et_sched_record *r, et_sched_fn *each, void *ctx)
{
	static const char *const vectors[] = { "HI", "TIMER", "NET_TX", "NET_RX", "BLOCK",
		"IRQ_POLL", "TASKLET", "SCHED", "HRTIMER", "RCU" };
	struct et_sched_event h = { .kind = r->kind,
		.cpu = (int32_t)r->cpu,
		.start_ns = r->start_ns,
		.duration_ns = r->end_ns > r->start_ns ? r->end_ns - r->start_ns : 0 };

	snprintf(h.name, sizeof(h.name), "%.15s", r->who.name);
	if (r->kind == ET_SCHED_RAN) {
		h.pid = r->who.pid;
		h.tgid = r->who.tgid;
		if (!h.pid)
			snprintf(h.name, sizeof(h.name), "idle");
	} else if (r->kind == ET_SCHED_SOFTIRQ) {
		size_t vector = (size_t)r->who.pid;
		snprintf(h.name, sizeof(h.name), "%s",
			vector < ET_LENGTH(vectors) ? vectors[vector] : "softirq");
	} else if (r->kind == ET_SCHED_TIMER) {
		snprintf(h.name, sizeof(h.name), "timer");
	} else if (!strcmp(h.name, "arch_timer")) {
		h.kind = ET_SCHED_TIMER; /* on arm64 it is an ordinary interrupt */
	}
	each(ctx, &h);
}

/*
 * Hands out the sorted records of one CPU. The stretch of the task that runs after the last of them
 * has not ended: it is handed out up to the end of the last record.
 */
static void hand_out_cpu(
	struct et_sched_record *r, size_t n, uint64_t *edge, et_sched_fn *each, void *ctx)
{
	uint64_t from = *edge ? *edge : r[0].start_ns;
	const struct et_sched_record *last = r;
	bool done = false;

	for (size_t i = 0; i < n; i++) {
		if (r[i].end_ns >= last->end_ns)
			last = &r[i];
		if (r[i].kind != ET_SCHED_RAN)
			continue;
		if (r[i].start_ns < *edge)
			r[i].start_ns = *edge; /* its first part was handed out in the last call */
		if (r[i].end_ns > from)
			from = r[i].end_ns;
	}
	struct et_sched_record running = { .kind = ET_SCHED_RAN,
		.cpu = r[0].cpu,
		.start_ns = from,
		.end_ns = last->end_ns,
		.who = last->next };
	for (size_t i = 0; i < n; i++) {
		if (!done && r[i].start_ns >= from && running.end_ns > from) {
			hand_out(&running, each, ctx);
			done = true;
		}
		hand_out(&r[i], each, ctx);
	}
	*edge = running.end_ns > *edge ? running.end_ns : *edge;
}

void et_sched_batch_deliver(
	struct et_sched_batch *b, uint64_t *edges, size_t n_cpus, et_sched_fn *each, void *ctx)
{
	if (b->n)
		qsort(b->records, b->n, sizeof(*b->records), by_start);
	for (size_t i = 0, end; i < b->n; i = end) {
		uint32_t cpu = b->records[i].cpu;
		for (end = i + 1; end < b->n && b->records[end].cpu == cpu; end++)
			;
		if (cpu < n_cpus)
			hand_out_cpu(&b->records[i], end - i, &edges[cpu], each, ctx);
	}
	b->n = 0;
}

int et_sched_stream_drain(struct et_sched_stream *w, et_sched_fn *each, void *ctx, uint64_t *lost)
{
	int rc = w->source->drain(w->ctx, &w->batch, lost);

	et_sched_batch_deliver(&w->batch, w->edges, w->n_cpus, each, ctx);
	return rc;
}

void et_sched_stream_close(struct et_sched_stream *w)
{
	if (!w)
		return;
	w->source->close(w->ctx);
	free(w->batch.records);
	free(w->edges);
	free(w);
}

const struct et_sched_source *et_sched_stream_source(const struct et_sched_stream *w)
{
	return w->source;
}

bool et_sched_has_bpf(void)
{
	return et_sched_by_bpf.drain != NULL;
}

/* --- when the timer interrupt occurs --- */

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

	if (et_sched_stream_open(ET_SCHED_BPF, cpu, RECORDS_BYTES, &stream, &why))
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
