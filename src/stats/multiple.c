/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/multiple.h"

#include "base/alloc.h"

#include <math.h>

struct ranked {
	double p;
	size_t at;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct ranked *)a)->p, y = ((const struct ranked *)b)->p;

	return (x > y) - (x < y);
}

void et_holm(const double *p, size_t n, double *adjusted)
{
	ET_AUTO_FREE struct ranked *order = et_alloc(n * sizeof(*order));
	size_t m = 0;
	double most = 0;

	for (size_t i = 0; i < n; i++) {
		if (isnan(p[i]))
			adjusted[i] = NAN;
		else
			order[m++] = (struct ranked){ p[i], i };
	}
	if (m)
		qsort(order, m, sizeof(*order), by_p);
	for (size_t j = 0; j < m; j++) {
		most = fmax(most, (double)(m - j) * order[j].p);
		adjusted[order[j].at] = fmin(1, most);
	}
}

double et_sidak_level(double level, double m)
{
	return pow(level, 1 / m);
}

double et_sidak_alpha(double alpha, double m)
{
	return -expm1(log1p(-alpha) / m);
}

double et_sidak_p(double p, double m)
{
	return p < 1 ? -expm1(m * log1p(-p)) : 1;
}
