/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/line.h"

#include <math.h>

void et_line_fit_weighted(
	const double *x, const double *y, const double *sigma, size_t n, struct et_line *out)
{
	double weight = 0, mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0;

	*out = (struct et_line){ NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (sigma[i] * sigma[i]);
		weight += w;
		mx += w * x[i];
		my += w * y[i];
	}
	mx /= weight;
	my /= weight;
	for (size_t i = 0; i < n; i++) {
		double w = 1 / (sigma[i] * sigma[i]);
		sxx += w * (x[i] - mx) * (x[i] - mx);
		sxy += w * (x[i] - mx) * (y[i] - my);
	}
	if (n < 2 || !(sxx > 0))
		return;
	out->slope = sxy / sxx;
	out->intercept = my - out->slope * mx;
	for (size_t i = 0; i < n; i++) {
		double off = (y[i] - my - out->slope * (x[i] - mx)) / sigma[i];
		rest += off * off;
	}
	double factor = n > 2 ? rest / (double)(n - 2) : NAN;
	out->slope_error = sqrt(factor / sxx);
	out->intercept_error = sqrt(factor * (1 / weight + mx * mx / sxx));
}
