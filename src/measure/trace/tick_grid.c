/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/trace/tick_grid.h"
#include "base/alloc.h"

#include <errno.h>
#include <math.h>

enum { ON_TIME = 100 }; /* a tick is on time within this part of the interval */

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

static uint64_t median_distance(const struct et_timer_record *records, size_t n)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(n, sizeof(*list));

	for (size_t i = 1; i < n; i++)
		list[i - 1] = records[i].start_ns - records[i - 1].start_ns;
	if (n < 2)
		return 0;
	qsort(list, n - 1, sizeof(*list), ascending);
	return list[(n - 1) / 2];
}

/* The phase at which most interrupts begin, or shortly after which they do. */
static uint64_t find_phase(
	const struct et_timer_record *records, size_t n, uint64_t interval, uint64_t width)
{
	ET_AUTO_FREE uint64_t *list = et_calloc(2 * n, sizeof(*list));
	size_t most = 0, end = 0;
	uint64_t phase = 0;

	for (size_t i = 0; i < n; i++)
		list[i] = records[i].start_ns % interval;
	qsort(list, n, sizeof(*list), ascending);
	/* Once more, an interval later, so that a window may contain the end of the circle. */
	for (size_t i = 0; i < n; i++)
		list[n + i] = list[i] + interval;
	for (size_t i = 0; i < n; i++) {
		while (end < i + n && list[end] <= list[i] + width)
			end++;
		if (end - i > most) {
			most = end - i;
			phase = list[i];
		}
	}
	return phase;
}

/* Least squares of the starts of those ticks that were on time, on their numbers. */
struct fit {
	double n, k, kk, y, ky, yy;
};

static void fit_add(struct fit *f, double k, double y)
{
	f->n++;
	f->k += k;
	f->kk += k * k;
	f->y += y;
	f->ky += k * y;
	f->yy += y * y;
}

/* y is how late a tick is, so the slope is the difference to the nominal interval. */
static void fit_end(const struct fit *f, struct et_tick_grid *out)
{
	if (f->n < 3)
		return;
	double skk = f->kk - f->k * f->k / f->n, sky = f->ky - f->k * f->y / f->n;
	double syy = f->yy - f->y * f->y / f->n, slope = sky / skk;

	out->interval_ns += slope;
	out->uncertainty_ns = sqrt(fmax(0, syy - slope * sky) / (f->n - 2) / skk);
}

int et_tick_grid_find(const struct et_timer_record *records, size_t n, uint64_t nominal_ns,
	bool *ticks, struct et_tick_grid *out)
{
	uint64_t interval = nominal_ns ? nominal_ns : median_distance(records, n);

	if (!n || interval < ON_TIME)
		return -ENOENT;
	uint64_t width = interval / ON_TIME, phase = find_phase(records, n, interval, width);
	/* An interrupt of cell k came after tick k was due; some come a little before most do. */
	uint64_t shift = interval + width - phase % interval, last = UINT64_MAX;
	uint64_t first_cell = (records[0].start_ns + shift) / interval;
	struct fit fit = { 0 };

	*out = (struct et_tick_grid){ .interval_ns = (double)interval };
	for (size_t i = 0; i < n; i++) {
		uint64_t cell = (records[i].start_ns + shift) / interval;
		uint64_t late = (records[i].start_ns + shift) % interval;
		bool on_time = late <= 2 * width;
		ticks[i] = cell != last && (on_time || records[i].charged != ET_TICK_IDLE);
		if (!ticks[i])
			continue;
		last = cell;
		out->n++;
		if (on_time)
			fit_add(&fit, (double)(cell - first_cell), (double)late);
	}
	fit_end(&fit, out);
	return out->n ? 0 : -ENOENT;
}
