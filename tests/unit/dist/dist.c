/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Far tails keep their digits; arguments outside the domain give NaN without a message. */
#include "dist/dist.h"
#include "num/student.h"
#include "tap.h"

int main(void)
{
	near(et_pchisq_upper(1500, 10), 2.5205290537226118e-316, 1e-6, 0,
		"dist: the far tail of chi-square keeps its digits");
	near(et_qf(0.975, 1, 999), 5.0391, 1e-4, 0,
		"dist: a quantile of F on which some libraries hang is found");
	/* R: pf(4, 1, 116, ncp=8), pf(3, 4, 81, ncp=20) */
	near(et_pf_noncentral(4, 1, 116, 8), 0.20449524948572059, 1e-10, 0,
		"dist: noncentral F as in R");
	near(et_pf_noncentral(3, 4, 81, 20), 0.088500449216338456, 1e-10, 0,
		"dist: noncentral F of several degrees of freedom as in R");
	/* R: qtukey(0.95, 3, 5), qtukey(0.99, 8, 120), qtukey(0.95, 40, 20), and ptukey of these */
	near(et_qtukey(0.95, 3, 5), 4.60172544594, 1e-6, 0, "dist: Tukey's range as in R");
	near(et_qtukey(0.99, 8, 120), 5.11762746376, 1e-6, 0, "dist: Tukey's range of 8 means");
	near(et_qtukey(0.95, 40, 20), 6.37237972048, 1e-6, 0, "dist: Tukey's range of 40 means");
	near(et_qtukey(0.95, 2, 30), sqrt(2) * et_qt(0.975, 30), 1e-6, 0,
		"dist: Tukey's range of 2 means is Student's t");
	near(et_ptukey_upper(4.60172544594, 3, 5), 0.05, 1e-6, 0,
		"dist: the tail of Tukey's range belongs to its quantile");
	ok(isnan(et_qtukey(1.5, 3, 5)) && isnan(et_qtukey(0.95, 1, 5)) &&
			isnan(et_qtukey(0.95, 3, 1)) && isnan(et_ptukey_upper(-1, 3, 5)),
		"dist: Tukey's range outside its domain is NaN");
	ok(isnan(et_pf_noncentral(1, 1, 1, -1)) && isnan(et_pf_noncentral(1, 1, 1, 2e5)) &&
			isnan(et_pf_noncentral(NAN, 1, 1, 1)) &&
			isnan(et_pf_noncentral(1, 0, 1, 1)),
		"dist: noncentral F outside its domain is NaN");
	ok(isnan(et_qchisq(0.5, 0)) && isnan(et_pchisq_upper(1, NAN)) && isnan(et_qf(-1, 1, 1)),
		"dist: chi-square and F outside their domains are NaN");
	ok(isnan(et_pwilcox(1, 0, 3)) && isnan(et_qwilcox(0.5, 2.5, 3)) &&
			isnan(et_psignrank(1, 0)) && isnan(et_qsignrank(0.5, -1)),
		"dist: rank distributions outside their domains are NaN");
	return tap_done();
}
