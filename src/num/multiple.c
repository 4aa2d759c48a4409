/* SPDX-License-Identifier: MIT */
#include "num/multiple.h"

#include "base/base.h"

struct ranked {
	double p;
	size_t at;
};

/* By p; equal ones in the order they came. */
static int by_p(const void *a, const void *b)
{
	const struct ranked *x = a, *y = b;

	return x->p != y->p ? (x->p > y->p) - (x->p < y->p) : (x->at > y->at) - (x->at < y->at);
}

/* Sorts the values that are not NaN; returns their number. */
static size_t rank(const double *p, size_t n, struct ranked *order)
{
	size_t m = 0;

	for (size_t i = 0; i < n; i++)
		if (!isnan(p[i]))
			order[m++] = (struct ranked){ p[i], i };
	if (m)
		qsort(order, m, sizeof(*order), by_p);
	return m;
}

void et_holm(const double *p, size_t n, double *adjusted)
{
	ET_AUTO_FREE struct ranked *order = et_calloc(n, sizeof(*order));
	size_t m = rank(p, n, order);
	double most = 0;

	for (size_t i = 0; i < n; i++)
		adjusted[i] = isnan(p[i]) ? NAN : 0;
	for (size_t j = 0; j < m; j++) {
		most = fmax(most, (double)(m - j) * order[j].p);
		adjusted[order[j].at] = fmin(1, most);
	}
}

void et_holm_steps(const double *p, size_t n, double alpha, double *levels, bool *rejected)
{
	ET_AUTO_FREE struct ranked *order = et_calloc(n, sizeof(*order));
	size_t m = rank(p, n, order);
	bool going = true;

	for (size_t i = 0; i < n; i++) {
		levels[i] = NAN;
		rejected[i] = false;
	}
	for (size_t j = 0; j < m; j++) {
		double level = alpha / (double)(m - j);
		going = going && order[j].p <= level;
		levels[order[j].at] = level;
		rejected[order[j].at] = going;
	}
}

double et_sidak_level(double level, double m)
{
	return pow(level, 1 / m);
}
