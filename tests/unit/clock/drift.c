/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/counter.h"
#include "clock/survey.h"
#include "tap.h"

#include <errno.h>

enum { N = 40 };

/* A counter of 2.5 GHz with a rate that changes in the middle, a CLOCK_MONOTONIC that is fast. */
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
	struct et_clock_drift d;

	make(r, 40, 0);
	ok(et_drift_fit(r, N, &d) == 0, "fit: steady clocks have a rate");
	near(d.hz, 2.5e9, 1e-9, 0, "fit: the rate by CLOCK_MONOTONIC_RAW");
	near(d.monotonic_ppm, -40, 0, 0.02,
		"fit: a fast CLOCK_MONOTONIC makes the counter slower by it");
	near(d.hz_monotonic, 2.5e9 * (1 - 40e-6), 1e-8, 0, "fit: the rate by CLOCK_MONOTONIC");
	near(d.raw_ppm, 0, 0, 0.02, "fit: a steady rate has no drift");
	ok(d.hz_uncertainty >= 0 && d.hz_uncertainty < 100,
		"fit: the uncertainty is only that of rounding");
	make(r, 0, 500);
	ok(et_drift_fit(r, N, &d) == 0, "fit: a rate that changes is accepted");
	ok(d.raw_ppm > 400 && d.raw_ppm < 501, "fit: the change of the rate is found: %g ppm",
		d.raw_ppm);
	make(r, 0, 0);
	r[9].raw.reading = r[8].raw.reading - 1;
	ok(et_drift_fit(r, N, &d) == -ERANGE, "fit: a counter that goes backwards is refused");
	make(r, 0, 0);
	r[9].monotonic.ns = r[8].monotonic.ns;
	ok(et_drift_fit(r, N, &d) == -ERANGE, "fit: a clock that stands still is refused");
	ok(et_drift_fit(r, 5, &d) == -EINVAL, "fit: five readings are too few");
}

static void test_ntp(void)
{
	struct timex t = { .freq = -3 * 65536, .offset = 25, .status = STA_PLL, .maxerror = 7 };
	struct et_ntp n;

	et_ntp_decode(&t, &n);
	near(n.frequency_ppm, -3, 0, 0, "ntp: the frequency has a 16-bit fraction");
	near(n.offset_ns, 25000, 0, 0, "ntp: the offset is in microseconds");
	near(n.max_error_ns, 7000, 0, 0, "ntp: errors are in microseconds");
	ok(n.synchronised && n.disciplined && n.error == 0,
		"ntp: STA_PLL means disciplined and synchronised");
	t.status = STA_NANO | STA_UNSYNC;
	et_ntp_decode(&t, &n);
	near(n.offset_ns, 25, 0, 0, "ntp: STA_NANO means an offset in nanoseconds");
	ok(!n.synchronised && !n.disciplined,
		"ntp: STA_UNSYNC means neither disciplined nor synchronised");
	et_ntp_read(&n);
	ok(n.error || fabs(n.frequency_ppm) <= 500.01,
		"ntp: the real frequency is within 500 ppm: %g", n.frequency_ppm);
}

static bool stop_at_ten(void *ctx)
{
	return ++*(int *)ctx <= 10;
}

static void test_real(void)
{
	struct et_drift_reading r[N];
	struct et_clock_drift d;
	int beats = 0;
	struct et_pulse pulse = { stop_at_ten, &beats };

	ok(et_drift_read(1000000, N, &pulse, r) == 10, "read: it ends when the pulse says so");
	ok(et_drift_read(100000000, N, NULL, r) == N, "read: all readings are taken");
	double took = (double)(r[N - 1].raw.ns - r[0].raw.ns);
	ok(took > 0.09e9, "read: they are spread over the duration: %g ns", took);
	ok(et_drift_fit(r, N, &d) == 0, "real clocks: they go forwards");
	ok(fabs(d.monotonic_ppm) < 2000,
		"real clocks: CLOCK_MONOTONIC is near CLOCK_MONOTONIC_RAW: %g ppm",
		d.monotonic_ppm);
	double hz = et_hz_by_sleep(50000000);
	if (!ET_HAVE_COUNTER)
		ok(isnan(hz), "by sleep: without a counter the rate is NaN");
	else
		/* A sleep ends late, never early, so the rate by sleep is too high. */
		ok(hz > d.hz * 0.999, "by sleep: the rate %g is not below the fitted %g", hz, d.hz);
}

int main(void)
{
	test_fit();
	test_ntp();
	test_real();
	return tap_done();
}
