/* SPDX-License-Identifier: MIT */
#include "clock/loss.h"

enum { LEAST_GAP_NS = 300 }; /* entry to and exit from an interrupt take longer */

void et_loss_init(struct et_loss *l, double hz, uint64_t window_ns, uint64_t max_gap_ns)
{
	memset(l, 0, sizeof(*l));
	l->window = (double)window_ns * hz / 1e9;
	l->max_gap = (double)max_gap_ns * hz / 1e9;
	l->min_gap = (uint64_t)(LEAST_GAP_NS * hz / 1e9);
	l->step = UINT64_MAX / 2;
	et_kbest_set_init(&l->best, ET_LOSS_WINDOWS);
}

bool et_loss_close_window(struct et_loss *l)
{
	if (l->ran < l->window)
		return false;
	et_kbest_set_add(&l->best, l->lost, l->lost / l->ran);
	et_loss_open_window(l);
	return true;
}

void et_loss_spin(struct et_loss *l, uint64_t (*read)(void), uint64_t ticks)
{
	uint64_t first = read(), last = first, now;

	et_loss_open_window(l);
	do {
		now = read();
		et_loss_step(l, now - last);
		last = now;
	} while (!et_loss_close_window(l) && now - first < ticks);
}

double et_loss_least(const struct et_loss *l, double *uncertainty)
{
	size_t n = l->best.n < ET_LOSS_WINDOWS ? l->best.n : ET_LOSS_WINDOWS;

	*uncertainty = n ? l->best.value[n - 1] - l->best.value[0] : 0;
	return n ? l->best.value[0] : 0;
}
