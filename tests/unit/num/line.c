/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Least squares against R's lm() and predict(). */
#include "num/line.h"
#include "tap.h"

#include <math.h>

int main(void)
{
	static const double x[] = { 1, 2, 4, 7, 11, 16 }, y[] = { 2.1, 2.9, 5.2, 7.7, 12.4, 16.9 };
	static const double same[] = { 3, 3, 3, 3, 3, 3 };
	struct et_line l = et_line_fit(x, y, 6);

	near(l.slope, 1.00019980019980, 1e-13, 0, "slope");
	near(l.slope_error, 0.0216684214815134, 1e-13, 0, "its standard error");
	near(l.p, 1.31751527183137e-06, 1e-10, 0, "its p");
	near(l.residual_sd, 0.27987795256445, 1e-13, 0, "what is left");
	near(et_line_at(&l, 3), 4.03256743256743, 1e-13, 0, "a point of it");
	near(et_line_error_at(&l, 3), 0.141260825439227, 1e-13, 0, "and its standard error");
	near(et_line_at(&l, 20), 21.03596403596404, 1e-13, 0, "one outside");
	near(et_line_error_at(&l, 20), 0.307330232493518, 1e-13, 0, "and its standard error");
	ok(isnan(et_line_fit(x, y, 2).slope), "two points have no residuals");
	ok(isnan(et_line_fit(same, y, 6).slope), "nor is there a slope over one place");
	l = et_line_fit(x, x, 6);
	ok(l.slope == 1 && l.residual_sd == 0 && isnan(l.p), "an exact line has no test");
	return tap_done();
}
