/* SPDX-License-Identifier: MIT */
#include "num/tick_count.h"
#include "base/base.h"
#include "base/doubles.h"

double et_interval_count(const double *from, const double *to, size_t n, double tick, double phase)
{
	double count = 0;

	/* The number of ticks before x is the smallest k with phase + k * tick >= x. */
	for (size_t i = 0; i < n; i++)
		count += ceil((to[i] - phase) / tick) - ceil((from[i] - phase) / tick);
	return count * tick;
}

/* A phase at which the count changes. */
struct edge {
	double phase; /* first, for et_ascending */
	int change;
};

static double residue(double x, double tick)
{
	double r = fmod(x, tick);

	return r < 0 ? r + tick : r;
}

int et_interval_count_range(
	const double *from, const double *to, size_t n, double tick, double *least, double *most)
{
	ET_AUTO_FREE struct edge *edges = malloc((2 * n + 1) * sizeof(*edges));
	double count = 0;

	if (!edges)
		return -ENOMEM;
	/* While the phase grows from 0 to a tick, a tick leaves each end and reaches each begin. */
	for (size_t i = 0; i < n; i++) {
		edges[2 * i] = (struct edge){ residue(to[i], tick), -1 };
		edges[2 * i + 1] = (struct edge){ residue(from[i], tick), 1 };
		/* Just before phase 0; edges at 0 come below. */
		count += floor(to[i] / tick) - floor(from[i] / tick);
	}
	qsort(edges, 2 * n, sizeof(*edges), et_ascending);
	double lo = INFINITY, hi = -INFINITY;
	for (size_t i = 0; i < 2 * n; i++) {
		count += edges[i].change;
		if (i + 1 < 2 * n && edges[i + 1].phase == edges[i].phase)
			continue;
		lo = fmin(lo, count);
		hi = fmax(hi, count);
	}
	*least = n ? lo * tick : 0;
	*most = n ? hi * tick : 0;
	return 0;
}
