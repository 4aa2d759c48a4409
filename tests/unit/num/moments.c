/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/moments.h"
#include "base/base.h"
#include "num/mean_interval.h"
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
	/* Rational arithmetic; the mean itself, 1e15 + 27/11, is not a double. */
	static const double steps[] = { 1, 0, 3, 2, 1, 5, 2, 2, 2, 3, 6 };
	double offset[11], t[11];
	for (int i = 0; i < 11; i++) {
		offset[i] = 1e15 + steps[i];
		t[i] = 1e15 + steps[i] + 10;
	}
	near(et_skewness(offset, 11), 0.7801669720510656, 1e-12, 0,
		"moments: the skewness of values far from 0 keeps its digits");
	near(et_kurtosis(x, 8), 2.78125, 1e-15, 0, "moments: the kurtosis of 8 values");
	near(et_kurtosis(offset, 11), 2.861261860579111, 1e-12, 0,
		"moments: the kurtosis of values far from 0 keeps its digits");
	ok(isnan(et_kurtosis(x, 0)), "moments: no value has no kurtosis");
	near(et_autocorrelation(offset, 11, 1), -0.0037654653039268424, 1e-10, 0,
		"moments: the autocorrelation of values far from 0 keeps its digits");
	near(et_mean(t, 11) - et_mean(offset, 11) + et_mean_rest(t, 11, et_mean(t, 11)) -
			et_mean_rest(offset, 11, et_mean(offset, 11)),
		10, 1e-14, 0, "moments: the difference of two means far from 0 keeps its digits");
	near(et_mean_rest(x, 8, et_mean(x, 8)), 0, 0, 0, "moments: an exact mean has no rest");
	return tap_done();
}
