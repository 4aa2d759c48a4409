/* SPDX-License-Identifier: MIT */
/* A callback that a long measurement calls now and then. It can stop the measurement. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_pulse {
	bool (*beat)(void *ctx); /* returns false to stop the measurement */
	void *ctx;
};

/* Returns whether to continue; always true if p is NULL. */
static inline bool et_pulse_beat(const struct et_pulse *p)
{
	return !p || !p->beat || p->beat(p->ctx);
}
