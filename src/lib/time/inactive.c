/* SPDX-License-Identifier: MIT */
/*
 * The public calls about time: the stopwatch, ticks (their rate, their conversion, the cost of
 * reading them) and inactive periods. The stopwatch must not allocate, print or call anything that
 * may block.
 */
#include "lib/time/inactive.h"
#include "base/clock.h"
#include "clock/activity.h"
#include "lib/time/timebase.h"
#include "num/quantile.h"

#include <math.h>
#include <stdbool.h>

enum { EMPTY_PAIRS = 1001 };

void etalon_stopwatch_start(struct etalon_stopwatch *watch)
{
	watch->start_ns = et_clock_read_ns(CLOCK_MONOTONIC);
}

uint64_t etalon_stopwatch_ns(const struct etalon_stopwatch *watch)
{
	return et_clock_read_ns(CLOCK_MONOTONIC) - watch->start_ns;
}

#if !defined(__x86_64__) && !defined(__aarch64__)
uint64_t etalon_ticks_start(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

uint64_t etalon_ticks_stop(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}
#endif

/* Without a counter, ticks are nanoseconds of CLOCK_MONOTONIC_RAW; there is no warning then. */
static bool trusted(const struct et_clock_choice *c)
{
	return c->clock == ETALON_CLOCK_COUNTER || !c->warnings;
}

static void put(double *at, double value)
{
	if (at)
		*at = value;
}

int etalon_ticks_rate(double *hz, double *uncertainty)
{
	const struct et_clock_choice *c = et_clock_here();
	bool good = trusted(c);

	put(hz, good ? c->hz : NAN);
	put(uncertainty, good ? c->hz_uncertainty : NAN);
	return good ? ETALON_OK : ETALON_BAD_CLOCK;
}

double etalon_ticks_ns(double ticks)
{
	const struct et_clock_choice *c = et_clock_here();

	return trusted(c) ? ticks / c->hz * 1e9 : NAN;
}

int etalon_ticks_cost(double *ticks, double *uncertainty)
{
	double x[EMPTY_PAIRS];

	for (size_t i = 0; i < EMPTY_PAIRS; i++) {
		uint64_t t0 = etalon_ticks_start(), t1 = etalon_ticks_stop();

		x[i] = t1 > t0 ? (double)(t1 - t0) : 0;
	}
	put(ticks, et_median(x, EMPTY_PAIRS));
	/* Interrupted pairs are far fewer than a quarter; one tick is the resolution. */
	put(uncertainty, fmax((et_quantile_sorted(x, EMPTY_PAIRS, 0.75) -
				      et_quantile_sorted(x, EMPTY_PAIRS, 0.25)) /
					 2,
				 0.3));
	return ETALON_OK;
}

/* --- inactive periods --- */

/* 2^63 ticks are more than a hundred years. */
static uint64_t ticks_of(double ns, double hz)
{
	return (uint64_t)fmin(ns / 1e9 * hz, 0x1p63);
}

struct listing {
	struct etalon_period *list;
	size_t n, capacity;
};

static void keep_period(const struct et_activity *a, struct et_gap gap, void *ctx)
{
	struct listing *l = ctx;
	double tick_ns = 1e9 / a->hz;

	if (l->n < l->capacity)
		l->list[l->n++] = (struct etalon_period){ (double)(gap.start - a->begin) * tick_ns,
			(double)(gap.end - a->begin) * tick_ns };
}

int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out)
{
	double tick_ns = 1e9 / c->hz;
	struct listing l = { list, 0, list ? capacity : 0 };
	struct et_activity a;

	if (et_activity_init(&a, NULL, 1) != 0)
		return ETALON_NO_MEMORY;
	a.read = c->read;
	a.ctx = c->ctx;
	a.hz = c->hz;
	a.threshold = ticks_of(threshold_ns, c->hz);
	if (threshold_ns == 0) {
		a.threshold = et_activity_threshold(&a);
		threshold_ns = (double)a.threshold / a.hz * 1e9;
	}
	a.duration = ticks_of(duration_ns, c->hz);
	a.most = l.capacity ? l.capacity : UINT64_MAX;
	a.keep = keep_period;
	a.keep_ctx = &l;
	int rc = et_activity_spin(&a); /* it fails only if it is to move to a CPU */
	*out = (struct etalon_inactivity){
		.periods = a.gaps,
		.inactive_ns = (double)a.gap_ticks * tick_ns,
		.elapsed_ns = (double)(a.end - a.begin) * tick_ns,
		.threshold_ns = threshold_ns,
	};
	et_activity_free(&a);
	return rc || a.ended == ET_ACTIVITY_BACKWARDS ? ETALON_BAD_CLOCK : ETALON_OK;
}

static uint64_t read_raw(void *ctx)
{
	(void)ctx;
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
}

int etalon_inactive(double threshold_ns, double duration_ns, struct etalon_period *list,
	size_t capacity, struct etalon_inactivity *out)
{
	const struct et_inactive_clock raw = { read_raw, NULL, 1e9 };
	struct et_inactive_clock counter = { NULL, NULL, 0 };
	struct etalon_inactivity found;
	int rc = ETALON_BAD_CLOCK;

	if (!(threshold_ns >= 0 && duration_ns >= 0 && isfinite(threshold_ns) &&
		    isfinite(duration_ns)))
		return ETALON_BAD_DURATION;
	found.clock = et_clock_here()->clock;
	counter.hz = et_clock_here()->hz;
	if (found.clock == ETALON_CLOCK_COUNTER) {
		rc = et_inactive_find(&counter, threshold_ns, duration_ns, list, capacity, &found);
		found.clock = ETALON_CLOCK_COUNTER;
	}
	if (rc == ETALON_BAD_CLOCK) {
		rc = et_inactive_find(&raw, threshold_ns, duration_ns, list, capacity, &found);
		found.clock = ETALON_CLOCK_RAW;
	}
	if (rc == ETALON_OK && out)
		*out = found;
	return rc;
}
