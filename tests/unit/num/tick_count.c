/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tick counting against its closed form, and against a count tick by tick. */
#include "num/tick_count.h"
#include "tap.h"

/*
 * A period of length d under a tick of t at a random phase counts floor(d/t) ticks, or one more
 * with a probability equal to the fractional part of d/t. This is unbiased and at most a tick off.
 */
static void test_closed_form(void)
{
	static const double lengths[] = { 0.3, 1, 9.99, 10, 10.01, 25, 99.7 };
	enum { PHASES = 10000 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		double d = lengths[i], start = 3.7, end = start + d, sum = 0;
		int more = 0, other = 0;
		for (int k = 0; k < PHASES; k++) {
			double n = et_interval_count(&start, &end, 1, 10, (k + 0.5) * 10 / PHASES) /
				   10;
			more += n == floor(d / 10) + 1;
			other += n != floor(d / 10) && n != floor(d / 10) + 1;
			sum += 10 * n;
		}
		ok(other == 0, "count: a period of %g has one of two counts", d);
		near((double)more / PHASES, d / 10 - floor(d / 10), 0, 2.0 / PHASES,
			"count: a period of %g has the higher count in the expected share of "
			"phases",
			d);
		near(sum / PHASES, d, 0, 20.0 / PHASES, "count: a period of %g has no bias", d);
	}
}

/* Several periods, against a count tick by tick. */
static void test_stretches(void)
{
	const double from[] = { 0, 17, 40, 55.5 }, to[] = { 3, 36, 41, 90 };

	for (int phase = 0; phase < 10; phase++) {
		double ticks = 0;
		for (int k = 0; k < 10; k++) {
			double at = phase + 10.0 * k;
			for (int i = 0; i < 4; i++)
				ticks += at >= from[i] && at < to[i];
		}
		near(et_interval_count(from, to, 4, 10, phase), 10 * ticks, 0, 0,
			"count: four periods, phase %d", phase);
	}
	near(et_interval_count(from, to, 0, 10, 0), 0, 0, 0,
		"count: without periods the count is 0");
}

/* The bounds over all phases, against many phases. */
static void test_range(void)
{
	static const double from[] = { 0, 17, 40, 55.5, 70 }, to[] = { 3, 36, 40, 70, 90 };
	enum { PHASES = 2000 };

	for (size_t n = 0; n <= 5; n++) {
		double lo = INFINITY, hi = -INFINITY, least, most;
		for (int k = 0; k < PHASES; k++) {
			double count = et_interval_count(from, to, n, 10, k * 10.0 / PHASES);
			lo = fmin(lo, count);
			hi = fmax(hi, count);
		}
		ok(et_interval_count_range(from, to, n, 10, &least, &most) == 0 && least == lo &&
				most == hi,
			"range: %zu periods count from %g to %g (%g to %g)", n, lo, hi, least,
			most);
	}
}

int main(void)
{
	test_closed_form();
	test_stretches();
	test_range();
	return tap_done();
}
