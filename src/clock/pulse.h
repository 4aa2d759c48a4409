/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A callback by which a long measurement asks whether to continue, and shows its progress. */
#ifndef ET_CLOCK_PULSE_H
#define ET_CLOCK_PULSE_H

#include <stdbool.h>
#include <stddef.h>

struct et_pulse {
	bool (*beat)(void *ctx); /* false: stop, the user asked for it */
	void *ctx;
};

/* A pulse of NULL always continues. */
static inline bool et_pulse_beat(const struct et_pulse *p)
{
	return !p || !p->beat || p->beat(p->ctx);
}

#endif
