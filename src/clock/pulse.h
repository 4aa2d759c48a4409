/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Long measurements ask now and then whether to go on, which is also where progress is drawn. */
#ifndef ET_CLOCK_PULSE_H
#define ET_CLOCK_PULSE_H

#include <stdbool.h>
#include <stddef.h>

struct et_pulse {
	bool (*beat)(void *ctx); /* false: the user has had enough */
	void *ctx;
};

/* A pulse of NULL always goes on. */
static inline bool et_pulse_beat(const struct et_pulse *p)
{
	return !p || !p->beat || p->beat(p->ctx);
}

#endif
