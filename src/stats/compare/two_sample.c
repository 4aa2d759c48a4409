/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/two_sample.h"
#include "base/alloc.h"
#include "base/whole.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"
#include "stats/compare/rank_sum.h"
#include "stats/series/normality.h"
#include "stats/series/serial.h"
#include "stats/series/student.h"

#include <math.h>
#include <stdint.h>

enum { MOST_EXACT = 10000 };

/*
 * Walks both series together in order. Steps are counted in whole numbers: after i values of x and
 * j of y the distributions differ by |i ny - j nx|, which is nx ny times the distance. last[k] is
 * set if the k-th smallest of all is the last of its ties: only there they can be compared.
 */
static uint64_t distance(const double *x, size_t nx, const double *y, size_t ny, bool *last)
{
	ET_AUTO_FREE double *sx = et_sorted_copy(x, nx), *sy = et_sorted_copy(y, ny);
	uint64_t most = 0;
	size_t i = 0, j = 0;

	while (i < nx || j < ny) {
		double v = j == ny || (i < nx && sx[i] <= sy[j]) ? sx[i] : sy[j];
		uint64_t a, b;

		for (; i < nx && sx[i] == v; i++)
			last[i + j] = false;
		for (; j < ny && sy[j] == v; j++)
			last[i + j] = false;
		last[i + j - 1] = true;
		a = (uint64_t)i * ny;
		b = (uint64_t)j * nx;
		most = a > b ? (a - b > most ? a - b : most) : (b - a > most ? b - a : most);
	}
	return most;
}

/*
 * The share of all orderings of nx and ny values (lattice paths from the origin) that stray at
 * least `most` apart. a[j] is that share among the paths to (i, j); only sums of positive numbers,
 * so that small p-values keep their digits. Hodges (1958); Schroer & Trenkler (1995) for ties.
 */
static double straying_share(size_t nx, size_t ny, uint64_t most, const bool *last)
{
	ET_AUTO_FREE double *a = et_calloc(ny + 1, sizeof(*a));

	for (size_t i = 0; i <= nx; i++)
		for (size_t j = 0; j <= ny; j++) {
			uint64_t up = (uint64_t)i * ny, across = (uint64_t)j * nx;
			uint64_t apart = up > across ? up - across : across - up;
			double steps = (double)(i + j);

			if (i + j == 0)
				a[j] = 0;
			else if (apart >= most && last[i + j - 1])
				a[j] = 1;
			else
				a[j] = (double)i / steps * a[j] +
				       (j ? (double)j / steps * a[j - 1] : 0);
		}
	return a[ny];
}

/* Kolmogorov (1933) and Smirnov (1939): the limit law, in the series that converges faster. */
double et_ks_asymptotic_p(double d, double nx, double ny)
{
	double z = sqrt(nx * ny / (nx + ny)) * d, sum = 0;

	if (isnan(z))
		return NAN;
	if (z < 0.2)
		return 1; /* to all digits */
	if (z < 1) {
		for (int k = 1; k <= 20; k += 2)
			sum += exp(-(double)(k * k) * M_PI * M_PI / (8 * z * z));
		return 1 - sqrt(2 * M_PI) / z * sum;
	}
	for (int k = 1; k <= 20; k++)
		sum += (k % 2 ? 2 : -2) * exp(-2 * (double)(k * k) * z * z);
	return sum;
}

struct et_ks et_ks_test(const double *x, size_t nx, const double *y, size_t ny)
{
	ET_AUTO_FREE bool *last = et_alloc(nx + ny);
	struct et_ks out = { .d = NAN, .p = NAN };
	uint64_t most;

	if (!nx || !ny)
		return out;
	most = distance(x, nx, y, ny, last);
	out.d = (double)most / ((double)nx * (double)ny);
	out.exact = (double)nx * (double)ny < MOST_EXACT;
	if (!out.exact)
		out.p = et_ks_asymptotic_p(out.d, (double)nx, (double)ny);
	else
		out.p = most ? straying_share(nx, ny, most, last) : 1;
	return out;
}

struct side {
	const double *x;
	size_t n;
	bool positive; /* all values are above 0 */
};

static struct side side_of(const double *x, size_t n)
{
	struct side s = { x, n, true };

	for (size_t i = 0; i < n; i++)
		s.positive = s.positive && x[i] > 0;
	return s;
}

/* log(x / about) without the rounding of x / about where both are close. */
static double log_about(double x, double about)
{
	double d = (x - about) / about;

	return fabs(d) < 0.5 ? log1p(d) : log(x) - log(about);
}

static double median_of(const struct side *s)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(s->x, s->n);

	return et_median_sorted(sorted, s->n);
}

static double *logs(const struct side *s, double about)
{
	double *out = et_calloc(s->n, sizeof(*out));

	for (size_t i = 0; i < s->n; i++)
		out[i] = log_about(s->x[i], about);
	return out;
}

/* The means with the squares of their standard errors, and the quantile that their test uses. */
struct means {
	double a, b, va, vb, t;
};

/*
 * Fieller (1954): all ratios r for which mean b - r mean a is within t of its standard error. With
 * the variances and the freedom of the t test itself it holds 1 exactly when the test accepts.
 */
static bool ratio_of_means(const struct means *m, bool positive, struct et_contrast *out)
{
	double va = m->va * m->t * m->t, vb = m->vb * m->t * m->t, bounded = m->a * m->a - va;

	if (!(m->a > 0) || !(m->b > 0) || !(bounded > 0))
		return false;
	double root = sqrt(fmax(0, vb * m->a * m->a + va * m->b * m->b - va * vb));
	double lo = (m->a * m->b - root) / bounded;
	/* The ratio of two positive quantities is not negative; of others it is no factor. */
	if (lo < 0 && !positive)
		return false;
	out->ratio = m->b / m->a;
	out->lo = fmax(lo, 0);
	out->hi = (m->a * m->b + root) / bounded;
	out->ratio_method = "fieller";
	return true;
}

/* A test by ranks: its normal deviate is shrunk by the dependence and compared with t. */
struct shrinkage {
	double factor; /* of the standard error; 1: no dependence was found */
	double df;
};

static struct shrinkage shrinkage_of(
	const struct side *a, const struct side *b, const struct et_dependence *d)
{
	double values = (double)a->n / d->inflation_a + (double)b->n / d->inflation_b;

	return (struct shrinkage){ sqrt(d->inflation), fmax(values, 4) - 2 };
}

static double shrunk_p(double p, const struct shrinkage *s)
{
	return s->factor > 1 ? et_pt_two_sided(et_qnorm(p / 2) / s->factor, s->df) : p;
}

/* Estimates the ratio by which b must be divided to have the distribution of a. */
static void ratio_of_ranks(const struct side *a, const struct side *b, const struct shrinkage *s,
	struct et_contrast *out)
{
	if (!a->positive || !b->positive)
		return;
	double about = median_of(a);
	ET_AUTO_FREE double *x = logs(b, about);
	ET_AUTO_FREE double *y = logs(a, about);
	struct et_rank_sum w = et_rank_sum_test(x, b->n, y, a->n, out->level);
	double wider = s->factor > 1 ? s->factor * et_qt(0.5 + out->level / 2, s->df) /
					       et_qnorm(0.5 + out->level / 2)
				     : 1;

	out->ratio = exp(w.shift);
	out->lo = exp(w.shift - wider * (w.shift - w.lo));
	out->hi = exp(w.shift + wider * (w.hi - w.shift));
	out->ratio_method = "hodges-lehmann";
}

/* The t test of dependent series: Welch's with their effective sizes. */
static void allow_for_dependence(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct means *m, struct et_contrast *out)
{
	struct et_effective ea = et_effective_of(d->inflation_a, a->n);
	struct et_effective eb = et_effective_of(d->inflation_b, b->n);
	struct et_component parts[] = {
		{ .u = ea.factor * sqrt(m->va), .c = 1, .df = ea.df },
		{ .u = eb.factor * sqrt(m->vb), .c = 1, .df = eb.df },
	};
	struct et_combined all = et_combine(parts, ET_LENGTH(parts), out->level);

	m->va = parts[0].u * parts[0].u;
	m->vb = parts[1].u * parts[1].u;
	out->df = all.df;
	if (isnan(out->p))
		return;
	out->statistic = (m->a - m->b) / all.u;
	out->p = et_pt_two_sided(out->statistic, all.df);
}

static void by_means(const struct side *a, const struct side *b, const struct et_dependence *d,
	struct et_contrast *out)
{
	double na = (double)a->n, nb = (double)b->n, level = out->level;
	struct means m = { et_mean(a->x, a->n), et_mean(b->x, b->n), et_variance(a->x, a->n) / na,
		et_variance(b->x, b->n) / nb, 0 };
	struct et_interval_test f = et_f_test(a->x, a->n, b->x, b->n, level);
	bool pooled = f.p > ET_CHECK_ALPHA;
	struct et_interval_test t = pooled ? et_t_student(a->x, a->n, b->x, b->n, level)
					   : et_t_welch(a->x, a->n, b->x, b->n, level);

	out->f.tested = true;
	out->f.statistic = f.statistic;
	out->f.p = f.p;
	out->method = pooled ? "student" : "welch";
	out->published.statistic = out->statistic = t.statistic;
	out->published.df = out->df = t.df;
	out->published.p = out->p = t.p;
	if (d->inflation > 1) {
		allow_for_dependence(a, b, d, &m, out);
	} else if (pooled) {
		double v = ((na - 1) * na * m.va + (nb - 1) * nb * m.vb) / (na + nb - 2);
		m.va = v / na;
		m.vb = v / nb;
	}
	m.t = et_qt(0.5 + level / 2, out->df);
	if (!ratio_of_means(&m, a->positive && b->positive, out)) {
		struct shrinkage s = shrinkage_of(a, b, d);
		ratio_of_ranks(a, b, &s, out);
	}
}

/* Values less their median; logarithms of positive values, because the ratio is a factor. */
static double *centred(const struct side *s, bool by_factor)
{
	double median = median_of(s), *out;

	if (by_factor)
		return logs(s, median);
	out = et_calloc(s->n, sizeof(*out));
	for (size_t i = 0; i < s->n; i++)
		out[i] = s->x[i] - median;
	return out;
}

static void compare_shapes(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct et_contrast *out)
{
	bool by_factor = a->positive && b->positive;
	ET_AUTO_FREE double *x = centred(a, by_factor);
	ET_AUTO_FREE double *y = centred(b, by_factor);
	struct et_ks ks = et_ks_test(x, a->n, y, b->n);

	out->ks.tested = true;
	out->ks.statistic = ks.d;
	out->ks.p = ks.p;
	if (d->inflation > 1)
		out->ks.p = et_ks_asymptotic_p(
			ks.d, (double)a->n / d->inflation_a, (double)b->n / d->inflation_b);
	out->same_shape = out->ks.p > ET_CHECK_ALPHA;
}

/* 2 / C(m + n, n): both tails of the law of W, each of a single ordering. */
static double smallest_p(double m, double n)
{
	return fmin(1, 2 * exp(lgamma(m + 1) + lgamma(n + 1) - lgamma(m + n + 1)));
}

static void by_ranks(const struct side *a, const struct side *b, const struct et_rank_sum *w,
	const struct et_dependence *d, struct et_contrast *out)
{
	struct shrinkage s = shrinkage_of(a, b, d);

	compare_shapes(a, b, d, out);
	out->method = "wilcoxon";
	out->published.statistic = out->statistic = w->w;
	out->published.p = w->p;
	if (!isnan(w->p)) {
		double p = w->p;

		out->p_floor = smallest_p((double)a->n, (double)b->n);
		/* With ties p is approximated by the normal law, too small for a few values. */
		if (!w->exact && out->p_floor > 0.001)
			p = et_rank_sum_permutation_p(a->x, a->n, b->x, b->n);
		out->p = shrunk_p(p, &s);
	}
	ratio_of_ranks(a, b, &s, out);
}

/* Of the ranks, if the test is by ranks: a single outlier would hide the dependence of values. */
static struct et_dependence dependence(const struct side *a, const struct side *b, bool by_ranks)
{
	if (!by_ranks)
		return et_dependence_of(a->x, a->n, b->x, b->n);
	ET_AUTO_FREE double *x = et_calloc(a->n, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(b->n, sizeof(*y));
	et_rank(a->x, a->n, x);
	et_rank(b->x, b->n, y);
	return et_dependence_of(x, a->n, y, b->n);
}

static void warn_dependence(const struct side *a, const struct side *b,
	const struct et_dependence *d, struct et_contrast *out)
{
	if (d->inflation > 1)
		et_warn(&out->warnings, ET_WARN_DEPENDENT_SERIES, et_arg_number(d->r),
			et_arg_count(a->n), et_arg_count(b->n),
			et_arg_count(et_u64(fmax(2, round((double)a->n / d->inflation_a)))),
			et_arg_count(et_u64(fmax(2, round((double)b->n / d->inflation_b)))));
}

/* correct: for dependence. */
static void judge(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	bool correct, struct et_contrast *out)
{
	struct side sa = side_of(a, na), sb = side_of(b, nb);

	out->pairs = 0;
	out->arrangement = NULL;
	out->values_a = na;
	out->values_b = nb;
	out->log_ratio_sd = out->p_sign = NAN;
	out->ratio = out->lo = out->hi = out->p = out->statistic = out->delta = NAN;
	out->published.statistic = out->published.p = out->mean_ratio = NAN;
	out->published.df = out->df = out->p_floor = 0;
	out->inflation = 1;
	if (na < 2 || nb < 2)
		return;
	struct et_rank_sum w = et_rank_sum_only(a, na, b, nb);
	struct et_dependence d = { .inflation_a = 1, .inflation_b = 1, .inflation = 1 };
	if (correct)
		d = dependence(&sa, &sb, !both_gaussian);
	out->delta = -w.delta;
	out->inflation = d.inflation;
	if (sa.positive && sb.positive)
		out->mean_ratio = et_mean(b, nb) / et_mean(a, na);
	if (both_gaussian)
		by_means(&sa, &sb, &d, out);
	else
		by_ranks(&sa, &sb, &w, &d, out);
	warn_dependence(&sa, &sb, &d, out);
}

void et_judge_apart(const double *a, size_t na, const double *b, size_t nb, bool both_gaussian,
	struct et_contrast *out)
{
	judge(a, na, b, nb, both_gaussian, true, out);
}

void et_judge_as_published(const double *a, size_t na, const double *b, size_t nb,
	bool both_gaussian, struct et_contrast *out)
{
	judge(a, na, b, nb, both_gaussian, false, out);
	out->p = out->published.p;
}
