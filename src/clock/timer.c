/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/timer.h"
#include "base/attr.h"
#include "base/clock.h"

#include <errno.h>
#include <sched.h>

enum {
	GAPS = 4096,
	LEAST_GAP_NS = 300,  /* no interrupt is shorter than its entry and exit */
	TOLERANCE_NS = 5000, /* so near its time a tick comes, unless it is held up */
	LEAST_SEEN = 10,
};

/* The rates that Linux can be built with, fastest first. */
static const unsigned rates[] = { 1024, 1000, 512, 500, 300, 256, 250, 200, 128, 100 };

/* The first gap that starts at `when` or later. */
static size_t first_from(const struct et_gap *gaps, size_t n, double when)
{
	size_t lo = 0, hi = n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if ((double)gaps[mid].start < when)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* The longest gap that starts at `when`, give or take: NULL when there is none. */
static const struct et_gap *gap_at(
	const struct et_gap *gaps, size_t n, double when, double tolerance)
{
	const struct et_gap *longest = NULL;

	for (size_t i = first_from(gaps, n, when - tolerance);
		i < n && (double)gaps[i].start <= when + tolerance; i++)
		if (!longest || gaps[i].length > longest->length)
			longest = &gaps[i];
	return longest;
}

/* Was the thread off the CPU at `when`? */
static bool away_at(const struct et_gap *gaps, size_t n, double when)
{
	size_t i = first_from(gaps, n, when);

	return i > 0 && (double)gaps[i - 1].start + (double)gaps[i - 1].length >= when;
}

/* What a timer explains that fired at gap `seed` and every `tick` since. */
struct walk {
	size_t due, seen, alone;
	double cost;
};

/* The phase follows what was seen, so that a clock being slewed is not lost. */
static struct walk walk_from(
	const struct et_gap *gaps, size_t n, size_t seed, double tick, double tolerance)
{
	struct walk w = { 0 };
	double last = (double)gaps[n - 1].start;

	for (double at = (double)gaps[seed].start; at <= last + tolerance; at += tick) {
		const struct et_gap *g = gap_at(gaps, n, at, tolerance);

		if (!g && away_at(gaps, n, at))
			continue;
		w.due++;
		if (!g)
			continue;
		w.seen++;
		at += ((double)g->start - at) / 8; /* one that was held up shifts it little */
		if ((double)g->length > tick / 4)  /* another ran meanwhile */
			continue;
		if (!w.alone++ || (double)g->length < w.cost)
			w.cost = (double)g->length;
	}
	return w;
}

/* The walk that explains most; one of the first gaps is a tick. */
static struct walk walk_best(const struct et_gap *gaps, size_t n, double tick, double tolerance)
{
	struct walk best = { 0 };

	for (size_t i = 0; i < n && (double)(gaps[i].start - gaps[0].start) < 2 * tick; i++) {
		struct walk w = walk_from(gaps, n, i, tick, tolerance);

		if (w.seen > best.seen)
			best = w;
	}
	return best;
}

/* Are at least num of den interrupts there that were due? */
static bool explains(struct walk w, size_t num, size_t den)
{
	return w.seen >= LEAST_SEEN && w.seen * den >= w.due * num;
}

/* What short gaps took of the time outside long ones. */
static double lost_ratio(const struct et_gap *gaps, size_t n, double tick)
{
	double total = (double)(gaps[n - 1].start - gaps[0].start), lost = 0;

	for (size_t i = 0; i + 1 < n; i++) {
		if ((double)gaps[i].length > tick / 4)
			total -= (double)gaps[i].length;
		else
			lost += (double)gaps[i].length;
	}
	return total > 0 ? lost / total : 0;
}

int et_timer_find(
	const struct et_gap *gaps, size_t n, double hz, uint64_t told_ns, struct et_timer *out)
{
	double tolerance = TOLERANCE_NS * hz / 1e9, tick = (double)told_ns * hz / 1e9;
	struct walk w = { 0 };
	bool found = false;

	if (told_ns) {
		w = walk_best(gaps, n, tick, tolerance);
		found = explains(w, 1, 3);
	}
	for (size_t r = 0; r < ET_LENGTH(rates) && !found; r++) {
		tick = hz / rates[r];
		w = walk_best(gaps, n, tick, tolerance);
		found = explains(w, 2, 3);
	}
	if (!found)
		return -ENOENT;
	*out = (struct et_timer){
		.tick_ns = tick / hz * 1e9,
		.cost_ns = w.cost / hz * 1e9,
		.interrupts = w.alone,
		.lost_ratio = lost_ratio(gaps, n, tick),
	};
	return 0;
}

uint64_t et_timer_told_ns(void)
{
	struct timespec t;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 ? et_timespec_ns(t) : 0;
}

/* Spins for so long; what the loop itself takes is not part of a gap. Returns the gaps known. */
static size_t spin(const struct et_counter *c, uint64_t ns, struct et_gap *gaps, size_t n)
{
	uint64_t step = UINT64_MAX, least = (uint64_t)(LEAST_GAP_NS * c->hz / 1e9);
	uint64_t last = et_counter_read(), end = last + (uint64_t)((double)ns * c->hz / 1e9);

	while (last < end && n < GAPS) {
		uint64_t now = et_counter_read(), passed = now - last;

		if (passed < step)
			step = passed;
		if (passed > least + step)
			gaps[n++] = (struct et_gap){ last + step, passed - step };
		last = now;
	}
	return n;
}

static int measure_here(const struct et_counter *c, uint64_t limit_ns, struct et_timer *out)
{
	struct et_gap gaps[GAPS];
	uint64_t until = et_clock_read_ns(CLOCK_MONOTONIC_RAW) + limit_ns;
	int rc = -ENOENT;
	size_t n = 0;

	/* The fastest usual tick would do in a tenth of a second. */
	do {
		n = spin(c, ET_TIMER_INTERRUPTS * UINT64_C(1000000), gaps, n);
		rc = et_timer_find(gaps, n, c->hz, et_timer_told_ns(), out);
		if (rc == 0 && out->interrupts >= ET_TIMER_INTERRUPTS)
			return 0;
	} while (n < GAPS && et_clock_read_ns(CLOCK_MONOTONIC_RAW) < until);
	return rc == 0 ? -EAGAIN : rc;
}

int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, struct et_timer *out)
{
	cpu_set_t before, here;
	int rc, cpu = sched_getcpu();
	bool pinned = false;

	if (!c->name || c->hz <= 0)
		return -EOPNOTSUPP;
	/* Every CPU has its own timer. */
	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before), &before) == 0) {
		CPU_ZERO(&here);
		CPU_SET((size_t)cpu, &here);
		pinned = sched_setaffinity(0, sizeof(here), &here) == 0;
	}
	rc = measure_here(c, limit_ns, out);
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	return rc;
}
