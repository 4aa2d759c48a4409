/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Attributing inactive periods to causes, by scripted records and by regularity. */
#include "measure/trace/cause.h"
#include "measure/trace/tracee.h"
#include "measure/trace/tracer.h"
#include "tap.h"

#include <errno.h>
#include <stdlib.h>

static struct et_sched_event event(
	enum et_sched_event_kind kind, int32_t pid, const char *name, uint64_t from, uint64_t to)
{
	struct et_sched_event h = {
		.kind = kind, .pid = pid, .tgid = pid, .start_ns = from, .duration_ns = to - from
	};

	snprintf(h.name, sizeof(h.name), "%s", name);
	return h;
}

static struct et_inactive *add(struct et_trace *t, uint64_t start_ns, uint64_t duration_ns)
{
	struct et_inactive *p = et_trace_add(t, start_ns, duration_ns);

	p->start_ns = start_ns;
	p->duration_ns = duration_ns;
	return p;
}

static bool is(const struct et_trace *t, size_t i, enum et_cause cause, const char *name)
{
	const struct et_inactive *p = &t->list[i];

	if (p->cause != cause || (p->taker == ET_NOBODY) != (name == NULL))
		return false;
	return !name ||
	       (!strcmp(t->takers[p->taker].name, name) && t->takers[p->taker].cause == cause);
}

static void by_records(void)
{
	const struct et_sched_event h[] = {
		event(ET_SCHED_TIMER, 0, "timer", 1001005, 1001015),
		event(ET_SCHED_SOFTIRQ, 0, "RCU", 1001015, 1001018),
		event(ET_SCHED_TIMER, 0, "timer", 1002002, 1002010),
		event(ET_SCHED_RAN, 70, "cc1", 1002010, 1003000),
		event(ET_SCHED_RAN, 71, "ld", 1003000, 1003400),
		event(ET_SCHED_IRQ, 0, "eth0", 1003100, 1003110),
		event(ET_SCHED_IRQ, 0, "eth0", 1005001, 1005009),
		event(ET_SCHED_SOFTIRQ, 0, "NET_RX", 1006001, 1006009),
		event(ET_SCHED_TIMER, 0, "timer", 1410000, 1410020),
		event(ET_SCHED_RAN, 0, "idle", 2000000, 2900000),
		event(ET_SCHED_RAN, 72, "as", 2900000, 3000000),
	};
	struct et_trace t;

	et_trace_init(&t);
	t.begin_ns = 1000000;
	add(&t, 500, 10);       /* no record */
	add(&t, 1000, 20);      /* a tick and the soft interrupt that it raised */
	add(&t, 2000, 1400);    /* preempted on a tick, by two processes */
	add(&t, 5000, 10);      /* the interrupt of a device */
	add(&t, 6000, 10);      /* only a soft interrupt */
	add(&t, 10000, 400000); /* the records cover only its end */
	add(&t, 1000000, 1000000);
	t.total_ns = 2000000;
	et_cause_join(&t, 0, h, sizeof(h) / sizeof(h[0]));
	ok(is(&t, 0, ET_CAUSE_UNKNOWN, NULL), "records: a period without records is unknown");
	ok(is(&t, 1, ET_CAUSE_TIMER, NULL),
		"records: a tick with its soft interrupt is the timer's");
	ok(is(&t, 2, ET_CAUSE_PROCESS, "cc1"),
		"records: a period has the name of the process that ran longest");
	ok(is(&t, 3, ET_CAUSE_IRQ, "eth0"), "records: an interrupt has the name of its device");
	ok(is(&t, 4, ET_CAUSE_IRQ, "NET_RX"),
		"records: a soft interrupt has the name of its vector");
	ok(is(&t, 5, ET_CAUSE_UNKNOWN, NULL), "records: a tick of 20 ns does not explain 0.4 ms");
	ok(is(&t, 6, ET_CAUSE_WAIT, NULL), "records: on an idle CPU the program waited");
	ok(t.n_stretches == 2 && t.stretches[0].from_ns == 2010 && t.stretches[0].to_ns == 3000 &&
			t.stretches[1].from_ns == 3000 && t.stretches[1].to_ns == 3400 &&
			!strcmp(t.takers[t.stretches[1].taker].name, "ld"),
		"records: the stretches of processes in a period are kept");
	uint64_t stolen = 300000;
	et_cause_steal(&t, &stolen);
	ok(is(&t, 5, ET_CAUSE_UNKNOWN, NULL) && stolen == 300000,
		"steal: a period below 1 ms is not attributed to steal");
	add(&t, 3000000, 20000000);
	et_cause_steal(&t, &stolen);
	ok(is(&t, 7, ET_CAUSE_STEAL, NULL) && stolen == 0 && is(&t, 5, ET_CAUSE_UNKNOWN, NULL),
		"steal: the longest periods are steal until it is used up");
	t.total_ns = 40000000;
	et_trace_sum(&t);
	ok(t.by_cause[ET_CAUSE_IRQ].count == 2 && t.by_cause[ET_CAUSE_IRQ].ns == 20 &&
			t.by_cause[ET_CAUSE_PROCESS].ns == 1400,
		"periods are summed by cause");
	ok(t.takers[0].ns == 990 && t.takers[0].count == 1 && !strcmp(t.takers[1].name, "ld") &&
			t.takers[1].ns == 400,
		"each process that ran in a period has its share");
	near(et_trace_active(&t), 1 - (10 + 20 + 1400 + 20 + 400000 + 1e6 + 2e7) / 4e7, 1e-12, 0,
		"the active share is the rest");
	et_trace_free(&t);
}

/*
 * A thread meets a tick of 10 µs every 4 ms. A hypervisor takes 15 µs every millisecond, 0.85 ms
 * off the ticks and without a record, so that the gaps are more regular there. The timer of a
 * sleeper expires at odd times, and another process has the CPU from the tick at 20 ms to the one
 * at 32 ms.
 */
enum { TICK = 4000000, MS = 1000000, TICKS = 20 };

static bool is_away(uint64_t ns)
{
	return ns > 5u * TICK && ns < 8u * TICK;
}

static void script(struct et_trace *t, struct et_sched_event *h, size_t *n_events)
{
	const uint64_t begin = 7777777777;
	size_t n = 0;

	et_trace_init(t);
	t->begin_ns = begin;
	t->hz = 1e9;
	t->timer.nominal_ns = TICK;
	t->total_ns = t->total = (uint64_t)TICKS * TICK + 2 * MS;
	for (uint64_t at = MS; at < t->total_ns; at += MS) {
		uint64_t late = at % TICK == 0 && at / TICK % 3 == 1 ? 700 : 0;
		bool hit = at == 3u * TICK + MS; /* a sleeper's timer, 1 ms after a tick */
		if (at % TICK == 0 || hit)
			h[n++] = event(ET_SCHED_TIMER, 0, "timer", begin + at + late,
				begin + at + late + 6000);
		if (at == 5u * TICK) {
			h[n++] = event(ET_SCHED_RAN, 70, "cc1", begin + at + 7000,
				begin + 8u * TICK + 3000);
			add(t, at - 1000, 3u * TICK + 9000);
		} else if ((at % TICK == 0 || hit) && !is_away(at) && at != 8u * TICK) {
			add(t, at - 1000, 10000 + 100 * at / TICK);
		}
		if (!is_away(at + 150000))
			add(t, at + 150000, 15000);
	}
	*n_events = n;
}

static void ticks_by_records(void)
{
	struct et_sched_event h[4 * TICKS];
	struct et_trace t;
	size_t n, hidden = 0, estimated = 0;

	script(&t, h, &n);
	et_cause_join(&t, 0, h, n);
	et_cause_timers(&t, h, n);
	ok(et_cause_ticks(&t, t.total_ns), "ticks: records are enough to find them");
	et_trace_sum(&t);
	ok(t.timer.by_records && t.timer.n == TICKS && t.n_ticks == TICKS,
		"ticks: each record at the kernel's interval is one, a sleeper's timer is not "
		"(%zu)",
		t.timer.n);
	near(t.timer.interval, TICK, 0, 100, "ticks: their interval is that of the records");
	ok(t.timer.uncertainty > 0 && t.timer.uncertainty < 100,
		"ticks: the interval has an uncertainty");
	for (size_t i = 0; i < t.n_ticks; i++) {
		hidden += t.ticks[i].charged != ET_TICK_SELF;
		estimated += t.ticks[i].estimated;
	}
	ok(hidden == 3 && !estimated && t.ticks[5].charged < t.n_takers,
		"ticks: those during another process's turn are listed with it (%zu)", hidden);
	ok(t.takers[0].ticks == 3 && t.self_ticks == TICKS - 3,
		"ticks: each is charged to the task that it interrupted");
	/* 20 ticks, three in cc1's turn and one that began it. */
	ok(t.timer.alone == TICKS - 4 && t.by_cause[ET_CAUSE_TIMER].count == t.timer.alone + 1,
		"ticks: the count of lone ones agrees with the causes (%zu)", t.timer.alone);
	ok(t.timer.shortest_ticks == 10100, "ticks: the shortest cost is that of a lone tick");
	/* At ticks 1 to 4 and 9 to 20 the costs are 10000 ns and 100 ns per tick. */
	near((double)t.timer.median_ticks, 10000 + 100 * 12.5, 0, 1, "ticks: the median cost");
	et_trace_free(&t);

	script(&t, h, &n);
	et_cause_join(&t, 0, h, n);
	ok(!et_cause_ticks(&t, t.total_ns) && !t.timer.n,
		"ticks: without records of the timer there is nothing to tell");
	et_trace_free(&t);

	script(&t, h, &n);
	et_cause_join(&t, 0, h, n);
	et_cause_timers(&t, h, n);
	bool first = et_cause_ticks(&t, 10u * TICK - 500);
	bool second = et_cause_ticks(&t, t.total_ns);
	ok(first && second && t.timer.n == TICKS && t.n_ticks == TICKS && !t.n_records &&
			t.timer.alone == TICKS - 4 && t.timer.shortest_ticks == 10100,
		"ticks: a trace in two parts has the ticks of the whole");
	et_trace_free(&t);
}

static void grids(void)
{
	struct et_timer_record r[40] = { 0 };
	bool ticks[40];
	struct et_tick_grid grid;

	ok(et_tick_grid_find(r, 0, TICK, ticks, &grid) == -ENOENT, "grid: no record, no tick");
	r[0] = (struct et_timer_record){ 123, ET_TICK_SELF };
	ok(et_tick_grid_find(r, 1, 0, ticks, &grid) == -ENOENT,
		"grid: one record gives no unknown interval");
	ok(et_tick_grid_find(r, 1, TICK, ticks, &grid) == 0 && grid.n == 1 && ticks[0],
		"grid: one record of a known interval is a tick");
	/* The phase is at the end of the circle: half of the ticks are in the next one. */
	for (uint64_t i = 0; i < 40; i++)
		r[i] = (struct et_timer_record){ 9 * TICK + i * TICK + (i % 2 ? 300 : -300),
			ET_TICK_SELF };
	ok(et_tick_grid_find(r, 40, 0, ticks, &grid) == 0 && grid.n == 40,
		"grid: an unknown interval is the median distance (%zu)", grid.n);
	near(grid.interval_ns, TICK, 0, 50, "grid: the interval is fitted");
	r[10].start_ns += 2 * MS;
	ok(et_tick_grid_find(r, 40, TICK, ticks, &grid) == 0 && grid.n == 40 && ticks[10],
		"grid: a late interrupt serves the tick that was due");
	near(grid.interval_ns, TICK, 0, 50, "grid: a late tick does not change the interval");
	r[10].charged = ET_TICK_IDLE;
	ok(et_tick_grid_find(r, 40, TICK, ticks, &grid) == 0 && grid.n == 39 && !ticks[10],
		"grid: a late interrupt of an idle CPU is another timer's");
}

/* Stretches that are handed out in pieces are joined, and their number is bounded. */
static void stretches(void)
{
	struct et_trace t;

	et_trace_init(&t);
	et_trace_add_stretch(&t, (struct et_stretch){ 10, 20, 0 });
	et_trace_add_stretch(&t, (struct et_stretch){ 20, 30, 0 });
	et_trace_add_stretch(&t, (struct et_stretch){ 30, 40, 1 });
	ok(t.n_stretches == 2 && t.stretches[0].to_ns == 30, "stretches: adjacent ones are joined");
	for (uint64_t i = 0; i < ET_TRACE_MOST; i++)
		et_trace_add_stretch(&t, (struct et_stretch){ 100 + 2 * i, 101 + 2 * i, 0 });
	ok(t.n_stretches == ET_TRACE_MOST && t.stretches_cut, "stretches: the list is bounded");
	et_trace_free(&t);
}

static void by_counts(void)
{
	struct et_trace t;
	uint64_t switches = 2;

	et_trace_init(&t);
	add(&t, 0, 20);
	add(&t, 100000, 30);
	add(&t, 200000, 90);
	add(&t, 300000, 40);
	et_cause_switches(&t, &switches);
	ok(is(&t, 2, ET_CAUSE_PROCESS, NULL) && is(&t, 3, ET_CAUSE_PROCESS, NULL) && !switches,
		"switches: as many of the longest periods as there were switches are processes");
	ok(is(&t, 0, ET_CAUSE_UNKNOWN, NULL) && is(&t, 1, ET_CAUSE_UNKNOWN, NULL),
		"switches: other periods stay unknown");
	switches = 9;
	et_cause_switches(&t, &switches);
	ok(switches == 7, "switches: a switch without a period is kept for the next call");
	et_trace_free(&t);
}

/* The first trace of Bryant & O'Hallaron, chapter 9: seven ticks give the rate of the clock. */
static void by_regularity(void)
{
	static const uint64_t periods[][2] = { { 3726508, 275025 }, { 4001533, 7598 },
		{ 9198378, 251609 }, { 11700089, 14116 }, { 14670179, 248500 },
		{ 20142021, 247113 }, { 25613911, 254340 }, { 29546353, 8139 },
		{ 31085679, 248360 }, { 36557620, 247395 } };
	struct et_trace t;

	et_trace_init(&t);
	t.hz_estimate = 549.9e6;
	t.timer.nominal_ns = 10000000;
	t.total = 36805015;
	for (size_t i = 0; i < 10; i++)
		et_trace_add(&t, periods[i][0], periods[i][1]);
	et_cause_regular(&t, true, true);
	et_trace_set_rate(&t, t.hz);
	et_trace_sum(&t);
	ok(t.timer.n == 7 && t.by_cause[ET_CAUSE_TIMER].count == 7,
		"regularity: seven ticks are found");
	near(t.hz, 547.1852e6, 1e-5, 0,
		"regularity: the rate of the counter follows from the kernel's interval");
	near(t.timer.interval, 5471852, 1e-5, 0, "regularity: the interval of the ticks");
	near(100 * et_trace_active(&t), 95.1, 0, 0.05, "regularity: the active share");
	ok(t.timer.shortest_ticks == 247113, "regularity: the shortest tick");
	ok(t.n_ticks == 7 && t.self_ticks == 7 && t.timer.alone == 7 && !t.timer.by_records,
		"regularity: all seven ticks hit the program");
	ok(t.timer.median_ticks == 248500, "regularity: the median tick");
	et_trace_free(&t);
	et_trace_init(&t);
	t.hz_estimate = 1e9;
	add(&t, 100, 10);
	et_cause_regular(&t, true, true);
	ok(t.timer.n == 0 && t.hz == 0, "regularity: one period gives no interval");
	et_trace_free(&t);
}

/*
 * The second trace of the chapter, beside another process. Practice problem 9.2: ticks come at
 * 358.93, 368.91, 388.88, 408.85 and 428.81 ms while the program is active, and by interpolation
 * about 10 ms later while it is not.
 */
static void hidden_ticks(void)
{
	static const uint64_t periods[][2] = { { 196739065, 247557 }, { 197845193, 8297 },
		{ 202210927, 5718758 }, { 209976803, 7153 }, { 213154606, 5726129 },
		{ 224098278, 5718135 }, { 232175694, 7096 }, { 235042017, 5718793 } };
	static const double at_ms[] = { 358.93, 368.91, 378.9, 388.88, 398.9, 408.85, 418.8, 428.81,
		438.8 };
	static const bool away[] = { 0, 0, 1, 0, 1, 0, 1, 0, 1 };
	const uint64_t begin = 191514104;
	struct et_trace t;

	et_trace_init(&t);
	t.hz_estimate = 549.9e6;
	t.timer.nominal_ns = 10000000;
	t.total = 240760810 - begin;
	for (size_t i = 0; i < 8; i++)
		et_trace_add(&t, periods[i][0] - begin, periods[i][1]);
	et_cause_of_file(&t);
	ok(t.n_ticks == 9 && t.timer.n == 9, "hidden: nine ticks (%zu)", t.n_ticks);
	for (size_t i = 0; i < t.n_ticks; i++) {
		/* The chapter's milliseconds have a rate of 548.1 MHz in this figure. */
		near((double)(t.ticks[i].at + begin) / 548.12e3, at_ms[i], 0, 0.05,
			"hidden: time of tick %zu", i);
		ok(t.ticks[i].estimated == away[i] &&
				t.ticks[i].charged == (away[i] ? ET_TICK_OTHER : ET_TICK_SELF),
			"hidden: tick %zu is %s", i, away[i] ? "interpolated" : "seen");
	}
	ok(t.self_ticks == 5 && t.other_ticks == 4, "hidden: five and four ticks are charged");
	et_trace_free(&t);
}

static void of_a_program(void)
{
	const int32_t ours[] = { 50, 51 };
	const struct et_tracee_window w = {
		.t0_ns = 1000000, .t1_ns = 2000000, .ours = ours, .n_ours = 2
	};
	const struct et_sched_event h[] = {
		event(ET_SCHED_RAN, 50, "sh", 990000, 1200000),
		event(ET_SCHED_TIMER, 0, "timer", 1100000, 1104000),
		event(ET_SCHED_RAN, 99, "cc1", 1200000, 1500000),
		event(ET_SCHED_IRQ, 0, "eth0", 1300000, 1310000),
		event(ET_SCHED_RAN, 51, "sort", 1500000, 1600000),
		event(ET_SCHED_RAN, 0, "idle", 1600000, 1900000),
		event(ET_SCHED_RAN, 50, "sh", 1900000, 2100000),
	};
	struct et_trace t;

	et_trace_init(&t);
	et_tracee_periods(&w, h, sizeof(h) / sizeof(h[0]), &t);
	et_trace_sum(&t);
	ok(t.n == 3 && t.total_ns == 1000000, "program: three inactive periods are found");
	ok(is(&t, 0, ET_CAUSE_TIMER, NULL) && t.list[0].start_ns == 100000 &&
			t.list[0].duration_ns == 4000,
		"program: an interrupt in its stretch is a period");
	ok(is(&t, 1, ET_CAUSE_PROCESS, "cc1") && t.list[1].start_ns == 200000 &&
			t.list[1].duration_ns == 300000,
		"program: the stretch of another process is one period, with its interrupts");
	ok(is(&t, 2, ET_CAUSE_WAIT, NULL) && t.list[2].duration_ns == 300000,
		"program: its child belongs to it, and on an idle CPU it waits");
	near(et_trace_active(&t), 0.396, 1e-9, 0, "program: the rest is active");
	et_trace_free(&t);

	et_trace_init(&t);
	t.ready_ns = 149999;
	et_tracee_periods(&w, h, sizeof(h) / sizeof(h[0]), &t);
	et_trace_sum(&t);
	ok(is(&t, 1, ET_CAUSE_WAIT, NULL) && !t.n_takers,
		"program: a period twice as long as it was ready to run is waiting");
	et_trace_free(&t);
	et_trace_init(&t);
	t.ready_ns = 150000;
	et_tracee_periods(&w, h, sizeof(h) / sizeof(h[0]), &t);
	ok(is(&t, 1, ET_CAUSE_PROCESS, "cc1"), "program: a shorter period is the other process's");
	et_trace_free(&t);

	et_trace_init(&t);
	et_tracee_periods(&w, h, 0, &t);
	ok(t.n == 1 && t.list[0].duration == 1000000,
		"program: without records the whole window is one period");
	et_trace_free(&t);
}

static void bounded(void)
{
	struct et_trace t;

	et_trace_init(&t);
	for (uint64_t i = 0; i < 3u * ET_TRACE_MOST; i++) {
		add(&t, i * 100, 10);
		if (t.n == ET_TRACE_MOST)
			et_trace_drop(&t);
	}
	ok(t.n < ET_TRACE_MOST && t.cap <= ET_TRACE_MOST, "bounds: the list of periods is bounded");
	ok(t.dropped + t.n == 3u * ET_TRACE_MOST, "bounds: dropped periods are counted");
	ok(t.list[0].start == t.dropped * 100, "bounds: the oldest periods are dropped");
	t.total_ns = 300u * (uint64_t)ET_TRACE_MOST;
	et_trace_sum(&t);
	near(et_trace_active(&t), 0.9, 1e-9, 0, "bounds: dropped periods are in the sums");
	et_trace_free(&t);
}

/* More names than can be kept, each seen once. */
static void many_names(void)
{
	struct et_trace t;
	char name[16];

	et_trace_init(&t);
	for (unsigned i = 0; i < 3 * ET_TAKERS_MOST; i++) {
		snprintf(name, sizeof(name), "p%u", i);
		et_trace_taker(&t, ET_CAUSE_PROCESS, name);
	}
	ok(t.n_takers == ET_TAKERS_MOST + 1, "bounds: the number of names is bounded (%zu)",
		t.n_takers);
	ok(et_trace_taker(&t, ET_CAUSE_PROCESS, "p7") == 7, "bounds: the first names are kept");
	is_str(t.takers[et_trace_taker(&t, ET_CAUSE_PROCESS, "new")].name, "(others)",
		"bounds: further names share one entry");
	uint32_t irq = et_trace_taker(&t, ET_CAUSE_IRQ, "eth0");
	ok(irq == ET_TAKERS_MOST + 1 && t.takers[irq].cause == ET_CAUSE_IRQ,
		"bounds: each cause has names of its own");
	et_trace_free(&t);

	static const char longer[] = "a name that is longer than is kept of one";
	et_trace_init(&t);
	uint32_t first = et_trace_taker(&t, ET_CAUSE_PROCESS, longer);
	ok(et_trace_taker(&t, ET_CAUSE_PROCESS, longer) == first && t.n_takers == 1,
		"bounds: a name that is cut is found again");
	et_trace_free(&t);
}

/* Is the counter not used, and by which flags of the warning? -1: it is used. */
static int distrusted(struct et_counter c, int calibrated)
{
	struct et_trace t;
	int flags = -1;

	et_trace_init(&t);
	et_tracer_warn_counter(&t, &c, calibrated);
	if (t.warnings.n == 1 && t.warnings.list[0].code == ET_WARN_TRACE_BY_CLOCK)
		flags = (int)(t.warnings.list[0].args[0].number +
			      2 * t.warnings.list[0].args[1].number);
	et_trace_free(&t);
	return flags;
}

static void counters(void)
{
	enum { COUNTER = 1, VARIES = 2 };

	ok(distrusted((struct et_counter){ "tsc", true, 2e9, 1 }, 0) == -1,
		"counter: a sound one is used");
	ok(distrusted((struct et_counter){ 0 }, 0) == VARIES,
		"counter: without one CLOCK_MONOTONIC is read");
	ok(distrusted((struct et_counter){ .name = "tsc" }, 0) == (COUNTER | VARIES),
		"counter: one of varying rate is not used");
	ok(distrusted((struct et_counter){ "tsc", true, 0, 0 }, -ERANGE) == COUNTER,
		"counter: one that goes backwards is not used");
}

int main(void)
{
	by_records();
	ticks_by_records();
	grids();
	stretches();
	by_counts();
	by_regularity();
	hidden_ticks();
	of_a_program();
	bounded();
	many_names();
	counters();
	return tap_done();
}
