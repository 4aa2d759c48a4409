/* SPDX-License-Identifier: MIT */
#include "clock/timer.h"
#include "base/clock.h"

#include <errno.h>
#include <math.h>
#include <sched.h>

enum {
	GAPS = 1 << 16,
	LEAST_GAP_NS = 300,     /* entry to and exit from an interrupt take longer */
	PIECE_NS = 250000000,   /* time to spin before each evaluation */
	USUAL_TICK_NS = 4000000 /* if the kernel does not report it */
};

static const double SAME = 0.01; /* NTP and hypervisors change a rate by far less */

/* A gap longer than a quarter of the interval includes preemption, so it is left out. */
static void sum_up(const struct et_gap *gaps, size_t n, const bool *ticks, double hz,
	double interval, struct et_timer *out)
{
	double shortest = 0;

	out->tick_ns = interval / hz * 1e9;
	out->interrupts = 0;
	for (size_t i = 0; i < n; i++) {
		double length = (double)(gaps[i].end - gaps[i].start);

		if (!ticks[i] || length > interval / 4)
			continue;
		if (!out->interrupts++ || length < shortest)
			shortest = length;
	}
	out->cost_ns = shortest / hz * 1e9;
}

int et_timer_find(const struct et_gap *gaps, size_t n, double hz, uint64_t kernel_ns, bool *ticks,
	struct et_timer *out)
{
	double kernel = (double)kernel_ns * hz / 1e9, interval = 0;
	struct et_tick_fit fit;

	*out = (struct et_timer){ 0 };
	if (et_ticks_find(gaps, n, hz, ticks, &fit) == 0) {
		interval = fit.interval;
		out->found_ns = interval / hz * 1e9;
	}
	if (kernel_ns && !(fabs(interval / kernel - 1) < SAME)) {
		/* A regularity that the kernel's timer does not have is another timer's. */
		if (et_ticks_find_every(gaps, n, hz, kernel, ticks, &fit) != 0)
			return -ENOENT;
		sum_up(gaps, n, ticks, hz, kernel, out);
		out->tick_ns = (double)kernel_ns; /* exactly: kernel was rounded */
		return 0;
	}
	if (!(interval > 0))
		return -ENOENT;
	sum_up(gaps, n, ticks, hz, interval, out);
	return 0;
}

static int measure_here(struct et_activity *a, uint64_t limit_ns, const struct et_pulse *pulse,
	bool *ticks, struct et_timer *out)
{
	uint64_t kernel_ns = et_clock_tick_ns(), begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t piece_ns = ET_TIMER_INTERRUPTS * (kernel_ns ? kernel_ns : USUAL_TICK_NS);
	int rc;

	/* No other thread takes gaps out of the ring, so it contains all of them. */
	do {
		a->duration = (uint64_t)((double)piece_ns * a->hz / 1e9);
		rc = et_activity_spin(a);
		if (rc)
			return rc;
		rc = et_timer_find(a->ring, atomic_load(&a->written), a->hz, kernel_ns, ticks, out);
		if (rc == 0 && out->interrupts >= ET_TIMER_INTERRUPTS)
			return 0;
		piece_ns = PIECE_NS;
	} while (!a->lost && et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns < limit_ns &&
		 et_pulse_beat(pulse));
	return rc == 0 ? -EAGAIN : rc;
}

int et_timer_measure(const struct et_counter *c, uint64_t limit_ns, const struct et_pulse *pulse,
	struct et_timer *out)
{
	cpu_set_t before, here;
	struct et_activity a;
	int rc, cpu = sched_getcpu();
	bool pinned = false;

	rc = et_activity_init(&a, c, GAPS);
	if (rc)
		return rc;
	bool *ticks = malloc(GAPS * sizeof(*ticks));
	/* Stay on this CPU, because every CPU has its own timer. */
	if (cpu >= 0 && cpu < CPU_SETSIZE && sched_getaffinity(0, sizeof(before), &before) == 0) {
		CPU_ZERO(&here);
		CPU_SET((size_t)cpu, &here);
		pinned = sched_setaffinity(0, sizeof(here), &here) == 0;
	}
	/* Use a threshold below a microsecond only if readings are fast enough. */
	a.threshold = et_activity_threshold(&a);
	if ((double)a.threshold < 1.1e-6 * a.hz)
		a.threshold = (uint64_t)(LEAST_GAP_NS * a.hz / 1e9);
	rc = ticks ? measure_here(&a, limit_ns, pulse, ticks, out) : -ENOMEM;
	/* This fails only if all these CPUs are offline now; the kernel has moved the thread then.
	 */
	if (pinned)
		sched_setaffinity(0, sizeof(before), &before);
	free(ticks);
	et_activity_free(&a);
	return rc;
}
