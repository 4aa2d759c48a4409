/* SPDX-License-Identifier: MIT */
#include "lib/bench/location.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>

enum { EXPERIENCE_DF = 10 };

struct et_location et_locate(const double *x, size_t n)
{
	struct et_location l = { .at = NAN, .se = NAN, .df = NAN, .sd = NAN };
	size_t cut = n / 5, kept = n - 2 * cut;

	if (!n)
		return l;
	ET_AUTO_FREE double *w = et_sorted_copy(x, n);
	l.at = et_mean(w + cut, kept);
	l.sd = et_sd(w, n);
	for (size_t i = 0; i < cut; i++) {
		w[i] = w[cut];
		w[n - 1 - i] = w[n - 1 - cut];
	}
	l.se = et_sd(w, n) * sqrt((double)(n - 1) / (double)(kept * (kept - 1)));
	l.df = (double)kept - 1;
	return l;
}

struct et_location et_locate_cautiously(const double *x, size_t n, double reach)
{
	struct et_location l = et_locate(x, n);
	ET_AUTO_FREE double *w = et_alloc((n + 1) * sizeof(*w));
	double se;

	for (size_t i = 0; i < n; i++)
		w[i] = fmin(fmax(x[i], l.at - reach), l.at + reach);
	se = et_sd(w, n) / sqrt((double)n);
	if (se > l.se) {
		l.se = se;
		l.df = (double)n - 1;
	}
	return l;
}

double et_welch_df(double u, double df_u, double w, double df_w)
{
	double a = u * u, b = w * w;

	return a + b > 0 ? (a + b) * (a + b) / (a * a / df_u + b * b / df_w) : fmin(df_u, df_w);
}

double et_combined_df(double se, double df, double u)
{
	return et_welch_df(se, df, sqrt(fmax(u * u - se * se, 0)), EXPERIENCE_DF);
}
