/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least time that interrupts take from running code. A thread spins on a clock and sums up the
 * gaps in windows of equal length. Every window of a given length contains a number of timer
 * interrupts, each of which takes at least a minimum; the smallest loss of many windows is that sum
 * and whatever else is unavoidable. Windows that begin just after a timer interrupt, as samples do,
 * and are as long as samples contain the same number of them. This uses no memory but the struct,
 * however long it runs.
 */
#ifndef ET_CLOCK_LOSS_H
#define ET_CLOCK_LOSS_H

#include "clock/counter.h"
#include "num/kbest.h"

struct et_loss {
	double window;    /* its length, in ticks of the clock */
	double max_gap;   /* a longer gap, in ticks, is preemption and not part of a window */
	uint64_t min_gap; /* a shorter gap, in ticks, is variation of the loop itself */
	uint64_t step;    /* shortest iteration of the loop so far */
	double ran, lost; /* in the current window */
	double all_ran, all_lost; /* in all windows, complete or not */
	struct et_kbest_set best; /* ticks lost in complete windows; mark: their share */
};

/* The number of smallest losses that are kept; their spread is the uncertainty. */
enum { ET_LOSS_WINDOWS = ET_KBEST_EVIDENCE };

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
 * Another thread ran. A short window must be contiguous: timer interrupts are evenly spaced, so two
 * half windows taken at different times may contain no timer interrupt at all, while one whole
 * window always contains its share. In a long window one timer interrupt more or less does not
 * matter.
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
/* Closes the window if it is complete, opens the next one and returns true. */
bool et_loss_close_window(struct et_loss *l);
/* Opens a window and spins on a clock until it is complete or the given ticks have passed. */
void et_loss_spin(struct et_loss *l, uint64_t (*read)(void), uint64_t ticks);
/* The smallest loss in ticks, and how much larger the largest kept one is; 0 without windows. */
double et_loss_least(const struct et_loss *l, double *uncertainty);

#endif
