/* SPDX-License-Identifier: MIT */
/* Values of the fitted curves with their uncertainties, and sizes at which they do not hold. */
#include "base/alloc.h"
#include "num/growth_internal.h"
#include "num/multiple.h"
#include "num/student.h"

#include <math.h>

/* Each model's answer is a t distribution about its value. */
struct answer {
	double weight, value, error, df;
};

static const double beyond = 1e30;

struct mixture {
	struct answer list[ET_GROWTH_MODELS];
	size_t n;
};

static double below(const struct mixture *x, double at)
{
	double sum = 0, weights = 0;

	for (size_t i = 0; i < x->n; i++) {
		const struct answer *a = &x->list[i];
		double t = (at - a->value) / a->error, tail = et_pt_two_sided(t, a->df) / 2;

		if (!(a->error > 0))
			sum += at >= a->value ? a->weight : 0;
		else
			sum += a->weight * (t < 0 ? tail : 1 - tail);
		weights += a->weight;
	}
	return sum / weights;
}

/* The quantile, by bisection between the extreme quantiles of its parts. */
static double quantile(const struct mixture *x, double p)
{
	double lo = INFINITY, hi = -INFINITY;

	for (size_t i = 0; i < x->n; i++) {
		const struct answer *a = &x->list[i];
		double wide = a->error > 0 ? et_qt(fmax(p, 1 - p), a->df) * a->error : 0;

		lo = fmin(lo, a->value - wide);
		hi = fmax(hi, a->value + wide);
	}
	for (int i = 0; i < 100 && hi > lo; i++) {
		double middle = (lo + hi) / 2;

		if (middle <= lo || middle >= hi)
			break;
		if (below(x, middle) < p)
			lo = middle;
		else
			hi = middle;
	}
	return (lo + hi) / 2;
}

/* The value of a model at a size, and its variance without that of a new mean or run. */
static double value_of(
	const struct et_growth *g, enum et_growth_model m, double size, double *variance)
{
	double row[ET_COLUMNS_MOST], error;

	et_growth_row(g, m, size, row);
	double value = et_least_squares_at(&g->fits[m].ls, row, &error);
	*variance = g->fits[m].scale * error * error;
	return value;
}

static double square(double x)
{
	return x * x;
}

/* The variance of one run. Beyond the measured times the relative spread is the last one. */
static double run_variance(const struct et_growth *g, double value)
{
	double top = g->points[g->n - 1].level;

	if (value <= top)
		return g->spread_factor * pow(fmax(value, 0), g->spread_power);
	return g->spread_factor * pow(top, g->spread_power) * square(value / top);
}

/* Adds an answer. 2ⁿ may be beyond all bounds, and then it is as large as can be. */
static void add_answer(struct mixture *x, double weight, double value, double variance, double df)
{
	bool sane = value < beyond && isfinite(variance);

	x->list[x->n++] =
		(struct answer){ weight, sane ? value : beyond, sane ? sqrt(variance) : 0, df };
}

/* Adds a model's answer: the mean time at a size, or (runs) the time of one run. */
static void add_value(const struct et_growth *g, enum et_growth_model m, double size, bool run,
	double weight, struct mixture *x)
{
	const struct et_growth_fit *f = &g->fits[m];
	double variance, value = value_of(g, m, size, &variance);

	variance += f->scale * square(g->excess * value);
	if (run)
		variance += g->pure_df > 0 ? run_variance(g, value) : f->scale * square(value);
	add_answer(x, weight, value, variance, f->df);
}

static void fill_value(const struct et_growth *g, const struct mixture *mean,
	const struct mixture *run, struct et_growth_value *out)
{
	double tail = (1 - g->level) / 2;

	/* No time is negative, though the line through few points may be. */
	out->value = fmax(quantile(mean, 0.5), 0);
	out->lo = fmax(quantile(mean, tail), 0);
	out->hi = quantile(mean, 1 - tail);
	out->run_lo = run ? fmax(quantile(run, tail), 0) : NAN;
	out->run_hi = run ? quantile(run, 1 - tail) : NAN;
}

void et_growth_at(const struct et_growth *g, double size, struct et_growth_value *out)
{
	struct mixture mean = { 0 }, run = { 0 };

	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		double w = g->fits[m].weight;

		if (g->fits[m].excluded || w < 1e-6)
			continue;
		add_value(g, (enum et_growth_model)m, size, false, w, &mean);
		add_value(g, (enum et_growth_model)m, size, true, w, &run);
	}
	fill_value(g, &mean, &run, out);
}

void et_growth_model_at(
	const struct et_growth *g, enum et_growth_model m, double size, struct et_growth_value *out)
{
	struct mixture mean = { 0 }, run = { 0 };

	add_value(g, m, size, false, 1, &mean);
	add_value(g, m, size, true, 1, &run);
	fill_value(g, &mean, &run, out);
}

void et_growth_ratio(const struct et_growth *g, double from, double to, struct et_growth_value *out)
{
	struct mixture x = { 0 };

	for (int k = 0; k < ET_GROWTH_MODELS; k++) {
		enum et_growth_model m = (enum et_growth_model)k;
		const struct et_growth_fit *f = &g->fits[m];
		double a[ET_COLUMNS_MOST], b[ET_COLUMNS_MOST], row[ET_COLUMNS_MOST], error, unused;

		if (f->excluded || f->weight < 1e-6)
			continue;
		size_t p = et_growth_row(g, m, from, a);
		et_growth_row(g, m, to, b);
		double first = value_of(g, m, from, &unused);
		double ratio = value_of(g, m, to, &unused) / first;
		for (size_t i = 0; i < p; i++) /* the gradient of the ratio */
			row[i] = (b[i] - ratio * a[i]) / first;
		et_least_squares_at(&f->ls, row, &error);
		double variance = f->scale * (square(error) + 2 * square(g->excess * ratio));
		add_answer(&x, f->weight, ratio, variance, f->df);
	}
	fill_value(g, &x, NULL, out);
}

/* --- anomalies --- */

/*
 * Predicts the mean at a size from the others, and whether it is outside the interval of that
 * prediction. The fit without a point follows from the fit with it by the point's leverage
 * (Belsley, Kuh & Welsch 1980, 2.1). If the runs of this size scatter more than those of others,
 * its mean is less certain by that.
 */
static bool predict_from_others(
	const struct et_growth *g, size_t i, double level, struct et_growth_anomaly *out)
{
	const struct et_growth_point *p = &g->points[i];
	const struct et_growth_fit *f = &g->fits[g->best];
	double row[ET_COLUMNS_MOST], error, sigma = et_growth_sigma(g, p);

	et_growth_row(g, g->best, p->size, row);
	double at = et_least_squares_at(&f->fitted, row + f->at_bound, &error);
	double off = (p->mean - at) / sigma, leverage = square(error / sigma);
	double df = (double)g->n - (double)f->fitted.p - 1;
	if (df < 1 || leverage > 1 - 1e-9)
		return false;
	double rss = fmax(f->rss - square(off) / (1 - leverage), 0), scale = rss / df;
	if (!(g->pure_df > 0))
		scale = fmax(scale, square(10 * ET_GROWTH_EXACT));
	if (g->pure_df > 0 && !g->all_rejected &&
		et_pf_upper(scale / g->pure, df, g->pure_df) >= 0.05) {
		scale = (rss + g->pure * g->pure_df) / (df + g->pure_df);
		df += g->pure_df;
	}
	double usual = scale * square(sigma);
	double own = p->n > 1 ? fmax(p->variance / (double)p->n - usual, 0) : 0;
	double half = et_qt((1 + level) / 2, df) * sqrt(usual / (1 - leverage) + own);
	out->size = p->size;
	out->mean = p->mean;
	out->expected = p->mean - off / (1 - leverage) * sigma;
	out->lo = out->expected - half;
	out->hi = out->expected + half;
	return p->mean < out->lo || p->mean > out->hi;
}

void et_growth_find_anomalies(struct et_growth *g)
{
	double level = et_sidak_level(g->level, (double)g->n);
	struct et_growth_anomaly a;

	for (size_t i = 0; i < g->n; i++) {
		if (!predict_from_others(g, i, level, &a))
			continue;
		g->anomalies = et_realloc(g->anomalies, g->n_anomalies + 1, sizeof(a));
		g->anomalies[g->n_anomalies++] = a;
	}
}
