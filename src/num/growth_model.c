/* SPDX-License-Identifier: MIT */
/* One model of growth: its fit to the means, values of curves with uncertainties, and anomalies. */
#include "base/base.h"
#include "num/growth.h"
#include "num/multiple.h"
#include "num/student.h"

const char *const et_growth_names[] = { "constant", "log n", "n", "n log n", "n²", "n² log n", "n³",
	"2ⁿ", "n^c", NULL };
const char *const et_growth_keys[] = { "1", "log n", "n", "n log n", "n^2", "n^2 log n", "n^3",
	"2^n", "n^c", NULL };
const char *const et_growth_formulas[] = { "a", "a + b log n", "a + b n", "a + b n log n",
	"a + b n²", "a + b n² log n", "a + b n³", "a + b 2ⁿ", "a + b n^c", NULL };

static const double alpha = 0.05; /* of the rejections */
static const double least_c = 0.05, most_c = 8;
enum { RUNS_TESTABLE = 8, GRID = 16, STEPS = 34 };

/* f of a model for the size x with the logarithm `logs`, and 2 to the power `exponent`. */
static double f_of(enum et_growth_model m, double x, double logs, double exponent, double c)
{
	switch (m) {
	case ET_GROWTH_LOG:
		return logs;
	case ET_GROWTH_N:
		return x;
	case ET_GROWTH_N_LOG:
		return x * logs;
	case ET_GROWTH_N2:
		return x * x;
	case ET_GROWTH_N2_LOG:
		return x * x * logs;
	case ET_GROWTH_N3:
		return x * x * x;
	case ET_GROWTH_EXP:
		return exp2(exponent);
	case ET_GROWTH_POWER:
		return pow(x, c);
	default:
		return 1;
	}
}

/* f(n) of a model over f(unit_size); c is the exponent of the free power. */
static double relative_f(enum et_growth_model m, double size, double c, double unit_size)
{
	return f_of(m, size / unit_size, log(size) / log(unit_size), size - unit_size, c);
}

double et_growth_sigma(const struct et_growth *g, const struct et_growth_point *p)
{
	double scatter = g->excess * p->level;

	return sqrt(p->sigma * p->sigma / (double)p->n + scatter * scatter);
}

/* Fills the row of the linearised model at a size; returns the number of columns of ls. */
static size_t fill_row(const struct et_growth *g, enum et_growth_model m, double size, double *row)
{
	const struct et_growth_fit *fit = &g->fits[m];
	double largest = g->points[g->n - 1].size;
	size_t p = 0;

	row[p++] = 1;
	if (m != ET_GROWTH_CONSTANT)
		row[p++] = relative_f(m, size, fit->c, largest);
	if (fit->with_c)
		row[p++] = fit->b * fit->unit * relative_f(m, size, fit->c, largest) *
			   log(size / largest);
	return p;
}

/* The columns of a fit, and room for them. */
struct problem {
	const struct et_growth *g;
	enum et_growth_model m;
	double *one, *f, *derivative, *y, *sigma;
};

static void begin(
	struct problem *p, const struct et_growth *g, enum et_growth_model m, double *room)
{
	*p = (struct problem){ g, m, room, room + g->n, room + 2 * g->n, room + 3 * g->n,
		room + 4 * g->n };
	for (size_t i = 0; i < g->n; i++) {
		p->one[i] = 1;
		p->y[i] = g->points[i].mean;
		p->sigma[i] = et_growth_sigma(g, &g->points[i]);
	}
}

/* Fits a and b for the exponent c, neither of them negative. Returns false if b would be. */
static bool fit_linear(const struct problem *p, double c, struct et_growth_fit *out)
{
	const struct et_growth *g = p->g;
	double largest = g->points[g->n - 1].size;
	const double *columns[] = { p->one, p->f };
	size_t n_columns = p->m == ET_GROWTH_CONSTANT ? 1 : 2;

	for (size_t i = 0; i < g->n; i++)
		p->f[i] = relative_f(p->m, g->points[i].size, c, largest);
	out->c = c;
	out->at_bound = false;
	if (!et_least_squares_fit(columns, n_columns, p->y, p->sigma, g->n, &out->ls))
		return false;
	out->fitted = out->ls;
	if (n_columns == 1)
		return true;
	if (!(out->ls.coef[1] > 0))
		return false;
	if (out->ls.coef[0] >= 0)
		return true;
	out->at_bound = true;
	if (!et_least_squares_fit(columns + 1, 1, p->y, p->sigma, g->n, &out->fitted))
		return false;
	out->ls.coef[0] = 0;
	out->ls.coef[1] = out->fitted.coef[0];
	return true;
}

static double rss_at(const struct problem *p, double c)
{
	struct et_growth_fit fit = { 0 };

	return fit_linear(p, c, &fit) ? fit.fitted.rss : INFINITY;
}

/* The exponent with the least rss: a grid of logarithms, then golden sections. */
static double best_exponent(const struct problem *p)
{
	const double golden = (sqrt(5) - 1) / 2;
	double step = log(most_c / least_c) / GRID, best = INFINITY;
	int at = 0;

	for (int i = 0; i <= GRID; i++) {
		double rss = rss_at(p, least_c * exp(i * step));

		if (rss < best) {
			best = rss;
			at = i;
		}
	}
	double lo = fmax(least_c, least_c * exp((at - 1) * step));
	double hi = fmin(most_c, least_c * exp((at + 1) * step));
	double left = hi - golden * (hi - lo), right = lo + golden * (hi - lo);
	double at_left = rss_at(p, left), at_right = rss_at(p, right);
	for (int i = 0; i < STEPS; i++) {
		if (at_left <= at_right) {
			hi = right;
			right = left;
			at_right = at_left;
			left = hi - golden * (hi - lo);
			at_left = rss_at(p, left);
		} else {
			lo = left;
			left = right;
			at_left = at_right;
			right = lo + golden * (hi - lo);
			at_right = rss_at(p, right);
		}
	}
	return (lo + hi) / 2;
}

/* Adds the column of the derivative to a fit; its coefficient is 0 at the minimum. */
static bool add_derivative(const struct problem *p, bool with_a, struct et_least_squares *fit)
{
	const double *columns[] = { p->one, p->f, p->derivative };
	size_t n_columns = with_a ? 3 : 2;
	struct et_least_squares wider;

	if (!et_least_squares_fit(columns + !with_a, n_columns, p->y, p->sigma, p->g->n, &wider))
		return false;
	for (size_t k = 0; k < fit->p; k++)
		wider.coef[k] = fit->coef[k];
	wider.coef[fit->p] = 0;
	wider.rss = fit->rss;
	*fit = wider;
	return true;
}

/* Lets the uncertainty of the exponent count. */
static void linearise(const struct problem *p, struct et_growth_fit *out)
{
	const struct et_growth *g = p->g;
	double largest = g->points[g->n - 1].size, b = out->ls.coef[1];
	struct et_least_squares ls = out->ls, fitted = out->fitted;

	if (out->c < 1.01 * least_c || out->c > 0.99 * most_c)
		return;
	for (size_t i = 0; i < g->n; i++)
		p->derivative[i] = b * p->f[i] * log(g->points[i].size / largest);
	if (!add_derivative(p, true, &ls) || !add_derivative(p, !out->at_bound, &fitted))
		return;
	out->with_c = true;
	out->ls = ls;
	out->fitted = fitted;
}

/* The probability of at most this many runs of signs, if their order is random. */
static double runs_probability(size_t plus, size_t minus, size_t runs)
{
	double n1 = (double)plus, n2 = (double)minus, sum = 0;

	for (size_t r = 2; r <= runs; r++) {
		double k = (double)(r / 2), all = et_lchoose(n1 + n2, n1);

		if (r % 2 == 0)
			sum += 2 * exp(et_lchoose(n1 - 1, k - 1) + et_lchoose(n2 - 1, k - 1) - all);
		else
			sum += exp(et_lchoose(n1 - 1, k) + et_lchoose(n2 - 1, k - 1) - all) +
			       exp(et_lchoose(n1 - 1, k - 1) + et_lchoose(n2 - 1, k) - all);
	}
	return fmin(sum, 1);
}

double et_growth_curve(const struct et_growth *g, enum et_growth_model m,
	const struct et_growth_fit *fit, double size)
{
	double f =
		m == ET_GROWTH_CONSTANT ? 0 : relative_f(m, size, fit->c, g->points[g->n - 1].size);

	return fit->a + fit->b * fit->unit * f;
}

static void check_residuals(
	const struct et_growth *g, enum et_growth_model m, struct et_growth_fit *out)
{
	size_t signs[2] = { 0 }, runs = 0;
	int last = -1;

	for (size_t i = 0; i < g->n; i++) {
		double at = et_growth_curve(g, m, out, g->points[i].size),
		       off = g->points[i].mean - at;
		int sign = off > 0;

		out->off = fmax(out->off, fabs(off) / at);
		if (fabs(off) < ET_GROWTH_EXACT * at)
			continue;
		signs[sign]++;
		runs += sign != last;
		last = sign;
	}
	out->runs_p = signs[0] && signs[1] ? runs_probability(signs[1], signs[0], runs) : NAN;
}

/* Tests the fit, and decides which variance the uncertainties of its curve are made of. */
static void judge_fit(const struct et_growth *g, struct et_growth_fit *out)
{
	double df = (double)g->n - (double)out->fitted.p, ss = out->fitted.rss;

	/* Without repetitions sigma is the level itself, so that ss is relative. */
	if (!(g->pure_df > 0))
		ss = fmax(ss, (double)g->n * ET_GROWTH_EXACT * ET_GROWTH_EXACT);
	out->rss = ss;
	out->f = out->p = NAN;
	if (g->pure_df > 0 && df > 0) {
		out->f = ss / df / g->pure;
		out->p = et_pf_upper(out->f, df, g->pure_df);
		if (out->p < alpha)
			out->rejected = ET_GROWTH_LACK_OF_FIT;
	} else if (!(g->pure_df > 0) && g->n >= RUNS_TESTABLE && out->runs_p < alpha) {
		out->rejected = ET_GROWTH_RUNS;
	}
	if (out->rejected == ET_GROWTH_LACK_OF_FIT || g->excess > 0 || !(g->pure_df > 0)) {
		out->scale = ss / df;
		out->df = df;
	} else {
		out->df = df + g->pure_df;
		out->scale = (ss + g->pure * g->pure_df) / out->df;
	}
}

static enum et_growth_exclusion exclusion(const struct et_growth *g, enum et_growth_model m)
{
	double largest = g->points[g->n - 1].size;
	bool logs = m == ET_GROWTH_LOG || m == ET_GROWTH_N_LOG || m == ET_GROWTH_N2_LOG;

	if (logs && g->points[0].size < 1)
		return ET_GROWTH_BELOW_ONE;
	if (m == ET_GROWTH_EXP && (largest > 900 || largest - g->points[g->n - 2].size > 50))
		return ET_GROWTH_TOO_STEEP;
	return ET_GROWTH_CANDIDATE;
}

void et_growth_fit_model(
	const struct et_growth *g, enum et_growth_model m, struct et_growth_fit *out)
{
	struct problem p;

	*out = (struct et_growth_fit){ .excluded = exclusion(g, m), .c_error = NAN };
	if (out->excluded)
		return;
	ET_AUTO_FREE double *room = et_calloc(5 * g->n, sizeof(*room));
	begin(&p, g, m, room);
	double c = m == ET_GROWTH_POWER ? best_exponent(&p) : 1;
	if (!fit_linear(&p, c, out)) {
		out->excluded = ET_GROWTH_FALLS;
		return;
	}
	if (m == ET_GROWTH_POWER)
		linearise(&p, out);
	/* The factor b is per unit of f, whereas the fit is per f / unit. */
	double largest = g->points[g->n - 1].size;
	out->unit = f_of(m, largest, log(largest), largest, c);
	out->a = out->ls.coef[0];
	out->b = m == ET_GROWTH_CONSTANT ? 0 : out->ls.coef[1] / out->unit;
	check_residuals(g, m, out);
	judge_fit(g, out);
	if (out->with_c) {
		size_t last = out->fitted.p - 1;

		out->c_error = sqrt(out->scale * out->fitted.unscaled[last][last]);
	}
}

/* --- values --- */

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

	fill_row(g, m, size, row);
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

void et_growth_ratio(const struct et_growth *g, double from, double to, struct et_growth_value *out)
{
	struct mixture x = { 0 };

	for (int k = 0; k < ET_GROWTH_MODELS; k++) {
		enum et_growth_model m = (enum et_growth_model)k;
		const struct et_growth_fit *f = &g->fits[m];
		double a[ET_COLUMNS_MOST], b[ET_COLUMNS_MOST], row[ET_COLUMNS_MOST], error, unused;

		if (f->excluded || f->weight < 1e-6)
			continue;
		size_t p = fill_row(g, m, from, a);
		fill_row(g, m, to, b);
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

	fill_row(g, g->best, p->size, row);
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
