/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/paired.h"
#include "base/whole.h"
#include "stats/series/serial.h"

enum { MOST_EXACT = 49 };

/* Counts the differences that are not 0, adds up the positive ranks, and returns the tie term. */
static double rank_sum(const double *d, size_t n, size_t *some, double *v)
{
	ET_AUTO_FREE double *size = et_alloc(n * sizeof(*size));
	ET_AUTO_FREE double *rank = et_alloc(n * sizeof(*rank));
	ET_AUTO_FREE bool *positive = et_alloc(n * sizeof(*positive));

	*some = 0;
	*v = 0;
	for (size_t i = 0; i < n; i++) {
		if (d[i] == 0)
			continue;
		positive[*some] = d[i] > 0;
		size[(*some)++] = fabs(d[i]);
	}
	double ties = et_rank(size, *some, rank);
	for (size_t i = 0; i < *some; i++)
		if (positive[i])
			*v += rank[i];
	return ties;
}

static double exact_p(double v, double n)
{
	double half = n * (n + 1) / 4;

	return fmin(1, 2 * (v > half ? et_psignrank_upper(v - 1, n) : et_psignrank(v, n)));
}

/* Of V: Hollander & Wolfe (1999), eq. 3.11. */
static double variance(double n, double ties)
{
	return n * (n + 1) * (2 * n + 1) / 24 - ties / 48;
}

static double normal_p(double v, double n, double ties)
{
	double z = v - n * (n + 1) / 4;

	z -= z == 0 ? 0 : copysign(0.5, z);
	return et_pnorm_two_sided(z / sqrt(variance(n, ties)));
}

/*
 * Returns which Walsh average, counted from either end, bounds the interval; 0 if the level cannot
 * be reached. Exact: Hollander & Wolfe (1999), eq. 3.34. Otherwise it is where the normal
 * approximation crosses the level: for a shift between two Walsh averages only equal differences
 * are tied, and none is zero.
 */
static uint64_t bound_index(const double *sorted, double n, double level, bool exact)
{
	double alpha = 1 - level, v;

	if (n < 1 || 2 * pow(0.5, n) > alpha * (1 + 1e-9))
		return 0;
	if (exact)
		return (uint64_t)fmax(1, et_qsignrank(alpha / 2, n));
	v = variance(n, et_ties_sorted(sorted, (size_t)n).cubic);
	return (uint64_t)fmax(1, floor(n * (n + 1) / 4 + 0.5 - et_qnorm(1 - alpha / 2) * sqrt(v)));
}

struct et_interval_test et_signed_rank_test(const double *d, size_t n, double level)
{
	struct et_interval_test out = { .p = NAN, .df2 = NAN, .lo = NAN, .hi = NAN };
	ET_AUTO_FREE double *sorted = et_sorted_copy(d, n);
	size_t some;
	double ties = rank_sum(d, n, &some, &out.statistic);

	out.df = (double)some;
	out.exact = some == n && n <= MOST_EXACT && ties == 0;
	if (some)
		out.p = out.exact ? exact_p(out.statistic, out.df)
				  : normal_p(out.statistic, out.df, ties);
	out.estimate = et_walsh_median(sorted, n);
	uint64_t k = bound_index(sorted, (double)n, level, out.exact);
	if (k) {
		out.lo = et_walsh_kth(sorted, n, k);
		out.hi = et_walsh_kth(sorted, n, (uint64_t)n * (n + 1) / 2 + 1 - k);
	}
	return out;
}

struct et_interval_test et_sign_test(const double *d, size_t n, double level)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(d, n);
	struct et_interval around = et_median_interval(sorted, n, level);
	double positive = 0, negative = 0;

	for (size_t i = 0; i < n; i++) {
		positive += d[i] > 0;
		negative += d[i] < 0;
	}
	return (struct et_interval_test){
		.statistic = positive,
		.p = positive + negative > 0 ? fmin(1, 2 * et_pbinom(fmin(positive, negative),
								   positive + negative, 0.5))
					     : NAN,
		.df = positive + negative,
		.df2 = NAN,
		.estimate = et_median_sorted(sorted, n),
		.lo = around.lo,
		.hi = around.hi,
	};
}

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

static void widen_ranks(struct et_interval_test *t, const struct et_effective *e, double level)
{
	double factor = et_effective_width(e, level);

	t->p = et_effective_p(e, t->p);
	t->lo = t->estimate - (t->estimate - t->lo) * factor;
	t->hi = t->estimate + (t->hi - t->estimate) * factor;
}

static void warn_dependence(const double *d, size_t n, struct et_contrast *out)
{
	double r = et_autocorrelation(d, n, 1);

	if (n >= ET_DEPENDENCE_TESTABLE && r > et_acf_band(n, 0.99))
		et_warn(&out->warnings, ET_WARN_DEPENDENT_PAIRS, et_arg_number(r), et_arg_count(n),
			et_arg_count(et_u64(fmax(2, round((double)n / out->inflation)))));
}

enum { BY_MEAN, BY_RANKS, BY_SIGNS, BY_SEQUENCE };

static const struct {
	const char *test, *ratio;
} names[] = {
	[BY_MEAN] = { "paired-t", "geometric-mean" },
	[BY_RANKS] = { "signed-rank", "hodges-lehmann" },
	[BY_SIGNS] = { "sign", "median" },
	[BY_SEQUENCE] = { "confidence-sequence", "huber" },
};

/* Fewer pairs say little; as many that do not vary cannot be judged at all. */
static struct et_interval_test test_sequence(const struct et_sequence *s, size_t n)
{
	bool varies = s->error > 0 || n < ET_SEQUENCE_LEAST;

	return (struct et_interval_test){ .statistic = s->e,
		.p = varies ? s->p : NAN,
		.estimate = s->location,
		.lo = s->lo,
		.hi = s->hi };
}

static struct et_interval_test test_pairs(
	const double *d, size_t n, int by, double level, const struct et_effective *e)
{
	struct et_interval_test t = by == BY_MEAN    ? et_t_one_sample(d, n, 0, level)
				    : by == BY_SIGNS ? et_sign_test(d, n, level)
						     : et_signed_rank_test(d, n, level);

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

/*
 * Log ratios of memory that are all the same: a program may need the same pages in every run. Then
 * there is nothing to estimate. If they are not 0, all have the same sign, and p is that of the
 * sign test. With a margin it must be valid at every look: its inverse is the evidence of n coins
 * against fairness, with a uniform prior.
 */
static struct et_interval_test test_constant(double d, size_t n, double margin)
{
	double chance = ldexp(margin > 0 ? (double)n + 1 : 2, -(int)(n < 1000 ? n : 1000));

	return (struct et_interval_test){ .statistic = d == 0 ? 0 : (double)n,
		.p = d == 0 ? 1 : fmin(1, chance),
		.estimate = d,
		.lo = d,
		.hi = d };
}

static bool is_constant(const double *d, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		if (d[i] != d[0])
			return false;
	}
	return n >= ET_SEQUENCE_LEAST;
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
	/* With few pairs ranks barely reach significance, and dependence is probably chance. */
	bool few = n < ET_DEPENDENCE_TESTABLE && by != BY_MEAN;
	out->inflation = few ? 1 : et_serial_inflation(d, n);
	out->p_floor =
		by == BY_MEAN || by == BY_SEQUENCE ? 0 : ldexp(1, n < 1000 ? 1 - (int)n : -999);
	out->statistic = out->p = out->p_sign = out->ratio = out->lo = out->hi = NAN;
	out->mean_ratio = NAN;
	if (!n)
		return t;
	struct et_effective e = et_effective_of(out->inflation, n);
	if (out->unit == ET_UNIT_BYTES && is_constant(d, n)) {
		out->log_ratio_sd = 0;
		out->inflation = 1;
		out->method = names[BY_SIGNS].test;
		t = test_constant(d[0], n, out->margin);
	} else if (by == BY_SEQUENCE) {
		struct et_sequence s = et_sequence_of(d, n, out->level);
		out->inflation = s.inflation;
		t = test_sequence(&s, n);
	} else {
		t = test_pairs(d, n, by, out->level, &e);
	}
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
	/* The strongest test whose assumptions the pairs do not contradict. */
	int by = BY_MEAN;

	if (out->margin > 0)
		by = BY_SEQUENCE;
	else if (!(et_shapiro_wilk(d, n).p > ET_CHECK_ALPHA))
		by = n >= SKEW_TESTABLE && et_triples_test(d, n).p < skew_alpha ? BY_SIGNS
										: BY_RANKS;
	(void)judge(d, n, by, out);
}

struct et_interval_test et_judge_pairs_by_mean(const double *d, size_t n, struct et_contrast *out)
{
	return judge(d, n, BY_MEAN, out);
}
