/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Computes statistics for the benchmark scripts. Files contain one number per line. Prints:
 *
 *   bench-numbers summary FILE     n mean sd min median
 *   bench-numbers median FILE      median, and its 95 % interval (nan nan when n is too small)
 *   bench-numbers pairs A B        Hodges-Lehmann ratio a/b over pairs of lines, its 95 % interval,
 *                                  the standard deviation of a pair's log ratio, number of pairs
 */
#include "base/base.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/compare/paired.h"
#include "stats/series/interval.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct series {
	double *x;
	size_t n, cap;
};

static struct series read_series(const char *path)
{
	struct series s = { 0 };
	FILE *f = fopen(path, "re");
	double value;

	if (!f) {
		perror(path);
		exit(1);
	}
	while (fscanf(f, "%lf", &value) == 1) {
		ET_GROW(s.x, s.n, s.cap);
		s.x[s.n++] = value;
	}
	if (!feof(f) || !s.n) {
		fprintf(stderr, "bench-numbers: %s: expected one number per line\n", path);
		exit(1);
	}
	fclose(f);
	return s;
}

static void summary(struct series a)
{
	double mean = et_mean(a.x, a.n), sd = et_sd(a.x, a.n);

	et_sort(a.x, a.n);
	printf("%zu %.9g %.9g %.9g %.9g\n", a.n, mean, sd, a.x[0], et_median_sorted(a.x, a.n));
}

static void median(struct series a)
{
	et_sort(a.x, a.n);
	struct et_interval i = et_median_interval(a.x, a.n, 0.95);

	printf("%.9g %.9g %.9g\n", et_median_sorted(a.x, a.n), i.lo, i.hi);
}

static void pairs(struct series a, const struct series b)
{
	size_t n = a.n < b.n ? a.n : b.n;

	for (size_t i = 0; i < n; i++)
		a.x[i] = log(a.x[i] / b.x[i]);
	struct et_interval_test t = et_signed_rank_test(a.x, n, 0.95);
	printf("%.9g %.9g %.9g %.9g %zu\n", exp(t.estimate), exp(t.lo), exp(t.hi), et_sd(a.x, n),
		n);
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";
	struct series a = { 0 }, b = { 0 };

	if (argc > 2)
		a = read_series(argv[2]);
	if (argc > 3)
		b = read_series(argv[3]);
	if (!strcmp(what, "summary") && argc == 3)
		summary(a);
	else if (!strcmp(what, "median") && argc == 3)
		median(a);
	else if (!strcmp(what, "pairs") && argc == 4)
		pairs(a, b);
	else
		fprintf(stderr, "usage: bench-numbers summary|median FILE, pairs A B\n");
	free(a.x);
	free(b.x);
	return a.n ? 0 : 2;
}
