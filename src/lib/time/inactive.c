/* SPDX-License-Identifier: MIT */
#include "lib/time/inactive.h"

#include <math.h>
#include <stdbool.h>

/* 2^63 ticks are more than a hundred years. */
static uint64_t ticks_of(double ns, double hz)
{
	return (uint64_t)fmin(ns / 1e9 * hz, 0x1p63);
}

int et_inactive_find(const struct et_inactive_clock *c, double threshold_ns, double duration_ns,
	struct etalon_period *list, size_t capacity, struct etalon_inactivity *out)
{
	uint64_t threshold = ticks_of(threshold_ns, c->hz), duration = ticks_of(duration_ns, c->hz);
	uint64_t begin = c->read(c->ctx), last = begin, end = begin, inactive = 0;
	double tick_ns = 1e9 / c->hz;
	bool full = false;

	*out = (struct etalon_inactivity){ .threshold_ns = threshold_ns };
	while (last - begin < duration && !full) {
		uint64_t now = c->read(c->ctx);

		if (now < last)
			return ETALON_BAD_CLOCK;
		if (now - last > threshold) {
			/* Storing a period may itself take long: that belongs to the same period.
			 */
			out->periods += !out->periods || last != end;
			inactive += now - last;
			if (list && out->periods <= capacity) {
				struct etalon_period *p = &list[out->periods - 1];

				if (last != end || out->periods == 1)
					p->start_ns = (double)(last - begin) * tick_ns;
				p->end_ns = (double)(now - begin) * tick_ns;
				full = out->periods == capacity;
			}
			end = now;
		}
		last = now;
	}
	out->inactive_ns = (double)inactive * tick_ns;
	out->elapsed_ns = (double)(last - begin) * tick_ns;
	return ETALON_OK;
}
