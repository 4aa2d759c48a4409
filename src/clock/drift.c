/* SPDX-License-Identifier: MIT */
#include "clock/drift.h"
#include "base/clock.h"
#include "num/line.h"

#include <errno.h>
#include <math.h>

static uint64_t read_counter(void *ctx)
{
	(void)ctx;
#if ET_HAVE_COUNTER
	return et_counter_start();
#else
	return et_clock_read_ns(CLOCK_MONOTONIC_RAW);
#endif
}

size_t et_drift_read(
	uint64_t duration_ns, size_t n, const struct et_pulse *pulse, struct et_drift_reading *out)
{
	uint64_t began = et_clock_read_ns(CLOCK_MONOTONIC);
	size_t taken = 0;

	while (taken < n && et_pulse_beat(pulse)) {
		et_clock_sleep_until(CLOCK_MONOTONIC, began + duration_ns / (n - 1) * taken);
		out[taken++] = (struct et_drift_reading){
			.raw = et_anchor_take(read_counter, NULL, CLOCK_MONOTONIC_RAW),
			.monotonic = et_anchor_take(read_counter, NULL, CLOCK_MONOTONIC),
		};
	}
	return taken;
}

/* --- straight lines --- */

static bool is_after(const struct et_anchor *a, const struct et_anchor *b)
{
	return a->reading > b->reading && a->ns > b->ns;
}

static bool went_back(const struct et_drift_reading *r, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (!is_after(&r[i].raw, &r[i - 1].raw) ||
			!is_after(&r[i].monotonic, &r[i - 1].monotonic))
			return true;
	}
	return false;
}

/* Fits the rate in ticks per nanosecond, by CLOCK_MONOTONIC_RAW or by CLOCK_MONOTONIC. */
static struct et_line rate(const struct et_drift_reading *r, size_t n, bool raw)
{
	const struct et_anchor *first = raw ? &r->raw : &r->monotonic;
	double x[ET_DRIFT_READINGS], y[ET_DRIFT_READINGS];
	struct et_line line;

	for (size_t i = 0; i < n; i++) {
		const struct et_anchor *a = raw ? &r[i].raw : &r[i].monotonic;

		x[i] = (double)(a->ns - first->ns);
		y[i] = (double)(a->reading - first->reading);
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

int et_drift_fit(const struct et_drift_reading *r, size_t n, struct et_clock_drift *out)
{
	if (n < 6 || n > ET_DRIFT_READINGS)
		return -EINVAL;
	if (went_back(r, n))
		return -ERANGE;
	struct et_line raw = rate(r, n, true), monotonic = rate(r, n, false);
	struct et_line first = rate(r, n / 2, true), second = rate(r + n / 2, n - n / 2, true);

	out->hz = 1e9 * raw.slope;
	out->hz_uncertainty = 1e9 * raw.slope_error;
	out->hz_monotonic = 1e9 * monotonic.slope;
	out->raw_ppm = relative_ppm(&first, &second, &out->raw_ppm_uncertainty);
	out->monotonic_ppm = relative_ppm(&raw, &monotonic, &out->monotonic_ppm_uncertainty);
	return 0;
}

double et_hz_by_sleep(uint64_t sleep_ns)
{
	if (!ET_HAVE_COUNTER)
		return NAN;
	struct timespec nap = et_ns_timespec(sleep_ns);
	uint64_t a = et_counter_start();
	int rc = nanosleep(&nap, NULL);
	uint64_t b = et_counter_stop();
	return rc || b <= a ? NAN : (double)(b - a) / (double)sleep_ns * 1e9;
}

/* --- adjtimex --- */

void et_ntp_decode(const struct timex *t, struct et_ntp *out)
{
	/* freq is in ppm with a 16-bit fraction, offset in microseconds without STA_NANO. */
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
