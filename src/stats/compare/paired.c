/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/paired.h"
#include "base/whole.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/student.h"
#include "num/triples.h"
#include "stats/compare/sign.h"
#include "stats/compare/signed_rank.h"
#include "stats/series/dependence.h"
#include "stats/series/normality.h"
#include "stats/series/serial.h"
#include "stats/series/student.h"

#include <math.h>

enum { SKEW_TESTABLE = 20 };

/*
 * The level of the test of symmetry, which signed ranks assume. A test by the third moment would
 * take the far values of a busy machine, which lie on both sides, for skewness, and the sign test
 * would then miss every fifth difference that signed ranks find.
 */
static const double skew_alpha = 0.05;

/* The t test with fewer effective values. */
static void widen_t(struct et_interval_test *t, const struct et_effective *e, double level)
{
	double half = (t->hi - t->lo) / 2 / et_qt(0.5 + level / 2, t->df);

	half *= e->factor * et_qt(0.5 + level / 2, e->df);
	t->statistic /= e->factor;
	t->df = e->df;
	t->p = et_pt_two_sided(t->statistic, e->df);
	t->lo = t->estimate - half;
	t->hi = t->estimate + half;
}

/* A test by ranks or signs: its normal deviate is shrunk and compared with t. */
static void widen_ranks(struct et_interval_test *t, const struct et_effective *e, double level)
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

	if (n >= ET_DEPENDENCE_TESTABLE && r > et_acf_band(n, 0.99))
		et_warn(&out->warnings, ET_WARN_DEPENDENT_PAIRS, et_arg_number(r), et_arg_count(n),
			et_arg_count(et_u64(fmax(2, round((double)n / out->inflation)))));
}

enum { BY_MEAN, BY_RANKS, BY_SIGNS };

static const struct {
	const char *test, *ratio;
} names[] = {
	[BY_MEAN] = { "paired-t", "geometric-mean" },
	[BY_RANKS] = { "signed-rank", "hodges-lehmann" },
	[BY_SIGNS] = { "sign", "median" },
};

/* The strongest test whose assumptions the pairs do not contradict. */
static int choose(const double *d, size_t n)
{
	if (et_shapiro_wilk(d, n).p > ET_CHECK_ALPHA)
		return BY_MEAN;
	return n >= SKEW_TESTABLE && et_triples_test(d, n).p < skew_alpha ? BY_SIGNS : BY_RANKS;
}

static struct et_interval_test test_pairs(
	const double *d, size_t n, int by, double level, const struct et_effective *e)
{
	struct et_interval_test t = by == BY_MEAN    ? et_t_one_sample(d, n, 0, level)
				    : by == BY_SIGNS ? et_sign_test(d, n, level)
						     : signed_ranks(d, n, level);

	if (e->factor > 1 && by == BY_MEAN)
		widen_t(&t, e, level);
	else if (e->factor > 1)
		widen_ranks(&t, e, level);
	return t;
}

struct et_interval_test et_pairs_by_ranks(const double *d, size_t n, double level)
{
	struct et_effective e =
		et_effective_of(n < ET_DEPENDENCE_TESTABLE ? 1 : et_serial_inflation(d, n), n);

	return test_pairs(d, n, BY_RANKS, level, &e);
}

static struct et_interval_test judge(const double *d, size_t n, int by, struct et_contrast *out)
{
	struct et_interval_test t = {
		.statistic = NAN, .p = NAN, .estimate = NAN, .lo = NAN, .hi = NAN
	};

	out->pairs = n;
	out->method = names[by].test;
	out->ratio_method = names[by].ratio;
	out->log_ratio_sd = et_sd(d, n);
	/*
	 * With few pairs a rank test barely reaches significance, and an apparent dependence is
	 * probably chance: do not widen.
	 */
	bool few = n < ET_DEPENDENCE_TESTABLE && by != BY_MEAN;
	out->inflation = few ? 1 : et_serial_inflation(d, n);
	out->p_floor = by == BY_MEAN ? 0 : ldexp(1, n < 1000 ? 1 - (int)n : -999);
	out->statistic = out->p = out->p_sign = out->ratio = out->lo = out->hi = NAN;
	out->mean_ratio = NAN;
	if (!n)
		return t;
	struct et_effective e = et_effective_of(out->inflation, n);
	t = test_pairs(d, n, by, out->level, &e);
	out->statistic = t.statistic;
	out->df = by == BY_MEAN ? t.df : 0;
	out->p = t.p;
	out->p_sign = test_pairs(d, n, BY_SIGNS, out->level, &e).p;
	out->mean_ratio = exp(et_mean(d, n));
	out->ratio = exp(t.estimate);
	out->lo = exp(t.lo);
	out->hi = exp(t.hi);
	warn_dependence(d, n, out);
	return t;
}

void et_judge_pairs(const double *d, size_t n, struct et_contrast *out)
{
	(void)judge(d, n, choose(d, n), out);
}

struct et_interval_test et_judge_pairs_by_mean(const double *d, size_t n, struct et_contrast *out)
{
	return judge(d, n, BY_MEAN, out);
}
