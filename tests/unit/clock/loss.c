/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/loss.h"
#include "base/clock.h"
#include "tap.h"

static const double hz = 1e9;

/* A window of 1 ms in steps of 20 ns, with one longer gap (ns) in it. */
static void window(struct et_loss *l, uint64_t gap)
{
	for (int i = 0; i < 50000; i++)
		et_loss_step(l, i == 25000 ? 20 + gap : 20);
	et_loss_close_window(l);
}

static void simulated(void)
{
	static const uint64_t gaps[] = { 5000, 3000, 100, 9000, 4000 };
	struct et_loss l;
	double uncertainty = -1;

	et_loss_init(&l, hz, 1000000, 1000000);
	ok(et_loss_least(&l, &uncertainty) == 0 && uncertainty == 0,
		"loss: without windows it is 0");
	window(&l, gaps[0]);
	window(&l, gaps[1]);
	ok(et_loss_least(&l, &uncertainty) == 3000 && uncertainty == 2000,
		"loss: the least of two windows");
	window(&l, gaps[3]);
	window(&l, gaps[4]);
	ok(et_loss_least(&l, &uncertainty) == 3000 && uncertainty == 6000,
		"loss: the least of four windows");
	window(&l, gaps[2]);
	ok(et_loss_least(&l, &uncertainty) == 0, "loss: a gap of 100 ns is variation of the loop");
	near(l.all_lost, 21000, 0, 0, "loss: the sum over all windows");

	et_loss_init(&l, hz, 1000000, 1000000);
	et_loss_step(&l, 20);
	et_loss_step(&l, 5000000);
	et_loss_close_window(&l);
	ok(l.ran == 0 && l.lost == 0 && l.best.n == 0, "loss: preemption discards a window");
	for (int i = 0; i < 50000; i++)
		et_loss_step(&l, 20);
	et_loss_close_window(&l);
	ok(l.best.n == 1 && l.all_ran == 1000020,
		"loss: the next window begins after the preemption");
	/* Half of a window and half of another, with the timer interrupt in neither. */
	for (int half = 0; half < 2; half++) {
		et_loss_open_window(&l);
		for (int i = 0; i < 25000; i++)
			et_loss_step(&l, 20);
		et_loss_close_window(&l);
	}
	ok(l.best.n == 1, "loss: two half windows are no window");
	et_loss_init(&l, hz, 1000000, 10000);
	for (int half = 0; half < 2; half++) {
		for (int i = 0; i < 25000; i++)
			et_loss_step(&l, 20);
		et_loss_step(&l, 50000);
	}
	ok(et_loss_close_window(&l) && l.best.n == 1 && l.lost == 0,
		"loss: a long window continues after preemption");
}

static void real(void)
{
	struct et_counter c;
	struct et_loss l;
	double uncertainty;

	et_counter_identify(&c);
	if (!c.name || et_counter_calibrate(&c, 20000000)) {
		skip("this processor has no usable counter");
		return;
	}
	et_loss_init(&l, c.hz, 200000, 1000000);
	for (int i = 0; i < 20; i++)
		et_loss_spin(&l, et_counter_read, (uint64_t)(c.hz / 50));
	double least = et_loss_least(&l, &uncertainty);
	/* The gap that completes a window may be longer than the rest of the window. */
	ok(least >= 0 && least < l.window + l.max_gap && uncertainty >= 0,
		"real counter: %zu windows, at least %g of %g lost", l.best.n, least, l.window);
	ok(l.all_lost <= l.all_ran, "real counter: not more is lost than passed");
}

int main(void)
{
	simulated();
	real();
	return tap_done();
}
