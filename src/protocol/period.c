/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/period.h"
#include "base/alloc.h"
#include "num/quantile.h"

#include <math.h>

static const double HOUR = 3600, MINUTE = 60;

double et_period_round(double period_s, double off_s)
{
	static const double minutes[] = { 1, 2, 3, 4, 5, 6, 10, 12, 15, 20, 30, 60 };
	double off = 0.01 * period_s + off_s, best = NAN;

	if (period_s >= HOUR - off) {
		best = fmax(round(period_s / HOUR), 1) * HOUR;
		return fabs(best - period_s) <= off ? best : period_s;
	}
	for (size_t i = 0; i < ET_LENGTH(minutes); i++) {
		double at = minutes[i] * MINUTE;
		if (isnan(best) || fabs(at - period_s) < fabs(best - period_s))
			best = at;
	}
	/* Round only if the candidates are further apart than the uncertainty. */
	return fabs(best - period_s) <= fmin(off, 0.05 * period_s) ? best : period_s;
}

/* True if a sample was taken at that time: a run may have been interrupted and resumed. */
static bool watching(const struct et_daemon_run *run, double at_s)
{
	const struct et_daemon_sample *w = run->listed;
	size_t lo = 0, hi = run->n_listed;

	if (!run->whole)
		return at_s >= 0 && at_s <= run->samples * run->sample_seconds;
	if (!hi || at_s < w[0].at_s)
		return false;
	while (hi - lo > 1) {
		size_t middle = lo + (hi - lo) / 2;
		if (w[middle].at_s <= at_s)
			lo = middle;
		else
			hi = middle;
	}
	/* A sample may take longer than usual; three times as long is a pause. */
	if (lo + 1 < run->n_listed && w[lo + 1].at_s - w[lo].at_s < 3 * run->sample_seconds)
		return true;
	return at_s <= w[lo].at_s + run->sample_seconds;
}

/* True if the daemon was seen at the predicted time. seen is sorted; *next advances. */
static bool met(const double *seen, size_t n, double at_s, double off_s, size_t *next)
{
	while (*next < n && seen[*next] < at_s - off_s)
		++*next;
	return *next < n && seen[*next] <= at_s + off_s;
}

static bool covers(const struct et_daemon_run *run, const double *seen, size_t n, double period)
{
	double off = fmin(run->sample_seconds + 0.05 * period, period / 3);
	double first = seen[0] - floor(seen[0] / period) * period;
	double end = seen[n - 1] + (run->samples + 1) * run->sample_seconds;
	size_t next = 0;

	for (size_t i = 0; i < n; i++) {
		double steps = round((seen[i] - seen[0]) / period);
		if (fabs(seen[i] - seen[0] - steps * period) > off)
			return false;
	}
	for (double at = first; at < end; at += period) {
		bool due = watching(run, at - off) && watching(run, at) && watching(run, at + off);
		if (!met(seen, n, at, off, &next) && due)
			return false;
	}
	return true;
}

size_t et_visits(const struct et_daemon_run *run, const size_t *places, size_t n, double *starts)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++) {
		size_t at = places[i];
		bool again = i && (at == places[i - 1] ||
					  (at == places[i - 1] + 1 &&
						  et_daemon_successive(run, places[i - 1])));
		if (!again)
			starts[k++] = run->listed[at].at_s;
	}
	return k;
}

double et_period_find(const struct et_daemon_run *run, const double *starts, size_t n)
{
	ET_AUTO_FREE double *gaps = et_calloc(n + 1, sizeof(*gaps));

	if (n < 2)
		return NAN;
	for (size_t i = 1; i < n; i++)
		gaps[i - 1] = starts[i] - starts[i - 1];
	et_sort(gaps, n - 1);
	/* The median, because an interruption of the run makes some distances twice as long. */
	double span = starts[n - 1] - starts[0];
	double periods = fmax(round(span / et_median_sorted(gaps, n - 1)), 1);
	double period = span / periods;
	if (!(period > run->sample_seconds / 2) || !covers(run, starts, n, period))
		return NAN;
	return et_period_round(period, run->sample_seconds / periods);
}
