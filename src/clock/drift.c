/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "clock/drift.h"
#include "base/clock.h"
#include "clock/counter.h"
#include "num/line.h"

#include <errno.h>
#include <math.h>

static uint64_t count(void)
{
#if ET_HAVE_COUNTER
	return et_counter_start();
#else
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
#endif
}

/* The tightest of a few: an interrupt between the readings widens them. */
static struct et_reading read_once(void)
{
	struct et_reading best = { 0 };
	uint64_t width = UINT64_MAX;

	for (int i = 0; i < 8; i++) {
		uint64_t a = count();
		uint64_t raw = et_clock_read_ns(CLOCK_MONOTONIC_RAW);
		uint64_t b = count();
		uint64_t monotonic = et_clock_read_ns(CLOCK_MONOTONIC);
		uint64_t c = count();
		if (c - a >= width)
			continue;
		width = c - a;
		best = (struct et_reading){ a + (b - a) / 2, raw, b + (c - b) / 2, monotonic };
	}
	return best;
}

static void sleep_until(uint64_t due_ns)
{
	uint64_t now = et_clock_read_ns(CLOCK_MONOTONIC);
	struct timespec nap;

	if (due_ns <= now)
		return;
	nap = (struct timespec){ (time_t)((due_ns - now) / 1000000000),
		(long)((due_ns - now) % 1000000000) };
	nanosleep(&nap, NULL);
}

size_t et_readings_take(
	uint64_t duration_ns, size_t n, const struct et_pulse *pulse, struct et_reading *out)
{
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	size_t taken = 0;

	while (taken < n && et_pulse_beat(pulse)) {
		sleep_until(began + duration_ns / (n - 1) * taken);
		out[taken++] = read_once();
	}
	return taken;
}

/* --- lines --- */

static bool went_back(const struct et_reading *r, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (r[i].raw_counter <= r[i - 1].raw_counter || r[i].raw_ns <= r[i - 1].raw_ns ||
			r[i].monotonic_counter <= r[i - 1].monotonic_counter ||
			r[i].monotonic_ns <= r[i - 1].monotonic_ns)
			return true;
	}
	return false;
}

/* Counts a nanosecond, by the one clock or the other. */
static struct et_line rate(const struct et_reading *r, size_t n, bool raw)
{
	double x[ET_READINGS_MOST], y[ET_READINGS_MOST];
	struct et_line line;

	for (size_t i = 0; i < n; i++) {
		x[i] = (double)(raw ? r[i].raw_ns - r[0].raw_ns
				    : r[i].monotonic_ns - r[0].monotonic_ns);
		y[i] = (double)(raw ? r[i].raw_counter - r[0].raw_counter
				    : r[i].monotonic_counter - r[0].monotonic_counter);
	}
	et_line_fit(x, y, n, &line);
	return line;
}

static double relative_ppm(
	const struct et_line *a, const struct et_line *b, double *ppm_uncertainty)
{
	*ppm_uncertainty = 1e6 * hypot(a->slope_error / a->slope, b->slope_error / b->slope);
	return 1e6 * (b->slope / a->slope - 1);
}

int et_drift_fit(const struct et_reading *r, size_t n, struct et_drift *out)
{
	if (n < 6 || n > ET_READINGS_MOST)
		return -EINVAL;
	if (went_back(r, n))
		return -ERANGE;
	struct et_line raw = rate(r, n, true), monotonic = rate(r, n, false);
	struct et_line first = rate(r, n / 2, true), second = rate(r + n / 2, n - n / 2, true);

	out->hz = 1e9 * raw.slope;
	out->hz_uncertainty = 1e9 * raw.slope_error;
	out->hz_monotonic = 1e9 * monotonic.slope;
	out->hz_monotonic_uncertainty = 1e9 * monotonic.slope_error;
	out->raw_ppm = relative_ppm(&first, &second, &out->raw_ppm_uncertainty);
	out->monotonic_ppm = relative_ppm(&raw, &monotonic, &out->monotonic_ppm_uncertainty);
	return 0;
}

double et_hz_by_sleep(uint64_t sleep_ns)
{
	if (!ET_HAVE_COUNTER)
		return NAN;
	struct timespec nap = { (time_t)(sleep_ns / 1000000000), (long)(sleep_ns % 1000000000) };
	uint64_t a = et_counter_start();
	int rc = nanosleep(&nap, NULL);
	uint64_t b = et_counter_stop();
	return rc || b <= a ? NAN : (double)(b - a) / (double)sleep_ns * 1e9;
}

/* --- what the kernel says --- */

void et_ntp_decode(const struct timex *t, struct et_ntp *out)
{
	/* ppm come with 16 bits behind the point, offsets in microseconds unless told otherwise. */
	out->error = 0;
	out->frequency_ppm = (double)t->freq / 65536;
	out->offset_ns = (double)t->offset * (t->status & STA_NANO ? 1 : 1000);
	out->max_error_ns = (double)t->maxerror * 1000;
	out->estimated_error_ns = (double)t->esterror * 1000;
	out->synchronised = !(t->status & STA_UNSYNC);
	out->disciplined = t->status & (STA_PLL | STA_FLL);
}

void et_ntp_read(struct et_ntp *out)
{
	struct timex t = { 0 };

	*out = (struct et_ntp){ 0 };
	if (adjtimex(&t) < 0)
		out->error = errno;
	else
		et_ntp_decode(&t, out);
}
