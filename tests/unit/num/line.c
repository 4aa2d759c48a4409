/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fit is compared with NIST's certified values for the Norris data (StRD), the weighted fit
 * with R: summary(lm(y ~ x, weights = 1 / sigma^2)).
 */
#include "num/line.h"
#include "tap.h"

static const double norris[][2] /* y, x */ = { { 0.1, 0.2 }, { 338.8, 337.4 }, { 118.1, 118.2 },
	{ 888.0, 884.6 }, { 9.2, 10.1 }, { 228.1, 226.5 }, { 668.5, 666.3 }, { 998.5, 996.3 },
	{ 449.1, 448.6 }, { 778.9, 777.0 }, { 559.2, 558.2 }, { 0.3, 0.4 }, { 0.1, 0.6 },
	{ 778.1, 775.5 }, { 668.8, 666.9 }, { 339.3, 338.0 }, { 448.9, 447.5 }, { 10.8, 11.6 },
	{ 557.7, 556.0 }, { 228.3, 228.1 }, { 998.0, 995.8 }, { 888.8, 887.6 }, { 119.6, 120.2 },
	{ 0.3, 0.3 }, { 0.6, 0.3 }, { 557.6, 556.8 }, { 339.3, 339.1 }, { 888.0, 887.2 },
	{ 998.5, 999.0 }, { 778.9, 779.0 }, { 10.2, 11.1 }, { 117.6, 118.3 }, { 228.9, 229.2 },
	{ 668.4, 669.1 }, { 449.2, 448.9 }, { 0.2, 0.5 } };

static void test_weighted(void)
{
	const double x[] = { 1, 2, 4, 8, 16 }, y[] = { 2.1, 3.9, 8.1, 15.8, 32.3 };
	const double sigma[] = { .1, .1, .2, .4, .8 }, ten[] = { 1, 1, 2, 4, 8 };
	struct et_line l, scaled;

	et_line_fit_weighted(x, y, sigma, 5, &l);
	near(l.slope, 1.99178145087236, 1e-12, 0, "weighted line: the slope agrees with R");
	near(l.intercept, 0.0241505968778690, 1e-11, 0,
		"weighted line: the intercept agrees with R");
	near(l.slope_error, 0.0342931999750147, 1e-11, 0,
		"weighted line: the error of the slope agrees with R");
	near(l.intercept_error, 0.0926679008811714, 1e-11, 0,
		"weighted line: the error of the intercept agrees with R");
	et_line_fit_weighted(x, y, ten, 5, &scaled);
	near(scaled.slope, l.slope, 1e-12, 0,
		"weighted line: a common factor of sigma does not change the slope");
	near(scaled.slope_error, l.slope_error, 1e-11, 0,
		"weighted line: a common factor of sigma does not change the error");
	near(10 * scaled.residual_sd, l.residual_sd, 1e-11, 0,
		"weighted line: a common factor of sigma divides residual_sd");
}

/*
 * Four points about a line with residual sd 1, as NIST TN 1826 projects the times of functions 2 to
 * 5 to function 1: t(0.975, 2) = 4.302653, root = sqrt(1 + 1/4 + 2.5^2 / 5) = 1.581139.
 */
static void test_projection(void)
{
	const double x[] = { 2, 3, 4, 5 };
	/* The residuals are orthogonal to 1 and x, and their squares sum up to 2. */
	const double off = 0.7071067811865476, y[] = { 10 + off, 20 - off, 30 - off, 40 + off };
	struct et_line l;
	struct et_line_at at;

	et_line_fit(x, y, 4, &l);
	near(l.residual_sd, 1, 1e-12, 0, "projection: the residual sd of four points is 1");
	et_line_at(&l, 1, 0.95, &at);
	near(at.value, 0, 0, 1e-12, "projection: the line goes through (1, 0)");
	near(at.prediction, 6.803, 0, 0.0005,
		"projection: four points projected to x = 1 give 6.803 residual sds");
	near(at.confidence, 4.302652729911275 * sqrt(1.5), 1e-9, 0,
		"projection: the interval of the line lacks the spread of the new point");
	et_line_at(&l, 3.5, 0.95, &at);
	near(at.error, 0.5, 1e-12, 0, "projection: the line is known best at the mean of x");
	et_line_fit(x, y, 2, &l);
	et_line_at(&l, 1, 0.95, &at);
	ok(isnan(at.prediction) && isnan(at.confidence), "projection: two points give no interval");
}

/* Points on a line: what is left of their residuals is rounding. */
static void test_exact(void)
{
	static const double x[] = { 2, 3, 4, 5 }, y[] = { 0.4, 0.3, 0.2, 0.1 };
	struct et_line line;
	struct et_line_at at;

	et_line_fit(x, y, 4, &line);
	et_line_at(&line, 1, 0.95, &at);
	ok(!et_line_is_off(&at, 0.5) && !et_line_is_off(&at, 0.5 + 1e-15),
		"exact: rounding is not off the line");
	ok(et_line_is_off(&at, 0.5 + 1e-9) && et_line_is_off(&at, 0.5 - 1e-9),
		"exact: a value beside it is");
	at = (struct et_line_at){ .value = 10, .prediction = 2 };
	ok(!et_line_is_off(&at, 12) && et_line_is_off(&at, 12.001) && et_line_is_off(&at, 7.9),
		"line: values outside of the interval of one more point are off");
}

int main(void)
{
	enum { N = sizeof(norris) / sizeof(norris[0]) };
	double x[N], y[N];
	struct et_line line;

	for (int i = 0; i < N; i++) {
		y[i] = norris[i][0];
		x[i] = norris[i][1];
	}
	et_line_fit(x, y, N, &line);
	near(line.slope, 1.00211681802045, 1e-12, 0, "Norris: the slope is that of NIST");
	near(line.intercept, -0.262323073774029, 1e-11, 0, "Norris: the intercept is that of NIST");
	near(line.slope_error, 0.429796848199937e-03, 1e-11, 0,
		"Norris: the standard error of the slope is that of NIST");
	near(line.intercept_error, 0.232818234301152, 1e-11, 0,
		"Norris: the standard error of the intercept is that of NIST");
	near(line.residual_sd, 0.884796396144373, 1e-11, 0,
		"Norris: the residual standard deviation is that of NIST");

	et_line_fit(x, y, 2, &line);
	near(line.slope, (y[1] - y[0]) / (x[1] - x[0]), 1e-14, 0, "line: two points define it");
	ok(isnan(line.slope_error), "line: two points give no standard error");
	et_line_fit(x, y, 1, &line);
	ok(isnan(line.slope) && isnan(line.intercept), "line: one point does not define it");
	et_line_fit((double[]){ 3, 3, 3 }, y, 3, &line);
	ok(isnan(line.slope), "line: points with the same x do not define it");
	test_exact();
	test_weighted();
	test_projection();
	return tap_done();
}
