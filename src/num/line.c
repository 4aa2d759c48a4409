/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/line.h"
#include "num/moments.h"

#include <math.h>

void et_line_fit(const double *x, const double *y, size_t n, struct et_line *out)
{
	double mx = et_mean(x, n), my = et_mean(y, n), sxx = 0, sxy = 0, rest = 0;

	*out = (struct et_line){ NAN, NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - mx) * (x[i] - mx);
		sxy += (x[i] - mx) * (y[i] - my);
	}
	if (n < 2 || !(sxx > 0))
		return;
	out->slope = sxy / sxx;
	out->intercept = my - out->slope * mx;
	if (n < 3)
		return;
	for (size_t i = 0; i < n; i++) {
		double off = y[i] - my - out->slope * (x[i] - mx);
		rest += off * off;
	}
	out->residual_sd = sqrt(rest / (double)(n - 2));
	out->slope_error = out->residual_sd / sqrt(sxx);
	out->intercept_error = out->residual_sd * sqrt(1 / (double)n + mx * mx / sxx);
}
