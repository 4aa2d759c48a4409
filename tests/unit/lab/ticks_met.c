/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Timer interrupts that a call met, from blocks with made-up interruptions. */
#include "lab/self_timed.h"
#include "tap.h"

enum { N = 1000, BLOCK = 10000, COST = 3000, PREEMPTED = 1000000 };

static uint32_t blocks[N];

static void fill(void)
{
	for (int i = 0; i < N; i++)
		blocks[i] = BLOCK;
}

/* Makes the block longer that contains this time. Later times must follow. */
static void interrupt(double at, uint32_t cost)
{
	double end = 0;
	int i = 0;

	while (end += blocks[i], end <= at)
		i++;
	blocks[i] += cost;
}

/* An interrupt every 100 blocks, the first after 50.5. */
static struct et_ticks_met count(void)
{
	double total = 0;

	for (int i = 0; i < N; i++)
		total += blocks[i];
	return et_ticks_met_count(
		blocks, N, fmod(total - 50.5 * BLOCK, 100 * BLOCK), 100 * BLOCK, PREEMPTED);
}

static void test_count(void)
{
	struct et_ticks_met t;

	fill();
	t = count();
	ok(t.met == 10 && t.seen == 0 && isinf(t.least),
		"ticks met: interrupts that cost nothing are met and not seen");
	for (int k = 0; k < 10; k++)
		interrupt((100 * k + 50.5) * BLOCK, COST * (k == 3 ? 1 : 2));
	t = count();
	ok(t.met == 10 && t.seen == 10 && t.least == COST, "ticks met: the least cost of ten");
	blocks[352] += 500; /* an interrupt elsewhere that is below 5 % of a block */
	t = count();
	ok(t.least == COST, "ticks met: noise of a block is no cost");
}

static void test_preempted(void)
{
	struct et_ticks_met t;

	/* After the 6th interrupt another process gets the CPU for 3 intervals. */
	fill();
	interrupt((500 + 51) * BLOCK, 3 * 100 * BLOCK);
	t = count();
	ok(t.met == 10, "ticks met: those within the time slice of another process do not count");
	t = et_ticks_met_count(blocks, N, 1e15, 100 * BLOCK, PREEMPTED);
	ok(t.met == 0, "ticks met: the last one was before the call");
	t = et_ticks_met_count(blocks, N, NAN, 100 * BLOCK, PREEMPTED);
	ok(t.met == 0, "ticks met: none if the phase is unknown");
	t = et_ticks_met_count(blocks, N, 5, 0, PREEMPTED);
	ok(t.met == 0, "ticks met: none without an interval");
	t = et_ticks_met_count(blocks, 0, 5, 10, PREEMPTED);
	ok(t.met == 0, "ticks met: none without blocks");
}

static void test_phase(void)
{
	struct et_tick_phase p = { .interval_ns = 4e6, .phase_ns = 3e6 };

	ok(et_tick_phase_since(&p, 4e6 * 1000 + 3.5e6) == 0.5e6, "phase: half a ms after a tick");
	ok(et_tick_phase_since(&p, 4e6 * 1000 + 2e6) == 3e6, "phase: before the tick of a period");
	p.interval_ns = 0;
	ok(isnan(et_tick_phase_since(&p, 1e9)), "phase: unknown without an interval");
}

int main(void)
{
	test_count();
	test_preempted();
	test_phase();
	return tap_done();
}
