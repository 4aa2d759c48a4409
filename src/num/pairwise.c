/* SPDX-License-Identifier: MIT */
#include "num/pairwise.h"

#include "base/alloc.h"
#include "num/quantile.h"

#include <assert.h>
#include <math.h>
#include <string.h>

struct pairs {
	const double *x, *y; /* y is NULL for Walsh averages */
	size_t nx, ny;
};

static uint64_t walsh_at_most(const struct pairs *p, double bound)
{
	uint64_t count = 0;
	size_t j = p->nx;

	/* As i grows, fewer partners j >= i stay at or below the bound. */
	for (size_t i = 0; i < j; i++) {
		while (j > i && (p->x[i] + p->x[j - 1]) / 2 > bound)
			j--;
		count += j - i;
	}
	return count;
}

static uint64_t differences_at_most(const struct pairs *p, double bound)
{
	uint64_t count = 0;
	size_t j = 0;

	/* As x_i grows, the partners with x_i - y_j <= bound begin later. */
	for (size_t i = 0; i < p->nx; i++) {
		while (j < p->ny && p->x[i] - p->y[j] > bound)
			j++;
		count += p->ny - j;
	}
	return count;
}

/* Maps doubles to integers of the same order. */
static int64_t key_of(double v)
{
	int64_t bits;

	v += 0.0; /* -0 becomes 0 */
	memcpy(&bits, &v, sizeof(bits));
	return bits < 0 ? INT64_MIN - bits : bits;
}

static double value_of(int64_t key)
{
	int64_t bits = key < 0 ? INT64_MIN - key : key;
	double v;

	memcpy(&v, &bits, sizeof(v));
	return v;
}

/* Returns the smallest double with at least k pairs at or below it, which is the k-th pair. */
static double kth(uint64_t (*at_most)(const struct pairs *, double), const struct pairs *p,
	double lo_value, double hi_value, uint64_t k)
{
	int64_t lo = key_of(lo_value), hi = key_of(hi_value);

	while (lo < hi) {
		int64_t mid = lo + (int64_t)(((uint64_t)hi - (uint64_t)lo) / 2);

		if (at_most(p, value_of(mid)) >= k)
			hi = mid;
		else
			lo = mid + 1;
	}
	return value_of(lo);
}

double et_walsh_kth(const double *x, size_t n, uint64_t k)
{
	struct pairs p = { .x = x, .nx = n };

	assert(n && k >= 1);
	return kth(walsh_at_most, &p, x[0], x[n - 1], k);
}

double et_walsh_median(const double *x, size_t n)
{
	uint64_t pairs = (uint64_t)n * (n + 1) / 2;

	if (!n)
		return NAN;
	if (pairs % 2)
		return et_walsh_kth(x, n, pairs / 2 + 1);
	return (et_walsh_kth(x, n, pairs / 2) + et_walsh_kth(x, n, pairs / 2 + 1)) / 2;
}

/* Differences above lo and at most hi, and how many are at or below each. */
struct range {
	double lo, hi;
	uint64_t at_lo, at_hi;
};

/*
 * Halves the range until it holds few differences, the k-th among them. Stops early at many ties,
 * because around 0 halving may take a thousand steps.
 */
static void narrow(const struct pairs *p, uint64_t k, struct range *r)
{
	enum { MOST_STEPS = 30 };

	for (int step = 0; step < MOST_STEPS && r->at_hi - r->at_lo > p->nx + p->ny; step++) {
		double mid = r->lo + (r->hi - r->lo) / 2;
		uint64_t count;
		if (!(r->lo < mid && mid < r->hi))
			return;
		count = differences_at_most(p, mid);
		*(count >= k ? &r->hi : &r->lo) = mid;
		*(count >= k ? &r->at_hi : &r->at_lo) = count;
	}
}

/* The k-th difference, one of the few in the range. */
static double kth_of_few(const struct pairs *p, uint64_t k, const struct range *r)
{
	ET_AUTO_FREE double *few = et_alloc((r->at_hi - r->at_lo) * sizeof(*few));
	size_t n = 0, from = 0;

	for (size_t i = 0; i < p->nx; i++) {
		while (from < p->ny && p->x[i] - p->y[from] > r->hi)
			from++;
		for (size_t j = from; j < p->ny && p->x[i] - p->y[j] > r->lo; j++)
			few[n++] = p->x[i] - p->y[j];
	}
	et_sort(few, n);
	return few[k - r->at_lo - 1] + 0.0; /* -0 becomes 0 */
}

double et_difference_kth(const double *x, size_t nx, const double *y, size_t ny, uint64_t k)
{
	struct pairs p = { .x = x, .y = y, .nx = nx, .ny = ny };
	struct range r = { .lo = nextafter(x[0] - y[ny - 1], -INFINITY),
		.hi = x[nx - 1] - y[0],
		.at_hi = (uint64_t)nx * ny };

	assert(nx && ny && k >= 1);
	narrow(&p, k, &r);
	if (r.at_hi - r.at_lo <= nx + ny)
		return kth_of_few(&p, k, &r);
	return kth(differences_at_most, &p, r.lo, r.hi, k);
}

double et_difference_median(const double *x, size_t nx, const double *y, size_t ny)
{
	uint64_t pairs = (uint64_t)nx * ny;

	if (!pairs)
		return NAN;
	if (pairs % 2)
		return et_difference_kth(x, nx, y, ny, pairs / 2 + 1);
	return (et_difference_kth(x, nx, y, ny, pairs / 2) +
		       et_difference_kth(x, nx, y, ny, pairs / 2 + 1)) /
	       2;
}
