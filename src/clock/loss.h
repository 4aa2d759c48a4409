/* SPDX-License-Identifier: MIT */
/*
 * The least time that interrupts take from running code. A thread spins on a clock and sums up the
 * gaps between readings in windows of equal length. Every window contains some timer interrupts,
 * and each of them takes at least a minimum, so the smallest loss of many windows is the loss that
 * no code of that length can avoid. A window that is as long as a timed sample, and begins just
 * after a timer interrupt as the sample does, contains as many timer interrupts as the sample. The
 * memory in use does not grow with time.
 */
#pragma once

#include "clock/counter.h"
#include "num/kbest.h"

struct et_loss {
	/* All times are in ticks of the clock. */
	double window;            /* length of a window */
	double max_gap;           /* a longer gap is preemption and not part of a window */
	uint64_t min_gap;         /* a shorter gap is variation of the loop itself */
	uint64_t step;            /* shortest iteration of the loop so far */
	double ran, lost;         /* length of the current window so far, and of the gaps in it */
	double all_ran, all_lost; /* the same over all windows, complete or not */
	struct et_kbest_set best; /* smallest losses of complete windows; mark: lost / ran */
};

/* The number of smallest losses that are kept; their spread is the uncertainty. */
enum { ET_LOSS_WINDOWS = ET_KBEST_EVIDENCE };

/* hz is the rate of the clock. A gap longer than max_gap_ns is preemption. */
void et_loss_init(struct et_loss *l, double hz, uint64_t window_ns, uint64_t max_gap_ns);

static inline void et_loss_open_window(struct et_loss *l)
{
	l->ran = l->lost = 0;
}

/* Whether windows are long enough to contain many timer interrupts. */
static inline bool et_loss_long(const struct et_loss *l)
{
	return l->window >= 100 * l->max_gap;
}

static inline void et_loss_run(struct et_loss *l, double ran)
{
	l->ran += ran;
	l->all_ran += ran;
}

/*
 * Another thread ran. A short window must be contiguous, so it begins anew: timer interrupts are
 * evenly spaced, and two half windows of different times may contain no timer interrupt at all,
 * while one whole window always contains its share. In a long window, one does not matter.
 */
static inline void et_loss_preempted(struct et_loss *l)
{
	if (!et_loss_long(l))
		et_loss_open_window(l);
}

/* Adds the ticks between two successive readings of the clock. */
static inline void et_loss_step(struct et_loss *l, uint64_t passed)
{
	if (passed < l->step)
		l->step = passed;
	if ((double)passed > l->max_gap) {
		et_loss_preempted(l);
		return;
	}
	et_loss_run(l, (double)passed);
	if (passed > l->min_gap + l->step) {
		l->lost += (double)(passed - l->step);
		l->all_lost += (double)(passed - l->step);
	}
}

/* If the window is complete, records its loss, opens the next window and returns true. */
bool et_loss_close_window(struct et_loss *l);
/* Opens a window and spins on a clock until it is complete or the given ticks have passed. */
void et_loss_spin(struct et_loss *l, uint64_t (*read)(void), uint64_t ticks);
/* Returns the smallest loss, in ticks, and how far the largest kept one is above it, or 0. */
double et_loss_least(const struct et_loss *l, double *uncertainty);
