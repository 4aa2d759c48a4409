/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a simulation is watched and stopped from outside, and what it counts. */
#ifndef ET_LAB_WATCH_H
#define ET_LAB_WATCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Asked after every repetition; false ends the simulation with what is known so far. */
struct et_lab_watch {
	bool (*go_on)(void *ctx, uint64_t done, uint64_t total); /* NULL: never stopped */
	void *ctx;
	/* Not 0: what is under way is not worth finishing; NULL: nobody says so. */
	const volatile sig_atomic_t *hurry;
};

static inline bool et_lab_goes_on(const struct et_lab_watch *w, uint64_t done, uint64_t total)
{
	return !w->go_on || w->go_on(w->ctx, done, total);
}

#endif
