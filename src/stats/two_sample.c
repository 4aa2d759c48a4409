/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/two_sample.h"
#include "base/alloc.h"
#include "num/dist.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/ks.h"
#include "stats/normality.h"
#include "stats/rank_sum.h"
#include "stats/student.h"

#include <math.h>

struct side {
	const double *x;
	size_t n;
};

static bool all_positive(const struct side *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!(s->x[i] > 0))
			return false;
	}
	return true;
}

static double *logs(const struct side *s)
{
	double *out = et_calloc(s->n, sizeof(*out));

	for (size_t i = 0; i < s->n; i++)
		out[i] = log(s->x[i]);
	return out;
}

static double *centred(const struct side *s)
{
	double *out = et_sorted_copy(s->x, s->n);
	double median = et_median_sorted(out, s->n);

	for (size_t i = 0; i < s->n; i++)
		out[i] -= median;
	return out;
}

/*
 * Fieller (1954): all ratios r for which mean b - r mean a is within t of its standard error. With
 * the variances and the freedom of the t test itself it holds 1 exactly when the test accepts.
 */
static bool ratio_of_means(
	const struct side *a, const struct side *b, bool pooled, struct et_contrast *out)
{
	double ma = et_mean(a->x, a->n), mb = et_mean(b->x, b->n);
	double va = et_variance(a->x, a->n), vb = et_variance(b->x, b->n);
	double na = (double)a->n, nb = (double)b->n, t = et_qt(0.5 + out->level / 2, out->df);

	if (pooled)
		va = vb = ((na - 1) * va + (nb - 1) * vb) / (na + nb - 2);
	va *= t * t / na;
	vb *= t * t / nb;
	double bounded = ma * ma - va;
	if (!(ma > 0) || !(mb > 0) || !(bounded > 0))
		return false;
	double root = sqrt(fmax(0, vb * ma * ma + va * mb * mb - va * vb));
	out->ratio = mb / ma;
	out->lo = (ma * mb - root) / bounded;
	out->hi = (ma * mb + root) / bounded;
	out->ratio_method = "fieller";
	return true;
}

/* Estimates the ratio by which b must be divided to have the distribution of a. */
static void ratio_of_ranks(const struct side *a, const struct side *b, struct et_contrast *out)
{
	if (!all_positive(a) || !all_positive(b))
		return;
	ET_AUTO_FREE double *x = logs(b);
	ET_AUTO_FREE double *y = logs(a);
	struct et_rank_sum w = et_rank_sum_test(x, b->n, y, a->n, out->level);
	out->ratio = exp(w.shift);
	out->lo = exp(w.lo);
	out->hi = exp(w.hi);
	out->ratio_method = "hodges-lehmann";
}

static void by_means(const struct side *a, const struct side *b, struct et_contrast *out)
{
	struct et_interval_test f = et_f_test(a->x, a->n, b->x, b->n, out->level);
	bool pooled = f.p > ET_CHECK_ALPHA;
	struct et_interval_test t = pooled ? et_t_student(a->x, a->n, b->x, b->n, out->level)
					   : et_t_welch(a->x, a->n, b->x, b->n, out->level);

	out->f.tested = true;
	out->f.statistic = f.statistic;
	out->f.p = f.p;
	out->method = pooled ? "student" : "welch";
	out->statistic = t.statistic;
	out->df = t.df;
	out->p = t.p;
	if (!ratio_of_means(a, b, pooled, out))
		ratio_of_ranks(a, b, out);
}

static void by_ranks(const struct side *a, const struct side *b, const struct et_rank_sum *w,
	struct et_contrast *out)
{
	ET_AUTO_FREE double *x = centred(a);
	ET_AUTO_FREE double *y = centred(b);
	struct et_ks ks = et_ks_test(x, a->n, y, b->n);

	out->ks.tested = true;
	out->ks.statistic = ks.d;
	out->ks.p = ks.p;
	out->same_shape = ks.p > ET_CHECK_ALPHA;
	out->method = "wilcoxon";
	out->statistic = w->w;
	out->p = w->p;
	ratio_of_ranks(a, b, out);
}

void et_judge_apart(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	struct et_contrast *out)
{
	struct side sa = { a, na }, sb = { b, nb };

	out->pairs = 0;
	out->arrangement = NULL;
	out->log_ratio_sd = out->p_sign = NAN;
	out->ratio = out->lo = out->hi = out->p = out->statistic = out->delta = NAN;
	out->df = 0;
	if (na < 2 || nb < 2)
		return;
	struct et_rank_sum w = et_rank_sum_test(a, na, b, nb, out->level);
	out->delta = -w.delta;
	if (both_gaussian)
		by_means(&sa, &sb, out);
	else
		by_ranks(&sa, &sb, &w, out);
}
