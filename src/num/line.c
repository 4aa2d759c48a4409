/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/line.h"
#include "num/dist.h"
#include "num/moments.h"

#include <math.h>

struct et_line et_line_fit(const double *x, const double *y, size_t n)
{
	struct et_line l = { .n = n,
		.mean_x = et_mean(x, n),
		.mean_y = et_mean(y, n),
		.slope = NAN,
		.slope_error = NAN,
		.sxx = NAN,
		.residual_sd = NAN,
		.p = NAN };
	double sxx = 0, sxy = 0, squares = 0, df = (double)n - 2;

	for (size_t i = 0; i < n; i++) {
		sxx += (x[i] - l.mean_x) * (x[i] - l.mean_x);
		sxy += (x[i] - l.mean_x) * (y[i] - l.mean_y);
	}
	if (n < 3 || !(sxx > 0))
		return l;
	l.sxx = sxx;
	l.slope = sxy / sxx;
	for (size_t i = 0; i < n; i++) {
		double rest = y[i] - l.mean_y - l.slope * (x[i] - l.mean_x);
		squares += rest * rest;
	}
	l.residual_sd = sqrt(squares / df);
	l.slope_error = l.residual_sd / sqrt(sxx);
	l.p = l.slope_error > 0 ? et_pt_two_sided(l.slope / l.slope_error, df) : NAN;
	return l;
}

double et_line_at(const struct et_line *l, double x)
{
	return l->mean_y + l->slope * (x - l->mean_x);
}

double et_line_error_at(const struct et_line *l, double x)
{
	double off = x - l->mean_x;

	return l->residual_sd * sqrt(1 / (double)l->n + off * off / l->sxx);
}
