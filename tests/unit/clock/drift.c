/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/drift.h"
#include "clock/counter.h"
#include "tap.h"

#include <errno.h>

enum { N = 40 };

/* A counter of 2.5 GHz, a CLOCK_MONOTONIC that is ppm fast, a rate that changes in the middle. */
static void make(struct et_drift_reading *r, double monotonic_ppm, double change_ppm)
{
	double counter = 1e12;

	for (int i = 0; i < N; i++) {
		double s = 0.02 * i, gap = 1e-7;
		if (i)
			counter += 0.02 * 2.5e9 * (i >= N / 2 ? 1 + change_ppm / 1e6 : 1);
		r[i].raw.reading = (uint64_t)counter;
		r[i].raw.ns = 5000000000u + (uint64_t)(s * 1e9);
		r[i].monotonic.reading = (uint64_t)(counter + gap * 2.5e9);
		r[i].monotonic.ns =
			7000000000u + (uint64_t)((s + gap) * 1e9 * (1 + monotonic_ppm / 1e6));
	}
}

static void test_fit(void)
{
	struct et_drift_reading r[N];
	struct et_drift d;

	make(r, 40, 0);
	ok(et_drift_fit(r, N, &d) == 0, "a line");
	near(d.hz, 2.5e9, 1e-9, 0, "its rate");
	near(d.monotonic_ppm, -40, 0, 0.02, "fewer counts in a second that is over sooner");
	near(d.hz_monotonic, 2.5e9 * (1 - 40e-6), 1e-8, 0, "by that clock");
	near(d.raw_ppm, 0, 0, 0.02, "a steady rate");
	ok(d.hz_uncertainty >= 0 && d.hz_uncertainty < 100, "its uncertainty is that of rounding");
	make(r, 0, 500);
	ok(et_drift_fit(r, N, &d) == 0, "a rate that changes");
	ok(d.raw_ppm > 400 && d.raw_ppm < 501, "is found: %g ppm", d.raw_ppm);
	make(r, 0, 0);
	r[9].raw.reading = r[8].raw.reading - 1;
	ok(et_drift_fit(r, N, &d) == -ERANGE, "a counter that goes back has no rate");
	make(r, 0, 0);
	r[9].monotonic.ns = r[8].monotonic.ns;
	ok(et_drift_fit(r, N, &d) == -ERANGE, "nor has a clock that stands still");
	ok(et_drift_fit(r, 5, &d) == -EINVAL, "five readings are too few");
}

static void test_ntp(void)
{
	struct timex t = { .freq = -3 * 65536, .offset = 25, .status = STA_PLL, .maxerror = 7 };
	struct et_ntp n;

	et_ntp_decode(&t, &n);
	near(n.frequency_ppm, -3, 0, 0, "a frequency has 16 bits behind the point");
	near(n.offset_ns, 25000, 0, 0, "microseconds");
	near(n.max_error_ns, 7000, 0, 0, "errors too");
	ok(n.synchronised && n.disciplined && n.error == 0, "steered and in step");
	t.status = STA_NANO | STA_UNSYNC;
	et_ntp_decode(&t, &n);
	near(n.offset_ns, 25, 0, 0, "nanoseconds when it says so");
	ok(!n.synchronised && !n.disciplined, "left to itself");
	et_ntp_read(&n);
	ok(n.error || fabs(n.frequency_ppm) <= 500.01, "the kernel allows 500 ppm: %g",
		n.frequency_ppm);
}

static bool stop_at_ten(void *ctx)
{
	return ++*(int *)ctx <= 10;
}

static void test_real(void)
{
	struct et_drift_reading r[N];
	struct et_drift d;
	int beats = 0;
	struct et_pulse pulse = { stop_at_ten, &beats };

	ok(et_drift_read(1000000, N, &pulse, r) == 10, "stops when told");
	ok(et_drift_read(100000000, N, NULL, r) == N, "reads evenly");
	double took = (double)(r[N - 1].raw.ns - r[0].raw.ns);
	ok(took > 0.09e9, "over the time it was given: %g ns", took);
	ok(et_drift_fit(r, N, &d) == 0, "the real clocks go forward");
	ok(fabs(d.monotonic_ppm) < 2000, "and CLOCK_MONOTONIC is near RAW: %g", d.monotonic_ppm);
	double hz = et_hz_by_sleep(50000000);
	if (!ET_HAVE_COUNTER)
		ok(isnan(hz), "no counter, no rate");
	else
		/* A sleep ends late, never early. */
		ok(hz > d.hz * 0.999, "by sleep %g, by a line %g", hz, d.hz);
}

int main(void)
{
	test_fit();
	test_ntp();
	test_real();
	return tap_done();
}
