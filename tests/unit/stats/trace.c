/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Accounting by ticks and the long run, on the traces that are printed in Bryant & O'Hallaron,
 * Computer Systems, first edition, chapter 9 (figures 9.3 and 9.5), and on a scripted one.
 */
#include "stats/series/trace.h"
#include "tap.h"

#include <math.h>
#include <stdlib.h>

enum { MS = 1000000 };

static struct et_inactive *add(struct et_trace *t, uint64_t start, uint64_t duration,
	enum et_cause cause, const char *name)
{
	struct et_inactive *p = et_trace_add(t, start, duration);

	p->cause = (uint8_t)cause;
	p->taker = name ? et_trace_taker(t, cause, name) : ET_NOBODY;
	p->start_ns = start;
	p->duration_ns = duration;
	return p;
}

static void tick(struct et_trace *t, uint64_t at, uint32_t charged)
{
	et_trace_add_tick(t, (struct et_tick){ .at = at, .at_ns = at, .charged = charged });
}

/* The rate 549.9 MHz is the one that the figure assumes for its milliseconds. */
static void begin(struct et_trace *t, uint64_t total, double interval)
{
	et_trace_init(t);
	t->spins = true;
	t->total = total;
	t->timer.interval = interval;
}

/*
 * Problem 9.5: the counters record 70 ms of user time and no system time for figure 9.3, and the
 * process was active for 35,002,820 cycles, which are 63.7 ms at 549.9 MHz.
 */
static void light_load(void)
{
	static const uint64_t periods[][2] = { { 3726508, 275025 }, { 4001533, 7598 },
		{ 9198378, 251609 }, { 11700089, 14116 }, { 14670179, 248500 },
		{ 20142021, 247113 }, { 25613911, 254340 }, { 29546353, 8139 },
		{ 31085679, 248360 }, { 36557620, 247395 } };
	struct et_charges c;
	struct et_trace t;

	begin(&t, 36805015, 5499000);
	for (size_t i = 0; i < 10; i++) {
		bool is_tick = periods[i][1] > 100000;
		add(&t, periods[i][0], periods[i][1], is_tick ? ET_CAUSE_TIMER : ET_CAUSE_UNKNOWN,
			NULL);
		if (is_tick)
			tick(&t, periods[i][0], ET_TICK_SELF);
	}
	et_trace_set_rate(&t, 549.9e6);
	et_trace_sum(&t);
	et_trace_charge(&t, &c);
	ok(c.n == 1 && c.list[0].who == ET_TICK_SELF, "figure 9.3: one process");
	near(c.list[0].by_ticks, 70e6, 1e-9, 0, "problem 9.5: the counters record 70 ms");
	ok(c.list[0].user_by_ticks == c.list[0].by_ticks && c.list[0].system_by_ticks == 0,
		"problem 9.5: all of it is user time");
	near(c.list[0].time, 63.7e6, 0, 0.05e6, "problem 9.5: it was active for 63.7 ms");
	near(c.list[0].user + c.list[0].system, 66.9e6, 0, 0.1e6,
		"figure 9.3: with the interrupts it is the whole trace, but for unknown gaps");
	ok(c.list[0].least == 60e6 && c.list[0].most == 70e6,
		"figure 9.3: ticks at other instants would count 60 or 70 ms");
	free(c.list);
	et_trace_free(&t);
}

/* Problem 9.2 D: about half of the time, and more than 50 % by the work of the interrupts. */
static void one_competitor(void)
{
	static const uint64_t periods[][2] = { { 196739065, 247557 }, { 197845193, 8297 },
		{ 202210927, 5718758 }, { 209976803, 7153 }, { 213154606, 5726129 },
		{ 224098278, 5718135 }, { 232175694, 7096 }, { 235042017, 5718793 } };
	const uint64_t start = 191514104, interval = 5481260; /* 10 ms at the figure's rate */
	struct et_long_run run;
	struct et_charges c;
	struct et_trace t;

	begin(&t, 240760810 - start, (double)interval);
	for (size_t i = 0; i < 8; i++) {
		uint64_t at = periods[i][0] - start;
		bool away = periods[i][1] > 5000000;
		add(&t, at, periods[i][1], away ? ET_CAUSE_PROCESS : ET_CAUSE_TIMER, NULL);
		if (periods[i][1] > 100000)
			tick(&t, at, ET_TICK_SELF);
		if (away)
			tick(&t, at + interval, ET_TICK_OTHER);
	}
	et_trace_set_rate(&t, 548.126e6);
	et_trace_sum(&t);
	et_trace_charge(&t, &c);
	ok(c.n == 2 && c.list[1].who == ET_TICK_OTHER && !c.list[1].name,
		"figure 9.5: two processes, one without a name");
	near(c.list[0].by_ticks, 50e6, 1e-9, 0, "figure 9.5: five ticks are the program's");
	near(c.list[1].by_ticks, 40e6, 1e-9, 0, "figure 9.5: four ticks are the competitor's");
	near(c.list[1].time, 41.7457e6, 1e-4, 0, "figure 9.5: the competitor's time");
	ok(et_trace_long_run(&t, &run) && run.turns && run.cycles == 3,
		"problem 9.2: three whole cycles");
	/* 17,177,271 inactive cycles of 32,831,090 from the begin of I50 to that of I55. */
	near(100 * run.inactive, 52.32, 0, 0.005,
		"problem 9.2: inactive for 52.3 %% in the long run");
	ok(run.uncertainty > 0 && run.uncertainty < 0.001, "long run: it has an uncertainty");
	free(c.list);
	et_trace_free(&t);
}

/* Ticks of 4 ms; cc1 runs from the tick at 8 ms for 6 ms, as for 5 ms and ld in the same turn. */
static void scripted(void)
{
	struct et_long_run run;
	struct et_charges c;
	struct et_trace t;

	begin(&t, 24 * MS, 4 * MS);
	t.spins = false;
	add(&t, 4 * MS, MS / 10, ET_CAUSE_TIMER, NULL);
	uint32_t cc1 = add(&t, 8 * MS, 6 * MS, ET_CAUSE_PROCESS, "cc1")->taker;
	uint32_t as = add(&t, 15 * MS, 7 * MS, ET_CAUSE_PROCESS, "as")->taker;
	uint32_t ld = et_trace_taker(&t, ET_CAUSE_PROCESS, "ld");
	t.takers[as].exact = t.takers[ld].exact = true;
	t.takers[as].ns = 5 * MS;
	t.takers[ld].ns = 2 * MS;
	et_trace_add_stretch(&t, (struct et_stretch){ 8 * MS, 14 * MS, cc1 });
	et_trace_add_stretch(&t, (struct et_stretch){ 15 * MS, 20 * MS, as });
	et_trace_add_stretch(&t, (struct et_stretch){ 20 * MS, 22 * MS, ld });
	tick(&t, 4 * MS, ET_TICK_SELF);
	tick(&t, 8 * MS, ET_TICK_SELF);
	tick(&t, 12 * MS, cc1);
	tick(&t, 16 * MS, as);
	tick(&t, 20 * MS, ld);
	tick(&t, 23 * MS, ET_TICK_IDLE);
	et_trace_set_rate(&t, 1e9);
	et_trace_sum(&t);
	et_trace_charge(&t, &c);
	ok(c.n == 4, "scripted: four processes (%zu)", c.n);
	near(c.list[0].time, 10.9e6, 1e-9, 0, "scripted: the thread was active for 10.9 ms");
	near(c.list[0].by_ticks, 8e6, 1e-9, 0, "scripted: two ticks are charged to it");
	is_str(c.list[1].name, "cc1", "scripted: others are ordered by their time");
	near(c.list[1].by_ticks, 4e6, 1e-9, 0, "scripted: one tick is charged to cc1");
	is_str(c.list[3].name, "ld", "scripted: a short one is last");
	near(c.list[3].by_ticks, 4e6, 1e-9, 0, "scripted: ticks charge 4 ms to 2 ms of ld");
	ok(isnan(c.list[0].user) && isnan(c.list[0].system_by_ticks),
		"scripted: the modes of a program are not known");
	/* as ran from 15 to 20 ms: a tick every 10 ms meets it once or not at all. */
	ok(c.list[2].least == 0 && c.list[2].most == 10e6,
		"scripted: a process that shares a period is counted by its own stretches");
	/* ld ran from 20 to 22 ms. */
	ok(c.list[3].least == 0 && c.list[3].most == 10e6,
		"scripted: a process without a period of its own is counted, too");
	/* The thread ran from 0 to 8, 14 to 15 and 22 to 24 ms: a tick every 10 ms meets 0 to 2. */
	ok(c.list[0].least == 0 && c.list[0].most == 20e6,
		"scripted: ticks of 10 ms count from 0 to 20 ms (%g, %g)", c.list[0].least,
		c.list[0].most);
	ok(et_trace_long_run(&t, &run) && !run.turns && run.cycles == 5,
		"long run: with one cycle of turns, intervals of the timer are taken");
	free(c.list);
	et_trace_free(&t);

	begin(&t, 24 * MS, 0);
	et_trace_set_rate(&t, 1e9);
	et_trace_charge(&t, &c);
	ok(c.n == 1 && isnan(c.list[0].by_ticks) && c.list[0].time == 24e6,
		"without ticks nothing is charged");
	ok(!et_trace_long_run(&t, &run), "long run: without cycles there is none");
	free(c.list);
	et_trace_free(&t);
}

int main(void)
{
	light_load();
	one_competitor();
	scripted();
	return tap_done();
}
