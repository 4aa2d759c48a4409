/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/cluster.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"
#include "num/triples.h"

#include <math.h>

/* Spearman's coefficient: the correlation of the ranks, which a few far values do not decide. */
static double rank_correlation(const double *x, const double *y, size_t n)
{
	ET_AUTO_FREE double *a = et_calloc(n + 1, sizeof(*a));
	ET_AUTO_FREE double *b = et_calloc(n + 1, sizeof(*b));
	double mean = ((double)n + 1) / 2, xy = 0, xx = 0, yy = 0;

	et_rank(x, n, a);
	et_rank(y, n, b);
	for (size_t i = 0; i < n; i++) {
		xy += (a[i] - mean) * (b[i] - mean);
		xx += (a[i] - mean) * (a[i] - mean);
		yy += (b[i] - mean) * (b[i] - mean);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static void correlate(const struct et_daemon_run *run, const bool *far, struct et_cluster_shape *s)
{
	ET_AUTO_FREE double *x = et_calloc(run->n_listed + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(run->n_listed + 1, sizeof(*y));

	for (size_t i = 0; i + 1 < run->n_listed; i++) {
		if (!et_daemon_pair(run, i) || far[i] || far[i + 1])
			continue;
		x[s->pairs] = run->listed[i].elapsed_ms;
		y[s->pairs++] = run->listed[i + 1].elapsed_ms;
	}
	if (s->pairs < ET_CLUSTER_PAIRS)
		return;
	double r = rank_correlation(x, y, s->pairs), df = (double)s->pairs - 2;
	s->correlation = r;
	/* The t distribution fits Spearman's coefficient well from ten pairs on (Zar 1972). */
	s->correlation_p = isnan(r) ? NAN : et_pt_two_sided(r * sqrt(df / (1 - r * r)), df);
}

bool et_cluster_alike(const struct et_daemon_run *run, const bool *far)
{
	struct et_cluster_shape s = { .correlation_p = NAN };

	correlate(run, far, &s);
	return s.correlation > 0 && s.correlation_p < ET_CLUSTER_LEVEL;
}

double et_cluster_spread(const struct et_daemon_run *run, const bool *far)
{
	ET_AUTO_FREE double *x = et_calloc(run->n_listed + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < run->n_listed; i++) {
		if (!far[i])
			x[n++] = run->listed[i].elapsed_ms;
	}
	et_sort(x, n);
	double median = n ? et_median_sorted(x, n) : NAN;
	return n > 1 && median > 0 ? et_sd(x, n) / median : NAN;
}

struct et_cluster_shape et_cluster_shape_of(const struct et_daemon_run *run, const bool *far)
{
	struct et_cluster_shape s = {
		.skewness_z = NAN, .skewness_p = NAN, .correlation = NAN, .correlation_p = NAN
	};
	ET_AUTO_FREE double *x = et_calloc(run->n_listed + 1, sizeof(*x));
	size_t n = 0;

	for (size_t i = 0; i < run->n_listed; i++) {
		if (!far[i])
			x[n++] = run->listed[i].elapsed_ms;
	}
	if (n >= ET_CLUSTER_SAMPLES) {
		struct et_triples t = et_triples_test(x, n);
		s.skewness_z = t.z;
		/* The normal distribution would find 3 % of 20 symmetric values skewed at 0.5 %. */
		s.skewness_p = et_pt_two_sided(t.z, (double)n / 6);
	}
	correlate(run, far, &s);
	s.tested = !isnan(s.skewness_p) || !isnan(s.correlation_p);
	s.symmetric = s.tested && !(s.skewness_p < ET_CLUSTER_LEVEL) &&
		      !(s.correlation_p < ET_CLUSTER_LEVEL);
	return s;
}
