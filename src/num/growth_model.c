/* SPDX-License-Identifier: MIT */
/* One model of growth, fitted to the means at each size. */
#include "base/alloc.h"
#include "num/growth_internal.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

const char *const et_growth_names[] = { "constant", "log n", "n", "n log n", "n²", "n² log n", "n³",
	"2ⁿ", "n^c", NULL };
const char *const et_growth_keys[] = { "1", "log n", "n", "n log n", "n^2", "n^2 log n", "n^3",
	"2^n", "n^c", NULL };
const char *const et_growth_formulas[] = { "a", "a + b log n", "a + b n", "a + b n log n",
	"a + b n²", "a + b n² log n", "a + b n³", "a + b 2ⁿ", "a + b n^c", NULL };

static const double alpha = 0.05; /* of the rejections */
static const double least_c = 0.05, most_c = 8;
enum { RUNS_TESTABLE = 8, GRID = 16, STEPS = 34 };

double et_growth_f(enum et_growth_model m, double size, double c, double unit_size)
{
	double x = size / unit_size, logs = log(size) / log(unit_size);

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
		return exp2(size - unit_size);
	case ET_GROWTH_POWER:
		return pow(x, c);
	default:
		return 1;
	}
}

/* f at the largest size: the factor b is per unit of f, whereas the fit is per f / unit. */
static double unit_of(enum et_growth_model m, double size, double c)
{
	switch (m) {
	case ET_GROWTH_LOG:
		return log(size);
	case ET_GROWTH_N:
		return size;
	case ET_GROWTH_N_LOG:
		return size * log(size);
	case ET_GROWTH_N2:
		return size * size;
	case ET_GROWTH_N2_LOG:
		return size * size * log(size);
	case ET_GROWTH_N3:
		return size * size * size;
	case ET_GROWTH_EXP:
		return exp2(size);
	case ET_GROWTH_POWER:
		return pow(size, c);
	default:
		return 1;
	}
}

double et_growth_sigma(const struct et_growth *g, const struct et_growth_point *p)
{
	double scatter = g->excess * p->level;

	return sqrt(p->sigma * p->sigma / (double)p->n + scatter * scatter);
}

size_t et_growth_row(const struct et_growth *g, enum et_growth_model m, double size, double *row)
{
	const struct et_growth_fit *fit = &g->fits[m];
	double largest = g->points[g->n - 1].size;
	size_t p = 0;

	row[p++] = 1;
	if (m != ET_GROWTH_CONSTANT)
		row[p++] = et_growth_f(m, size, fit->c, largest);
	if (fit->with_c)
		row[p++] = fit->b * fit->unit * et_growth_f(m, size, fit->c, largest) *
			   log(size / largest);
	return p;
}

/* The columns of a fit, and room for them. */
struct problem {
	const struct et_growth *g;
	enum et_growth_model m;
	double *one, *f, *derivative, *y, *sigma;
};

static void begin(struct problem *p, const struct et_growth *g, enum et_growth_model m)
{
	double *room = et_calloc(5 * g->n, sizeof(*room));

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
		p->f[i] = et_growth_f(p->m, g->points[i].size, c, largest);
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

static double curve(const struct et_growth *g, enum et_growth_model m,
	const struct et_growth_fit *fit, double size)
{
	double f = m == ET_GROWTH_CONSTANT ? 0
					   : et_growth_f(m, size, fit->c, g->points[g->n - 1].size);

	return fit->a + fit->b * fit->unit * f;
}

static void check_residuals(
	const struct et_growth *g, enum et_growth_model m, struct et_growth_fit *out)
{
	size_t signs[2] = { 0 }, runs = 0;
	int last = -1;

	for (size_t i = 0; i < g->n; i++) {
		double at = curve(g, m, out, g->points[i].size), off = g->points[i].mean - at;
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
	begin(&p, g, m);
	double c = m == ET_GROWTH_POWER ? best_exponent(&p) : 1;
	if (!fit_linear(&p, c, out)) {
		out->excluded = ET_GROWTH_FALLS;
		free(p.one);
		return;
	}
	if (m == ET_GROWTH_POWER)
		linearise(&p, out);
	out->unit = unit_of(m, g->points[g->n - 1].size, c);
	out->a = out->ls.coef[0];
	out->b = m == ET_GROWTH_CONSTANT ? 0 : out->ls.coef[1] / out->unit;
	check_residuals(g, m, out);
	judge_fit(g, out);
	if (out->with_c) {
		size_t last = out->fitted.p - 1;

		out->c_error = sqrt(out->scale * out->fitted.unscaled[last][last]);
	}
	free(p.one);
}
