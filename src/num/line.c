/* SPDX-License-Identifier: MIT */
#include "num/line.h"
#include "num/student.h"

#include <math.h>

static double weight_of(const double *sigma, size_t i)
{
	return sigma ? 1 / (sigma[i] * sigma[i]) : 1;
}

void et_line_fit_weighted(
	const double *x, const double *y, const double *sigma, size_t n, struct et_line *out)
{
	double weight = 0, mx = 0, my = 0, sxx = 0, sxy = 0, rest = 0;

	*out = (struct et_line){ NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN };
	for (size_t i = 0; i < n; i++) {
		weight += weight_of(sigma, i);
		mx += weight_of(sigma, i) * x[i];
		my += weight_of(sigma, i) * y[i];
	}
	mx /= weight;
	my /= weight;
	for (size_t i = 0; i < n; i++) {
		sxx += weight_of(sigma, i) * (x[i] - mx) * (x[i] - mx);
		sxy += weight_of(sigma, i) * (x[i] - mx) * (y[i] - my);
	}
	if (n < 2 || !(sxx > 0))
		return;
	out->slope = sxy / sxx;
	out->intercept = my - out->slope * mx;
	out->df = (double)n - 2;
	out->weight = weight;
	out->mean_x = mx;
	out->sxx = sxx;
	if (n < 3)
		return;
	for (size_t i = 0; i < n; i++) {
		double off = y[i] - my - out->slope * (x[i] - mx);
		rest += weight_of(sigma, i) * off * off;
	}
	out->residual_sd = sqrt(rest / (double)(n - 2));
	out->slope_error = out->residual_sd / sqrt(sxx);
	out->intercept_error = out->residual_sd * sqrt(1 / weight + mx * mx / sxx);
}

void et_line_fit(const double *x, const double *y, size_t n, struct et_line *out)
{
	et_line_fit_weighted(x, y, NULL, n, out);
}

void et_line_at(const struct et_line *line, double x, double level, struct et_line_at *out)
{
	double off = x - line->mean_x;
	double leverage = 1 / line->weight + off * off / line->sxx;
	double t = et_qt((1 + level) / 2, line->df);

	out->value = line->intercept + line->slope * x;
	out->error = line->residual_sd * sqrt(leverage);
	out->confidence = t * out->error;
	out->prediction = t * line->residual_sd * sqrt(1 + leverage);
}

bool et_line_is_off(const struct et_line_at *at, double y)
{
	/* Points exactly on a line leave residuals of a few units of the last digit. */
	double rounding = 1e-12 * fmax(fabs(y), fabs(at->value));

	return fabs(y - at->value) > at->prediction + rounding;
}
