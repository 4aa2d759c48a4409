/* SPDX-License-Identifier: MIT */
/* The points, their weights, and the comparison of the models. */
#include "num/growth.h"
#include "base/base.h"
#include "base/doubles.h"
#include "num/line.h"
#include "num/student.h"

#include <assert.h>

enum { SPREAD_POWER_MOST = 3 };
static const double normal_99 = 2.575829303548901; /* two-sided quantile */
/* The free power imitates other models; it must be 20 times as likely to be preferred. */
static const double power_prior = 0.05;

/* --- points --- */

struct pair {
	double size; /* first, for et_ascending */
	double time;
};

static void add_point(struct et_growth *g, const struct pair *pairs, size_t n)
{
	struct et_growth_point *p = &g->points[g->n++];
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += pairs[i].time - pairs[0].time;
	*p = (struct et_growth_point){ .size = pairs[0].size,
		.n = n,
		.mean = pairs[0].time + sum / (double)n,
		.variance = NAN };
	for (size_t i = 0; i < n; i++)
		squares += (pairs[i].time - p->mean) * (pairs[i].time - p->mean);
	if (n > 1)
		p->variance = squares / (double)(n - 1);
}

static void gather(struct et_growth *g, const double *sizes, const double *times, size_t n)
{
	ET_AUTO_FREE struct pair *pairs = et_calloc(n + 1, sizeof(*pairs));
	size_t distinct = 0, from = 0;

	for (size_t i = 0; i < n; i++)
		pairs[i] = (struct pair){ sizes[i], times[i] };
	qsort(pairs, n, sizeof(*pairs), et_ascending);
	for (size_t i = 0; i < n; i++)
		distinct += i == 0 || pairs[i].size > pairs[i - 1].size;
	g->points = et_calloc(distinct + 1, sizeof(*g->points));
	g->samples = n;
	for (size_t i = 1; i <= n; i++) {
		if (i == n || pairs[i].size > pairs[from].size) {
			add_point(g, pairs + from, i - from);
			from = i;
		}
	}
}

/* --- weights --- */

/* Relative variance of one sample over all sizes; NaN without repetitions. */
static double relative_variance(const struct et_growth *g)
{
	double sum = 0, df = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];

		if (p->n < 2)
			continue;
		sum += (double)(p->n - 1) * p->variance / (p->mean * p->mean);
		df += (double)(p->n - 1);
	}
	return df > 0 ? fmax(sum / df, ET_GROWTH_EXACT * ET_GROWTH_EXACT) : NAN;
}

/*
 * Smooths the means by a parabola in logarithms. A weight that depends on the mean itself would
 * give more weight to means that are too low by chance. Means that are farther from the parabola
 * than chance allows are kept.
 */
static void smooth_levels(struct et_growth *g, double relative)
{
	ET_AUTO_FREE double *room = et_calloc(4 * g->n, sizeof(*room));
	double *one = room, *x = room + g->n, *xx = room + 2 * g->n, *y = room + 3 * g->n;
	const double *columns[] = { one, x, xx };
	double middle = log(g->points[g->n / 2].size), error;
	struct et_least_squares fit;

	for (size_t i = 0; i < g->n; i++) {
		one[i] = 1;
		x[i] = log(g->points[i].size) - middle;
		xx[i] = x[i] * x[i];
		y[i] = log(g->points[i].mean);
		g->points[i].level = g->points[i].mean;
	}
	if (!et_least_squares_fit(columns, 3, y, NULL, g->n, &fit))
		return;
	if (isnan(relative))
		relative = fit.rss / (double)(g->n - 3);
	for (size_t i = 0; i < g->n; i++) {
		double row[] = { 1, x[i], xx[i] };
		double at = et_least_squares_at(&fit, row, &error);

		if (fabs(y[i] - at) < 3 * sqrt(relative / (double)g->points[i].n))
			g->points[i].level = exp(at);
	}
}

/*
 * The sum over sizes of the degrees of freedom times log level times the variance relative to
 * level^power and to its mean, both about their means; it falls with the power. *squares is that of
 * the squared logarithms.
 */
static double spread_score(const struct et_growth *g, double power, double *factor, double *squares)
{
	double df = 0, mean = 0, score = 0;

	*factor = *squares = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];

		if (p->n < 2)
			continue;
		df += (double)(p->n - 1);
		mean += (double)(p->n - 1) * log(p->level);
		*factor += (double)(p->n - 1) * p->variance / pow(p->level, power);
	}
	mean /= df;
	*factor /= df;
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double x = log(p->level) - mean;

		if (p->n < 2)
			continue;
		score += (double)(p->n - 1) * x * p->variance / pow(p->level, power) / *factor;
		*squares += (double)(p->n - 1) * x * x;
	}
	return score;
}

/*
 * Whether the relative spread rises or falls with the level, at 1 %: the slope of the logarithms of
 * the variances. They scatter as those of normal samples do, or more, if some sizes met slow runs
 * and others did not; then their own scatter counts, which the score, made for normal samples,
 * ignores.
 */
static bool spread_has_slope(const struct et_growth *g, double relative)
{
	ET_AUTO_FREE double *x = et_calloc(2 * g->n, sizeof(*x));
	double *y = x + g->n, chance = 0;
	struct et_line line;
	size_t n = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double usual = relative * p->level * p->level;

		if (p->n < 2)
			continue;
		x[n] = log(p->level);
		y[n++] = log(fmax(p->variance / usual, 1e-12));
		/* The variance of the logarithm of a gamma variable: the trigamma function. */
		double k = (double)(p->n - 1) / 2;
		chance += 1 / k + 1 / (2 * k * k) + 1 / (6 * k * k * k);
	}
	if (n < 3)
		return false;
	et_line_fit(x, y, n, &line);
	double scatter = line.residual_sd * line.residual_sd, least = chance / (double)n;
	double error = sqrt(fmax(scatter, least) / line.sxx);
	return fabs(line.slope) > error * (scatter > least ? et_qt(0.995, line.df) : normal_99);
}

/*
 * Describes the spread as a power of the level, by its likelihood (Carroll & Ruppert 1988, ch. 3).
 * The power is 2, a constant relative spread, unless the runs contradict that at 1 %: weights by a
 * power that is estimated from few runs would make the test of the fit reject true models too
 * often.
 */
static void describe_spread(struct et_growth *g, double relative)
{
	double squares, lo = 0, hi = SPREAD_POWER_MOST;

	g->spread_power = 2;
	double score = spread_score(g, 2, &g->spread_factor, &squares);
	if (!(fabs(score) > normal_99 * sqrt(2 * squares)) || !spread_has_slope(g, relative))
		return;
	for (int i = 0; i < 50; i++) {
		g->spread_power = (lo + hi) / 2;
		if (spread_score(g, g->spread_power, &g->spread_factor, &squares) > 0)
			lo = g->spread_power;
		else
			hi = g->spread_power;
	}
}

/*
 * The weights are by the spread of all sizes together, never by that of a size itself: a size that
 * met slow runs has both a high mean and a large spread, and a small weight for it would pull the
 * curve below the true mean.
 */
static void weigh(struct et_growth *g)
{
	double relative = relative_variance(g), ss = 0;

	smooth_levels(g, relative);
	if (isnan(relative)) {
		g->spread_factor = g->spread_power = g->pure = NAN;
		for (size_t i = 0; i < g->n; i++)
			g->points[i].sigma = g->points[i].level;
		return;
	}
	describe_spread(g, relative);
	for (size_t i = 0; i < g->n; i++) {
		struct et_growth_point *p = &g->points[i];
		double df = (double)(p->n - 1), least = ET_GROWTH_EXACT * p->level;

		p->sigma = fmax(sqrt(g->spread_factor * pow(p->level, g->spread_power)), least);
		ss += fmax(p->n > 1 ? df * p->variance : 0, df * least * least) /
		      (p->sigma * p->sigma);
		g->pure_df += df;
	}
	g->pure = ss / g->pure_df;
}

/* --- choice --- */

/*
 * Sizes that scatter about every curve do so by factors, so their logarithms are compared. (By
 * differences, a curve that is a thousand times too low would be off by no more than 100 %.)
 */
static double log_squares(const struct et_growth *g, enum et_growth_model m)
{
	double ss = 0;

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double curve = et_growth_curve(g, m, &g->fits[m], p->size);
		double off = log(p->mean / fmax(curve, p->mean * 1e-300));
		ss += off * off;
	}
	return ss;
}

/*
 * The scale of the errors counts as a parameter, and so does a coefficient that ended at its bound
 * of 0. The sum of squares is that of all samples, or of the sizes if they scatter.
 */
static double aicc_of(const struct et_growth *g, enum et_growth_model m)
{
	bool sizes = g->all_rejected;
	double n = (double)(sizes ? g->n : g->samples), k = m == ET_GROWTH_CONSTANT ? 2
							    : m == ET_GROWTH_POWER  ? 4
										    : 3;
	double ss = g->fits[m].rss + (g->pure_df > 0 ? g->pure * g->pure_df : 0);
	double logs = 0;

	if (sizes)
		ss = log_squares(g, m);
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];

		logs += sizes ? 2 * log(p->mean) : (double)p->n * 2 * log(p->sigma);
	}
	return n * (log(2 * acos(-1)) + 1 + log(fmax(ss, 1e-300) / n)) + logs + 2 * k +
	       2 * k * (k + 1) / fmax(n - k - 1, 1);
}

static void compare(struct et_growth *g)
{
	double least = INFINITY, sum = 0;

	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		struct et_growth_fit *f = &g->fits[m];

		if (f->excluded)
			continue;
		f->aicc = aicc_of(g, (enum et_growth_model)m);
		double with_prior = f->aicc - (m == ET_GROWTH_POWER ? 2 * log(power_prior) : 0);
		if (with_prior < least) {
			least = with_prior;
			g->best = (enum et_growth_model)m;
		}
	}
	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		struct et_growth_fit *f = &g->fits[m];

		if (f->excluded)
			continue;
		f->weight = exp((least - f->aicc) / 2) * (m == ET_GROWTH_POWER ? power_prior : 1);
		sum += f->weight;
	}
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		g->fits[m].weight /= sum;
}

static void fit_all(struct et_growth *g)
{
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		et_growth_fit_model(g, (enum et_growth_model)m, &g->fits[m]);
}

/* The scatter at which the nearest model's squares equal its freedom (Paule & Mandel 1982). */
static void find_excess(struct et_growth *g)
{
	enum et_growth_model nearest = ET_GROWTH_CONSTANT;
	double lo = 0, hi = 4;
	struct et_growth_fit fit;

	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		if (!g->fits[m].excluded && g->fits[m].f < g->fits[nearest].f)
			nearest = (enum et_growth_model)m;
	for (int i = 0; i < 50; i++) {
		g->excess = (lo + hi) / 2;
		et_growth_fit_model(g, nearest, &fit);
		if (!fit.excluded && fit.rss > (double)g->n - (double)fit.fitted.p)
			lo = g->excess;
		else
			hi = g->excess;
	}
}

/* Fits again with the scatter. The tests of the fit without it remain: they show the rejections. */
static void count_sizes(struct et_growth *g)
{
	struct et_growth_fit strict[ET_GROWTH_MODELS];

	g->all_rejected = true;
	memcpy(strict, g->fits, sizeof(strict));
	find_excess(g);
	fit_all(g);
	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		g->fits[m].rejected = strict[m].rejected;
		g->fits[m].f = strict[m].f;
		g->fits[m].p = strict[m].p;
	}
}

static void fill_r2(struct et_growth *g)
{
	double weights = 0, mean = 0, total = g->pure_df > 0 ? g->pure * g->pure_df : 0,
	       within = total;

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double w = 1 / (et_growth_sigma(g, p) * et_growth_sigma(g, p));

		weights += w;
		mean += w * p->mean;
	}
	mean /= weights;
	if (g->all_rejected)
		total = within = 0;
	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double off = (p->mean - mean) / et_growth_sigma(g, p);

		total += off * off;
	}
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		g->fits[m].r2 = m ? 1 - (g->fits[m].rss + within) / total : 0;
}

enum et_growth_problem et_growth_fit(
	const double *sizes, const double *times, size_t n, double level, struct et_growth *out)
{
	bool all = true;

	*out = (struct et_growth){ .level = level };
	for (size_t i = 0; i < n; i++)
		assert(sizes[i] > 0 && times[i] > 0);
	gather(out, sizes, times, n);
	if (out->n < ET_GROWTH_SIZES_LEAST || n < ET_GROWTH_SAMPLES_LEAST) {
		bool sizes_few = out->n < ET_GROWTH_SIZES_LEAST;

		et_growth_free(out);
		return sizes_few ? ET_GROWTH_FEW_SIZES : ET_GROWTH_FEW_SAMPLES;
	}
	weigh(out);
	fit_all(out);
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		all = all &&
		      (out->fits[m].excluded || out->fits[m].rejected == ET_GROWTH_LACK_OF_FIT);
	if (all)
		count_sizes(out);
	compare(out);
	fill_r2(out);
	et_growth_find_anomalies(out);
	return ET_GROWTH_FINE;
}

void et_growth_free(struct et_growth *g)
{
	free(g->points);
	free(g->anomalies);
	g->points = NULL;
	g->anomalies = NULL;
}

bool et_growth_possible(const struct et_growth *g, enum et_growth_model m)
{
	const struct et_growth_fit *f = &g->fits[m];

	return !f->excluded && m != g->best && f->weight >= 0.05 &&
	       (g->all_rejected || !f->rejected);
}
