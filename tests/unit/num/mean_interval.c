/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Student's interval is compared with R's t.test; the widened ones with the definitions in the
 * header, computed apart from our code and with t quantiles of a table.
 */
#include "num/mean_interval.h"
#include "tap.h"

static void plain(void)
{
	const double ten[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	struct et_mean_interval m = et_mean_interval(ten, 10, 0.95);

	near(m.mean - m.half, 3.334149, 1e-6, 0, "mean interval: the lower end agrees with R");
	near(m.mean + m.half, 7.665851, 1e-6, 0, "mean interval: the upper end agrees with R");
	ok(m.inflation == 1 && !m.skewed && m.df == 9,
		"mean interval: ten symmetric values are not widened");
	m = et_mean_interval(ten, 1, 0.95);
	ok(m.mean == 1 && isnan(m.half) && isnan(m.u), "mean interval: one value has no spread");
	m = et_mean_interval(ten, 7, 0.95);
	ok(isnan(m.skew_effect) && !m.skewed,
		"mean interval: the skewness of seven values is not estimated");
}

static void skewed(void)
{
	double powers[10], mirrored[10];

	for (int i = 0; i < 10; i++) {
		powers[i] = ldexp(1, i);
		mirrored[i] = -powers[i];
	}
	struct et_mean_interval m = et_mean_interval(powers, 10, 0.95);
	near(m.skew_effect, 0.5470607035747423, 1e-9, 0,
		"mean interval: the effect of skewness on powers of two");
	near(m.half, 182.5486086325968, 1e-9, 0, "mean interval: skewness widens it");
	near(et_mean_interval(mirrored, 10, 0.95).half, m.half, 1e-12, 0,
		"mean interval: a tail to the left widens it as much");
}

static void dependent(void)
{
	const double ar[] = { 94, 91, 99, 88, 93, 85, 98, 100, 107, 101, 102, 100, 96, 99, 93, 95,
		101, 101, 98, 110, 105, 100, 101, 98, 97, 97, 108, 104, 103, 105 };
	double trend[40];

	for (int i = 0; i < 40; i++)
		trend[i] = i + 1;
	struct et_mean_interval m = et_mean_interval(ar, 30, 0.95);
	near(m.inflation, 3.3435267452937047, 1e-9, 0,
		"mean interval: dependence inflates the variance");
	near(m.df, 7.972561694691848, 1e-9, 0,
		"mean interval: dependence leaves fewer degrees of freedom");
	near(m.u, 1.9622863559577943, 1e-9, 0,
		"mean interval: dependence widens the standard uncertainty");
	/* The t quantile of 7.97 degrees of freedom lies between those of 7 and 8. */
	ok(m.half > 2.3060 * m.u && m.half < 2.3647 * m.u,
		"mean interval: the t quantile is that of the remaining freedom");
	m = et_mean_interval(trend, 40, 0.95);
	near(m.half, 16.024803189158522, 1e-9, 0,
		"mean interval: a drift counts as five independent values");
	ok(et_mean_interval(trend, 19, 0.95).inflation == 1,
		"mean interval: dependence of 19 values is not judged");
}

int main(void)
{
	plain();
	skewed();
	dependent();
	return tap_done();
}
