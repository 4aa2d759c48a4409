/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/paired.h"
#include "num/dist.h"
#include "num/moments.h"
#include "stats/normality.h"
#include "stats/serial.h"
#include "stats/shape.h"
#include "stats/sign.h"
#include "stats/signed_rank.h"
#include "stats/student.h"

#include <math.h>

enum { DEPENDENCE_TESTABLE = 20, SKEW_TESTABLE = 20 };

/* Skewed beyond doubt: signed ranks suppose symmetry. */
static const double skew_alpha = 0.01;

double et_serial_inflation(const double *x, size_t n)
{
	double r = et_autocorrelation(x, n, 1), size = (double)n, sum = 0, power = 1;

	if (n >= DEPENDENCE_TESTABLE)
		r += (1 + 4 * r) / size;
	if (!(r > 0))
		return 1;
	if (n >= DEPENDENCE_TESTABLE)
		r += 0.3 * sqrt(fmax(0, 1 - r * r) / size);
	r = fmin(r, 0.95);
	for (size_t k = 1; k < n && power > 1e-9; k++) {
		power *= r;
		sum += (1 - (double)k / size) * power;
	}
	return 1 + 2 * sum;
}

/* What dependence leaves: the variance's own bias (n - v)/(n - 1) counts, too. */
struct effective {
	double factor; /* of the standard error */
	double df;     /* n/v - 1 */
};

static struct effective effective_of(double inflation, size_t n)
{
	double size = (double)n, bias = (size - 1) / fmax(size - inflation, 1);

	return (struct effective){ sqrt(inflation * bias), fmax(size / inflation, 2) - 1 };
}

/* The t test with fewer effective values. */
static void widen_t(struct et_interval_test *t, const struct effective *e, double level)
{
	double half = (t->hi - t->lo) / 2 / et_qt(0.5 + level / 2, t->df);

	half *= e->factor * et_qt(0.5 + level / 2, e->df);
	t->statistic /= e->factor;
	t->df = e->df;
	t->p = et_pt_two_sided(t->statistic, e->df);
	t->lo = t->estimate - half;
	t->hi = t->estimate + half;
}

/* A test by ranks or signs: its normal deviate is shrunk and held against t. */
static void widen_ranks(struct et_interval_test *t, const struct effective *e, double level)
{
	double z = -et_qnorm(t->p / 2);
	double factor = e->factor * et_qt(0.5 + level / 2, e->df) / et_qnorm(0.5 + level / 2);

	t->p = et_pt_two_sided(z / e->factor, e->df);
	t->lo = t->estimate - (t->estimate - t->lo) * factor;
	t->hi = t->estimate + (t->hi - t->estimate) * factor;
}

static struct et_interval_test signed_ranks(const double *d, size_t n, double level)
{
	struct et_signed_rank w = et_signed_rank_test(d, n, level);

	return (struct et_interval_test){
		.statistic = w.v, .p = w.p, .estimate = w.estimate, .lo = w.lo, .hi = w.hi
	};
}

static void warn_dependence(const double *d, size_t n, struct et_contrast *out)
{
	double r = et_autocorrelation(d, n, 1);

	if (n >= DEPENDENCE_TESTABLE && r > et_acf_band(n, 0.99))
		et_warn(&out->warnings,
			"neighbouring pairs resemble each other (autocorrelation %.2f): the test "
			"and the interval count %zu pairs as %.0f",
			r, n, fmax(2, (double)n / out->inflation));
}

void et_judge_pairs(const double *d, size_t n, struct et_contrast *out)
{
	bool gaussian = et_shapiro_wilk(d, n).p > ET_CHECK_ALPHA;
	bool skewed = n >= SKEW_TESTABLE && et_asymmetry(d, n).p < skew_alpha;
	struct et_interval_test sign = et_sign_test(d, n, out->level), t;

	out->pairs = n;
	out->log_ratio_sd = et_sd(d, n);
	out->inflation = et_serial_inflation(d, n);
	struct effective e = effective_of(out->inflation, n);
	t = gaussian ? et_t_one_sample(d, n, 0, out->level)
	    : skewed ? sign
		     : signed_ranks(d, n, out->level);
	if (out->inflation > 1) {
		widen_ranks(&sign, &e, out->level);
		if (gaussian)
			widen_t(&t, &e, out->level);
		else
			widen_ranks(&t, &e, out->level);
	}
	out->method = gaussian ? "paired-t" : skewed ? "sign" : "signed-rank";
	out->ratio_method = gaussian ? "geometric-mean" : skewed ? "median" : "hodges-lehmann";
	out->statistic = n ? t.statistic : NAN;
	out->df = gaussian ? t.df : 0;
	out->p = n ? t.p : NAN;
	out->p_sign = n ? sign.p : NAN;
	out->ratio = n ? exp(t.estimate) : NAN;
	out->lo = n ? exp(t.lo) : NAN;
	out->hi = n ? exp(t.hi) : NAN;
	warn_dependence(d, n, out);
}
