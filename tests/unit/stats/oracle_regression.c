/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lines and linear models, compared with R's lm(), predict() and AIC(). */
#include "base/base.h"
#include "num/least_squares.h"
#include "num/line.h"
#include "num/moments.h"
#include "num/student.h"
#include "oracle_answers.h"

#include <math.h>
#include <string.h>

static void answer_points(const struct et_line *l, const double *x, size_t n, struct answers *to)
{
	ET_AUTO_FREE double *v = et_calloc(5 * n, sizeof(*v));

	for (size_t i = 0; i < n; i++) {
		struct et_line_at at;

		et_line_at(l, x[i], 0.95, &at);
		v[i] = at.value;
		v[n + i] = at.value - at.prediction;
		v[2 * n + i] = at.value + at.prediction;
		v[3 * n + i] = at.value - at.confidence;
		v[4 * n + i] = at.value + at.confidence;
	}
	put_array(to, v, n, "fit");
	put_array(to, v + n, n, "pred_lwr");
	put_array(to, v + 2 * n, n, "pred_upr");
	put_array(to, v + 3 * n, n, "conf_lwr");
	put_array(to, v + 4 * n, n, "conf_upr");
}

/* Akaike's criterion of normal errors, as R: the scale is estimated and counts as a parameter. */
static double akaike(const struct et_least_squares *f, const double *sigma)
{
	double n = (double)f->n, pi = acos(-1), log_weights = 0;

	for (size_t i = 0; sigma && i < f->n; i++)
		log_weights -= 2 * log(sigma[i]);
	return n * (log(2 * pi) + 1 + log(f->rss / n)) - log_weights + 2 * (double)(f->p + 1);
}

void answer_regression(const json_t *input, struct answers *to)
{
	size_t n, n_new;
	ET_AUTO_FREE double *x = numbers(json_object_get(input, "x"), &n);
	ET_AUTO_FREE double *y = numbers(json_object_get(input, "y"), &n);
	ET_AUTO_FREE double *at = numbers(json_object_get(input, "newx"), &n_new);
	ET_AUTO_FREE double *one = et_calloc(n, sizeof(*one));
	const double *columns[] = { one, x };
	struct et_line l;
	struct et_least_squares f;

	for (size_t i = 0; i < n; i++)
		one[i] = 1;
	et_line_fit(x, y, n, &l);
	if (!et_least_squares_fit(columns, 2, y, NULL, n, &f))
		return;
	double t = l.slope / l.slope_error, q = et_qt(0.975, l.df), aic = akaike(&f, NULL);

	/* Both ways of fitting must agree with R: the coefficients are taken from the general one.
	 */
	put(to, f.coef[0], "intercept");
	put(to, f.coef[1], "slope");
	put(to, l.residual_sd * sqrt(f.unscaled[0][0]), "se_intercept");
	put(to, l.slope_error, "se_slope");
	put(to, t, "t_slope");
	put(to, et_pt_two_sided(t, l.df), "p_slope");
	put(to, sqrt(f.rss / l.df), "sigma");
	put(to, 1 - f.rss / (et_variance(y, n) * (double)(n - 1)), "r2");
	put(to, l.df, "df");
	put_pair(to, l.slope - q * l.slope_error, l.slope + q * l.slope_error, "slope_ci95");
	put_pair(to, l.intercept - q * l.intercept_error, l.intercept + q * l.intercept_error,
		"intercept_ci95");
	put(to, aic, "AIC");
	put(to, aic - 6 + 3 * log((double)n), "BIC");
	put(to, (6 - aic) / 2, "logLik");
	answer_points(&l, at, n_new, to);
}

enum { MODELS = 8 };
static const char *const models[MODELS] = { "1", "log n", "sqrt n", "n", "n log n", "n^2",
	"n^2 log n", "n^3" };

static double growth(int model, double n)
{
	const double f[MODELS] = { 1, log(n), sqrt(n), n, n * log(n), n * n, n * n * log(n),
		n * n * n };

	return f[model];
}

static void judge_best(
	const double *aic, const json_t *expect, const char *name, struct answers *to)
{
	int best = 0;

	for (int k = 1; k < MODELS; k++)
		best = aic[k] < aic[best] ? k : best;
	put_judged(
		to, !strcmp(models[best], json_string_value(json_object_get(expect, name))), name);
}

struct growth_data {
	size_t n;
	double *size, *y, *one, *f, *log_ratio;
};

static double aic_of(const struct growth_data *d, int model, const double *sigma)
{
	const double *columns[] = { d->one, d->f };
	struct et_least_squares fit;

	for (size_t i = 0; i < d->n; i++)
		d->f[i] = growth(model, d->size[i]);
	return et_least_squares_fit(columns, model ? 2 : 1, d->y, sigma, d->n, &fit)
		       ? akaike(&fit, sigma)
		       : NAN;
}

/* The same on the scale of logarithms, where a model has its factor only. */
static double log_aic_of(const struct growth_data *d, int model)
{
	const double *columns[] = { d->one };
	struct et_least_squares fit;

	for (size_t i = 0; i < d->n; i++)
		d->log_ratio[i] = log(d->y[i]) - log(growth(model, d->size[i]));
	return et_least_squares_fit(columns, 1, d->log_ratio, NULL, d->n, &fit) ? akaike(&fit, NULL)
										: NAN;
}

void answer_complexity(const json_t *input, const json_t *expect, struct answers *to)
{
	size_t n;
	ET_AUTO_FREE double *size = numbers(json_object_get(input, "n"), &n);
	ET_AUTO_FREE double *y = numbers(json_object_get(input, "y"), &n);
	ET_AUTO_FREE double *room = et_calloc(3 * n, sizeof(*room));
	struct growth_data d = { n, size, y, room, room + n, room + 2 * n };
	double ols[MODELS], wls[MODELS], logs[MODELS];
	struct et_line line;

	for (size_t i = 0; i < n; i++)
		d.one[i] = 1;
	for (int k = 0; k < MODELS; k++) {
		ols[k] = aic_of(&d, k, NULL);
		wls[k] = aic_of(&d, k, y);
		logs[k] = k ? log_aic_of(&d, k) : NAN;
	}
	put_array(to, ols, MODELS, "AIC_ols_intercept");
	put_array(to, wls, MODELS, "AIC_wls_1_over_y2");
	put_array(to, logs + 1, MODELS - 1, "AIC_log_scale_no_intercept");
	judge_best(ols, expect, "best_ols", to);
	judge_best(wls, expect, "best_wls", to);
	for (size_t i = 0; i < n; i++) {
		d.f[i] = log(size[i]);
		d.log_ratio[i] = log(y[i]);
	}
	et_line_fit(d.f, d.log_ratio, n, &line);
	put(to, line.slope, "loglog_slope");
}
