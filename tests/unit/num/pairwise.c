/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Order statistics over pairs, compared with sorting all the pairs. */
#include "base/base.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "tap.h"

static void fill(struct et_rng *rng, double *x, size_t n, double step)
{
	for (size_t i = 0; i < n; i++)
		x[i] = step > 0 ? step * (double)et_rng_below(rng, 7) - 2 : et_rng_normal(rng);
	et_sort(x, n);
}

static void walsh(struct et_rng *rng, size_t n, double step)
{
	size_t m = n * (n + 1) / 2, k = 0, wrong = 0;
	ET_AUTO_FREE double *all = et_alloc(m * sizeof(*all)), *x = et_alloc(n * sizeof(*x));

	fill(rng, x, n, step);
	for (size_t i = 0; i < n; i++)
		for (size_t j = i; j < n; j++)
			all[k++] = (x[i] + x[j]) / 2;
	et_sort(all, m);
	for (k = 1; k <= m; k++)
		wrong += et_walsh_kth(x, n, k) != all[k - 1];
	ok(!wrong, "Walsh averages: every k of %zu values, step %g", n, step);
	near(et_walsh_median(x, n), et_median_sorted(all, m), 0, 0,
		"Walsh averages: median of %zu values, step %g", n, step);
}

static void differences(struct et_rng *rng, size_t nx, size_t ny, double step)
{
	size_t m = nx * ny, k = 0, wrong = 0;
	ET_AUTO_FREE double *all = et_alloc(m * sizeof(*all));
	double x[64], y[64];

	fill(rng, x, nx, step);
	fill(rng, y, ny, step);
	for (size_t i = 0; i < nx; i++)
		for (size_t j = 0; j < ny; j++)
			all[k++] = x[i] - y[j];
	et_sort(all, m);
	for (k = 1; k <= m; k++)
		wrong += et_difference_kth(x, nx, y, ny, k) != all[k - 1];
	ok(!wrong, "differences: every k of %zu and %zu values, step %g", nx, ny, step);
	near(et_difference_median(x, nx, y, ny), et_median_sorted(all, m), 0, 0,
		"differences: median of %zu and %zu values, step %g", nx, ny, step);
}

int main(void)
{
	struct et_rng rng;

	et_rng_seed(&rng, 11, 0);
	for (size_t n = 1; n <= 40; n += 13) {
		walsh(&rng, n, 0);
		walsh(&rng, n, 1);
		differences(&rng, n, 2 * n - 1 > 64 ? 9 : 2 * n - 1, 0);
		differences(&rng, n, 5, 1);
	}
	differences(&rng, 64, 61, 0);
	differences(&rng, 64, 61, 1); /* with more ties at 0 than values */
	ok(isnan(et_walsh_median(NULL, 0)), "Walsh averages: the median of no value is NaN");
	return tap_done();
}
