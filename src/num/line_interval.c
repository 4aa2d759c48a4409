/* SPDX-License-Identifier: MIT */
#include "num/line_interval.h"
#include "num/student.h"

#include <math.h>

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
