/* SPDX-License-Identifier: MIT */
#include "clock/anchor.h"
#include "base/clock.h"

enum { ATTEMPTS = 8 };

struct et_anchor et_anchor_take(uint64_t (*read)(void *ctx), void *ctx, clockid_t clock)
{
	struct et_anchor best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < ATTEMPTS; i++) {
		uint64_t before = read(ctx);
		uint64_t ns = et_clock_read_ns(clock);
		uint64_t after = read(ctx);

		if (after - before >= width)
			continue;
		width = after - before;
		best = (struct et_anchor){ before + width / 2, ns };
	}
	return best;
}

uint64_t et_anchor_ns(const struct et_anchor *from, const struct et_anchor *to, uint64_t reading)
{
	double ticks = (double)(to->reading - from->reading), ns = (double)(to->ns - from->ns);
	double off = reading >= from->reading ? (double)(reading - from->reading)
					      : -(double)(from->reading - reading);
	double at = ticks > 0 ? off * ns / ticks : 0;

	if (at < 0 && -at > (double)from->ns)
		return 0;
	return at < 0 ? from->ns - (uint64_t)-at : from->ns + (uint64_t)at;
}
