/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/moments.h"
#include "base/attr.h"
#include "tap.h"

int main(void)
{
	static const double x[] = { 2, 4, 4, 4, 5, 5, 7, 9 };
	static const double cancel[] = { 1e100, 1, -1e100 };
	static const double far[] = { 1e15, 1e15 + 1, 1e15 + 2, 1e15 + 3 };
	static const double huge[] = { 1e308, 1e308 }, same[] = { 0.1, 0.1, 0.1 };

	near(et_mean(x, 8), 5, 0, 0, "moments: the mean of 8 values is 5");
	near(et_variance(x, 8), 32.0 / 7, 1e-15, 0, "moments: the variance of 8 values is 32 / 7");
	near(et_sum(cancel, 3), 1, 0, 0, "moments: a sum keeps its digits when large terms cancel");
	near(et_variance(far, 4), 5.0 / 3, 1e-15, 0,
		"moments: the variance of values far from 0 keeps its digits");
	near(et_sd(same, 3), 0, 0, 0, "moments: the standard deviation of equal values is 0");
	near(et_sum(huge, 2), INFINITY, 0, 0, "moments: a sum that overflows is infinite, not NaN");
	ok(isnan(et_mean(x, 0)) && isnan(et_sd(x, 1)) && isnan(et_skewness(x, 0)),
		"moments: the mean of no value and the deviation of one are NaN");
	near(et_skewness(far, 4), 0, 0, 1e-12, "moments: the skewness of symmetric values is 0");
	near(et_kurtosis(far, 4), 1.64, 1e-12, 0,
		"moments: the kurtosis of four evenly spaced values is 1.64");
	return tap_done();
}
