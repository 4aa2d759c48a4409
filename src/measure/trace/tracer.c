/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/tracer.h"
#include "base/clock.h"
#include "base/parse.h"
#include "clock/activity.h"
#include "clock/survey.h"
#include "host/host.h"
#include "measure/observe/steal.h"
#include "measure/trace/cause.h"
#include "measure/trace/sched_source.h"

enum {
	RING = 1 << 16, /* gaps between two readings: enough for a minute at 1000 per second */
	RECORDS_BYTES = 8 << 20,
	MOST_PENDING = 1 << 18, /* records that may belong to gaps that were not read yet */
};

static const uint64_t READ_EVERY_NS = 50000000;

struct tracer {
	const struct et_tracer_options *o;
	struct et_trace *t;
	struct et_activity activity;
	struct et_anchor first, last; /* the clock at the beginning and at the last reading */
	uint64_t begin_reading, end_ns;
	bool begun;
	uint64_t taken_ticks;           /* duration of all gaps read from the ring */
	struct et_sched_stream *stream; /* NULL: no records */
	uint64_t lost_records;
	struct et_sched_event *pending;
	size_t n_pending, cap_pending;
	uint64_t dropped_records;
	cpu_set_t one;
	struct et_steal steal;
	uint64_t stolen_seen, stolen_ns;  /* steal so far, and that without a gap yet */
	uint64_t switches_seen, switches; /* the same for context switches */
};

int et_tracer_cpu(int wanted, int *out, struct et_error *err)
{
	cpu_set_t allowed, one;
	int cpu = wanted;

	if (sched_getaffinity(0, sizeof(allowed), &allowed) < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the CPU affinity");
	/* The last one, because the first CPUs handle most interrupts. */
	for (int i = 0; wanted < 0 && i < CPU_SETSIZE; i++)
		cpu = CPU_ISSET(i, &allowed) ? i : cpu;
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	int rc = et_check_cpus(&one, &allowed, err);
	if (rc)
		return rc;
	*out = cpu;
	return 0;
}

/* --- while the thread spins --- */

static void keep_record(void *ctx, const struct et_sched_event *h)
{
	struct tracer *r = ctx;

	/* Neither the thread itself nor the idle task interrupts the thread. */
	if (h->kind == ET_SCHED_RAN && (h->pid == 0 || h->pid == atomic_load(&r->activity.tid)))
		return;
	if (r->n_pending == MOST_PENDING) {
		r->dropped_records++;
		return;
	}
	ET_GROW(r->pending, r->n_pending, r->cap_pending);
	r->pending[r->n_pending++] = *h;
}

/* Removes records that end before a time: their gaps have their causes. */
static void forget_records(struct tracer *r, uint64_t before_ns)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n_pending; i++) {
		if (r->pending[i].start_ns + r->pending[i].duration_ns > before_ns)
			r->pending[n++] = r->pending[i];
	}
	r->n_pending = n;
}

/* How often the thread got the CPU back. /proc/…/schedstat: "run_ns wait_ns times". */
static uint64_t times_switched(const struct tracer *r)
{
	char text[128];
	unsigned long long times;

	if (atomic_load(&r->activity.over))
		return r->activity.switches;
	if (et_host_line("", text, sizeof(text), "/proc/self/task/%d/schedstat",
		    atomic_load(&r->activity.tid)) <= 0 ||
		sscanf(text, "%*u %*u %llu", &times) != 1 || !times)
		return 0;
	return times - 1; /* the first time is its start */
}

static void attribute(struct tracer *r, size_t from)
{
	struct et_trace *t = r->t;

	if (!r->stream)
		return;
	size_t before = r->n_pending;
	if (et_sched_stream_drain(r->stream, keep_record, r, &r->lost_records))
		r->dropped_records++; /* at least one */
	et_cause_timers(t, r->pending + before, r->n_pending - before);
	et_cause_join(t, from, r->pending, r->n_pending);
	if (t->n > from)
		forget_records(r,
			t->begin_ns + t->list[t->n - 1].start_ns + t->list[t->n - 1].duration_ns);
}

static void add_gap(struct tracer *r, const struct et_gap *g, const struct et_anchor *now)
{
	struct et_trace *t = r->t;

	if (!r->begun) {
		r->begin_reading = r->activity.begin;
		t->begin_ns = et_anchor_ns(&r->last, now, r->begin_reading);
		r->begun = true;
	}
	struct et_inactive *p = et_trace_add(t, g->start - r->begin_reading, g->end - g->start);
	uint64_t start_ns = et_anchor_ns(&r->last, now, g->start);
	uint64_t end_ns = et_anchor_ns(&r->last, now, g->end);
	p->start_ns = start_ns > t->begin_ns ? start_ns - t->begin_ns : 0;
	p->duration_ns = end_ns > start_ns ? end_ns - start_ns : 0;
	r->taken_ticks += p->duration;
}

/*
 * Attributes gaps that records do not explain, by the counts of switches and of steal and by
 * regularity, over the whole trace so far: counts have no time.
 */
static void settle(struct tracer *r, uint64_t until_ns)
{
	bool interrupts = r->stream && et_sched_stream_source(r->stream)->interrupts;
	uint64_t stolen = et_steal_read(&r->steal, &r->one).steal_ns;
	uint64_t times = times_switched(r);

	if (!r->stream && times > r->switches_seen) {
		r->switches += times - r->switches_seen;
		r->switches_seen = times;
		et_cause_switches(r->t, &r->switches);
	}
	if (stolen != ET_UNKNOWN && stolen > r->stolen_seen) {
		r->stolen_ns += stolen - r->stolen_seen;
		r->stolen_seen = stolen;
	}
	et_cause_steal(r->t, &r->stolen_ns);
	if (!et_cause_ticks(r->t, until_ns))
		et_cause_regular(r->t, !interrupts, false);
}

/*
 * Reads the gaps first, then the records: the cause of a gap was recorded before the thread
 * continued, so the records of every gap that was read have arrived.
 */
static void read_all(struct tracer *r)
{
	struct et_gap gaps[256];
	size_t n, from = r->t->n;

	/* A gap in the ring has ended: its end is before the anchor. */
	size_t left = atomic_load(&r->activity.written) - atomic_load(&r->activity.taken);
	struct et_anchor now = et_activity_anchor(&r->activity);
	while (left && (n = et_activity_take(&r->activity, gaps,
				left < ET_LENGTH(gaps) ? left : ET_LENGTH(gaps)))) {
		for (size_t i = 0; i < n; i++)
			add_gap(r, &gaps[i], &now);
		left -= n;
	}
	attribute(r, from);
	/* Converted by the same anchors as the gaps before it. */
	if (atomic_load(&r->activity.over) && !r->end_ns)
		r->end_ns = et_anchor_ns(&r->last, &now, r->activity.end);
	r->last = now;
	struct et_trace *t = r->t;
	if (t->n >= ET_TRACE_MOST || (t->n && t->n_records >= ET_TRACE_MOST)) {
		settle(r, t->list[t->n - 1].start_ns + t->list[t->n - 1].duration_ns);
		et_trace_drop(t);
	}
}

/* --- before and after --- */

static int watch(struct tracer *r)
{
	uint64_t begin_ns = et_clock_read_ns(CLOCK_MONOTONIC), now_ns = begin_ns;

	while (!r->o->interrupt->signal && !atomic_load(&r->activity.over)) {
		uint64_t left = r->o->duration_ns - (now_ns - begin_ns);
		if (now_ns - begin_ns >= r->o->duration_ns)
			left = 1000000; /* the thread is about to end by itself */
		struct timespec nap = et_ns_timespec(left < READ_EVERY_NS ? left : READ_EVERY_NS);
		nanosleep(&nap, NULL);
		read_all(r);
		now_ns = et_clock_read_ns(CLOCK_MONOTONIC);
		if (r->o->note)
			r->o->note(r->o->ctx, now_ns - begin_ns);
	}
	et_activity_finish(&r->activity);
	read_all(r);
	return r->o->interrupt->signal ? -EINTR : 0;
}

static void conclude(struct tracer *r)
{
	const struct et_activity *a = &r->activity;
	struct et_trace *t = r->t;
	double ticks = (double)(r->last.reading - r->first.reading);

	t->hz = ticks / (double)(r->last.ns - r->first.ns) * 1e9;
	if (!r->begun)
		t->begin_ns = et_anchor_ns(&r->first, &r->last, a->begin);
	t->total = a->end - a->begin;
	t->total_ns = r->end_ns > t->begin_ns ? r->end_ns - t->begin_ns : 0;
	/* A trace may end within a period; other anchors convert it to some ns more or less. */
	uint64_t last_ns = t->n ? t->list[t->n - 1].start_ns + t->list[t->n - 1].duration_ns : 0;
	if (t->total_ns < last_ns)
		t->total_ns = last_ns;
	t->readings = a->readings;
	t->lost = a->lost;
	settle(r, t->total_ns);
	et_trace_sum(t);
	t->inactive_ns += (uint64_t)((double)(a->gap_ticks - r->taken_ticks) / t->hz * 1e9);
	if (a->ended == ET_ACTIVITY_MOVED)
		snprintf(t->ended, sizeof(t->ended),
			"CPU %d is not available any more (offline, or removed from our set)",
			t->cpu);
	if (a->ended == ET_ACTIVITY_BACKWARDS)
		snprintf(t->ended, sizeof(t->ended), "the counter went backwards");
	if (r->lost_records + r->dropped_records)
		et_warn(&t->warnings, ET_WARN_TRACE_RECORDS_LOST,
			et_arg_count(r->lost_records + r->dropped_records));
	if (t->lost)
		et_warn(&t->warnings, ET_WARN_TRACE_PERIODS_LOST, et_arg_count(t->lost));
	if (t->dropped)
		et_warn(&t->warnings, ET_WARN_TRACE_PERIODS_DROPPED, et_arg_count(t->dropped),
			et_arg_count(ET_TRACE_MOST));
}

void et_tracer_leave_cpu(int cpu)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return;
	CPU_CLR(cpu, &set);
	if (CPU_COUNT(&set))
		sched_setaffinity(0, sizeof(set), &set);
}

void et_tracer_warn_counter(struct et_trace *t, const struct et_counter *c, int calibrated)
{
	if (!c->name || !c->invariant || calibrated)
		et_warn(&t->warnings, ET_WARN_TRACE_BY_CLOCK, et_arg_flag(c->name),
			et_arg_flag(!c->invariant));
}

/* Calibrates the counter. -errno if it is not reliable on the traced CPU and on ours. */
static int calibrate(int cpu, struct et_counter *c)
{
	enum { CALIBRATION_NS = 50000000, MEETING_NS = 20000000, ROUNDS = 200 };
	struct et_agreement a;
	int here = sched_getcpu();
	int rc = c->invariant ? et_counter_calibrate(c, CALIBRATION_NS) : 0;

	if (rc == 0 && c->invariant && here >= 0 && here != cpu &&
		et_agreement_measure(cpu, here, ROUNDS, MEETING_NS, &a) == 0 &&
		(a.backwards || et_agreement_moves(&a)))
		rc = -ERANGE;
	if (rc)
		c->hz = 0;
	return rc;
}

static int make_ready(struct tracer *r, struct et_error *err)
{
	struct et_activity *a = &r->activity;
	struct et_counter counter;
	cpu_set_t before;

	et_counter_identify(&counter);
	et_tracer_leave_cpu(r->t->cpu);
	et_tracer_warn_counter(r->t, &counter, calibrate(r->t->cpu, &counter));
	if (et_activity_init(a, &counter, RING))
		return et_fail(err, ENOMEM, ET_EXIT_OUTSIDE, "cannot allocate memory for a trace");
	a->cpu = r->t->cpu;
	CPU_ZERO(&r->one);
	CPU_SET(a->cpu, &r->one);
	/* The threshold must be found on the CPU that will be traced. */
	sched_getaffinity(0, sizeof(before), &before);
	if (sched_setaffinity(0, sizeof(r->one), &r->one) < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot run on CPU %d", a->cpu);
	a->threshold = et_activity_threshold(a);
	sched_setaffinity(0, sizeof(before), &before);
	if (r->o->threshold_ns) {
		uint64_t given = (uint64_t)((double)r->o->threshold_ns * a->hz * 1e-9);
		if (given < a->threshold / 10)
			et_warn(&r->t->warnings, ET_WARN_TRACE_LOW_THRESHOLD,
				et_arg_value((double)a->threshold / a->hz, ET_UNIT_S));
		a->threshold = given;
	}
	double ticks = (double)r->o->duration_ns * 1e-9 * a->hz;
	if (r->o->duration_ns != UINT64_MAX && ticks < 9e18)
		a->duration = (uint64_t)ticks;
	r->t->threshold_found = !r->o->threshold_ns;
	r->t->threshold_ns = (uint64_t)llround((double)a->threshold / a->hz * 1e9);
	r->t->hz = a->hz; /* until the whole trace gives a better one */
	return 0;
}

static void open_stream(struct tracer *r)
{
	struct et_error why = { 0 };
	struct et_trace *t = r->t;

	if (et_sched_stream_open(ET_SCHED_ANY, t->cpu, RECORDS_BYTES, &r->stream, &why)) {
		r->stream = NULL;
		et_warn(&t->warnings, ET_WARN_TRACE_NO_RECORDS, et_arg_text(why.what));
		return;
	}
	t->source = et_sched_stream_source(r->stream)->name;
	if (!et_sched_stream_source(r->stream)->interrupts)
		et_warn(&t->warnings, ET_WARN_TRACE_NO_INTERRUPTS);
}

int et_tracer_run(const struct et_tracer_options *o, struct et_trace *out, struct et_error *err)
{
	struct tracer r = { .o = o, .t = out };

	et_trace_init(out);
	out->timer.nominal_ns = o->tick_ns;
	out->spins = true;
	et_steal_open(&r.steal, "", o->virtual_machine);
	int rc = et_tracer_cpu(o->cpu, &out->cpu, err);
	if (rc == 0)
		rc = make_ready(&r, err);
	if (rc == 0) {
		open_stream(&r);
		r.stolen_seen = et_steal_read(&r.steal, &r.one).steal_ns;
		r.first = r.last = et_activity_anchor(&r.activity);
		rc = et_activity_start(&r.activity);
		if (rc)
			et_fail_errno(err, -rc, ET_EXIT_ENVIRONMENT,
				"cannot start a thread on CPU %d", out->cpu);
	}
	if (rc == 0) {
		rc = watch(&r);
		conclude(&r);
	} else {
		et_trace_free(out);
	}
	et_sched_stream_close(r.stream);
	et_steal_close(&r.steal);
	et_activity_free(&r.activity);
	free(r.pending);
	return rc;
}
