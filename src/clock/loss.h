/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The least that interrupts take of a stretch of running: a thread spins on a clock and sums up
 * the gaps it sees in windows of equal length. A stretch of so many ticks holds so many timer
 * interrupts, each of at least the smallest cost; the best of many windows is that, and what else
 * never fails to come. No memory but the struct: it can run for as long as one likes.
 * Windows that begin where samples begin, just behind a timer interrupt, and are as long, hold as
 * many.
 */
#ifndef ET_CLOCK_LOSS_H
#define ET_CLOCK_LOSS_H

#include "clock/counter.h"
#include "num/kbest.h"

struct et_loss {
	double window;      /* in ticks of the clock, of running */
	double away;        /* a longer gap is another thread's turn and no part of a window */
	uint64_t threshold; /* a shorter one is the loop's own */
	uint64_t step;      /* shortest loop seen */
	double ran, lost;   /* in the window that is not full yet */
	double all_ran, all_lost; /* in all of them, whether they were filled or not */
	struct et_kbest_set best; /* lost ticks of full windows; the mark is the same as a share */
};

enum {
	ET_LOSS_WINDOWS = ET_KBEST_EVIDENCE
}; /* so many best are kept apart: their spread is the uncertainty */

void et_loss_init(struct et_loss *l, double hz, uint64_t window_ns, uint64_t away_ns);
static inline void et_loss_open_window(struct et_loss *l)
{
	l->ran = l->lost = 0;
}

/* Of a hundred turns of others: it holds many timer interrupts. */
static inline bool et_loss_long(const struct et_loss *l)
{
	return l->window >= 100 * l->away;
}

static inline void et_loss_run(struct et_loss *l, double ran)
{
	l->ran += ran;
	l->all_ran += ran;
}

/*
 * Another had a turn. A short window must be one stretch: timer interrupts come at equal distances,
 * so that two halves from different places may have none between them, the whole never. In a long
 * one, one more or less of many does not matter.
 */
static inline void et_loss_preempted(struct et_loss *l)
{
	if (!et_loss_long(l))
		et_loss_open_window(l);
}

/* One reading of the clock after another: the loop is et_loss_spin, tests have their own. */
static inline void et_loss_step(struct et_loss *l, uint64_t passed)
{
	if (passed < l->step)
		l->step = passed;
	if ((double)passed > l->away) {
		et_loss_preempted(l);
		return;
	}
	et_loss_run(l, (double)passed);
	if (passed > l->threshold + l->step) {
		l->lost += (double)(passed - l->step);
		l->all_lost += (double)(passed - l->step);
	}
}
/* Puts the window away when it is full; was it? */
bool et_loss_close_window(struct et_loss *l);
/* Spins on a clock until a window is full, or for so many of its ticks. */
void et_loss_spin(struct et_loss *l, uint64_t (*read)(void), uint64_t ticks);
/* The least of a window, in ticks, and how much more the ET_LOSS_WINDOWS-th had. 0 without any. */
double et_loss_least(const struct et_loss *l, double *uncertainty);

#endif
