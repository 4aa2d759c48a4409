/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The weighted line against R: summary(lm(y ~ x, weights = 1 / sigma^2)). */
#include "num/line.h"
#include "tap.h"

int main(void)
{
	const double x[] = { 1, 2, 4, 8, 16 }, y[] = { 2.1, 3.9, 8.1, 15.8, 32.3 };
	const double sigma[] = { .1, .1, .2, .4, .8 }, ten[] = { 1, 1, 2, 4, 8 };
	const double same[] = { 3, 3, 3, 3, 3 };
	struct et_line l, scaled;

	et_line_fit_weighted(x, y, sigma, 5, &l);
	near(l.slope, 1.99178145087236, 1e-12, 0, "slope");
	near(l.intercept, 0.0241505968778690, 1e-11, 0, "intercept");
	near(l.slope_error, 0.0342931999750149, 1e-11, 0, "standard error of the slope");
	near(l.intercept_error, 0.0926679008811719, 1e-11, 0, "of the intercept");

	et_line_fit_weighted(x, y, ten, 5, &scaled);
	near(scaled.slope, l.slope, 1e-12, 0, "only the ratio of the uncertainties counts");
	near(scaled.slope_error, l.slope_error, 1e-11, 0, "for the errors too");

	et_line_fit_weighted(x, y, sigma, 2, &l);
	near(l.slope, 1.8, 1e-12, 0, "two points");
	ok(isnan(l.slope_error) && isnan(l.intercept_error), "say nothing of errors");
	et_line_fit_weighted(same, y, sigma, 5, &l);
	ok(isnan(l.slope) && isnan(l.intercept), "no line through one x");
	et_line_fit_weighted(x, y, sigma, 0, &l);
	ok(isnan(l.slope), "none through nothing");
	return tap_done();
}
