/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/ks.h"

#include "base/alloc.h"
#include "num/quantile.h"

#include <math.h>
#include <stdint.h>

enum { MOST_EXACT = 10000 };

/*
 * Walks both series together in order. Steps are counted in whole numbers: after i values of x and
 * j of y the distributions differ by |i ny - j nx|, which is nx ny times the distance. last[k] is
 * set if the k-th smallest of all is the last of its ties: only there they can be compared.
 */
static uint64_t distance(const double *x, size_t nx, const double *y, size_t ny, bool *last)
{
	ET_AUTO_FREE double *sx = et_sorted_copy(x, nx), *sy = et_sorted_copy(y, ny);
	uint64_t most = 0;
	size_t i = 0, j = 0;

	while (i < nx || j < ny) {
		double v = j == ny || (i < nx && sx[i] <= sy[j]) ? sx[i] : sy[j];
		uint64_t a, b;

		for (; i < nx && sx[i] == v; i++)
			last[i + j] = false;
		for (; j < ny && sy[j] == v; j++)
			last[i + j] = false;
		last[i + j - 1] = true;
		a = (uint64_t)i * ny;
		b = (uint64_t)j * nx;
		most = a > b ? (a - b > most ? a - b : most) : (b - a > most ? b - a : most);
	}
	return most;
}

/*
 * The share of all orderings of nx and ny values (lattice paths from the origin) that stray at
 * least `most` apart. a[j] is that share among the paths to (i, j); only sums of positive numbers,
 * so that small p-values keep their digits. Hodges (1958); Schroer & Trenkler (1995) for ties.
 */
static double straying_share(size_t nx, size_t ny, uint64_t most, const bool *last)
{
	ET_AUTO_FREE double *a = et_calloc(ny + 1, sizeof(*a));

	for (size_t i = 0; i <= nx; i++)
		for (size_t j = 0; j <= ny; j++) {
			uint64_t up = (uint64_t)i * ny, across = (uint64_t)j * nx;
			uint64_t apart = up > across ? up - across : across - up;
			double steps = (double)(i + j);

			if (i + j == 0)
				a[j] = 0;
			else if (apart >= most && last[i + j - 1])
				a[j] = 1;
			else
				a[j] = (double)i / steps * a[j] +
				       (j ? (double)j / steps * a[j - 1] : 0);
		}
	return a[ny];
}

/* Kolmogorov (1933) and Smirnov (1939): the limit law, in the series that converges faster. */
double et_ks_asymptotic_p(double d, double nx, double ny)
{
	double z = sqrt(nx * ny / (nx + ny)) * d, sum = 0;

	if (isnan(z))
		return NAN;
	if (z < 0.2)
		return 1; /* to all digits */
	if (z < 1) {
		for (int k = 1; k <= 20; k += 2)
			sum += exp(-(double)(k * k) * M_PI * M_PI / (8 * z * z));
		return 1 - sqrt(2 * M_PI) / z * sum;
	}
	for (int k = 1; k <= 20; k++)
		sum += (k % 2 ? 2 : -2) * exp(-2 * (double)(k * k) * z * z);
	return sum;
}

struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny)
{
	ET_AUTO_FREE bool *last = et_alloc(nx + ny);
	struct et_ks out = { .d = NAN, .p = NAN };
	uint64_t most;

	if (!nx || !ny)
		return out;
	most = distance(x, nx, y, ny, last);
	out.d = (double)most / ((double)nx * (double)ny);
	out.exact = (double)nx * (double)ny < MOST_EXACT;
	if (!out.exact)
		out.p = et_ks_asymptotic_p(out.d, (double)nx, (double)ny);
	else
		out.p = most ? straying_share(nx, ny, most, last) : 1;
	return out;
}
