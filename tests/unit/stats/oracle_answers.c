/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "oracle_answers.h"

#include "base/alloc.h"
#include "num/dist.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/modes.h"
#include "stats/multiple.h"
#include "stats/serial.h"
#include "stats/signed_rank.h"
#include "stats/summary.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

const struct answer *find_answer(const struct answers *answers, const char *path)
{
	for (size_t i = 0; i < answers->n; i++)
		if (!strcmp(answers->a[i].path, path))
			return &answers->a[i];
	return NULL;
}

void free_answers(struct answers *answers)
{
	for (size_t i = 0; i < answers->n; i++)
		free(answers->a[i].v);
	free(answers->a);
}

static struct answer *fresh(struct answers *to, const char *path, size_t n)
{
	struct answer *a;

	ET_GROW(to->a, to->n, to->cap);
	a = &to->a[to->n++];
	*a = (struct answer){ .v = et_calloc(n, sizeof(double)), .n = n };
	snprintf(a->path, sizeof(a->path), "%s", path);
	return a;
}

void put(struct answers *to, double v, const char *fmt, ...)
{
	char path[64];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	fresh(to, path, 1)->v[0] = v;
}

void put_array(struct answers *to, const double *v, size_t n, const char *path)
{
	memcpy(fresh(to, path, n)->v, v, n * sizeof(*v));
}

void put_pair(struct answers *to, double lo, double hi, const char *path)
{
	put_array(to, (double[]){ lo, hi }, 2, path);
}

void put_judged(struct answers *to, bool pass, const char *path)
{
	struct answer *a = fresh(to, path, 0);

	a->custom = true;
	a->pass = pass;
}

double *numbers(const json_t *v, size_t *n)
{
	double *out;

	if (!json_is_array(v)) {
		*n = v ? 1 : 0;
		out = et_calloc(1, sizeof(*out));
		out[0] = json_number_value(v);
		return out;
	}
	*n = json_array_size(v);
	out = et_calloc(*n, sizeof(*out));
	for (size_t i = 0; i < *n; i++) {
		const json_t *e = json_array_get(v, i);

		out[i] = json_is_number(e) ? json_number_value(e) : NAN;
	}
	return out;
}

static double member(const json_t *expect, const char *outer, const char *inner)
{
	return json_number_value(json_object_get(json_object_get(expect, outer), inner));
}

static void answer_spread(const double *x, size_t n, struct answers *to)
{
	struct et_estimate e;

	et_summarise(x, n, 0.95, &e);
	put(to, (double)n, "n");
	put(to, e.mean, "mean");
	put(to, et_variance(x, n), "var");
	put(to, e.sd, "sd");
	put(to, e.min, "min");
	put(to, e.max, "max");
	put(to, e.relative_error, "rsd");
	put(to, e.standard_uncertainty, "u_typeA");
	put(to, e.standard_uncertainty / e.mean, "rel_std_error");
	put(to, e.coverage_factor, "k95");
	put(to, e.expanded_uncertainty, "U95");
	put_pair(to, e.lo, e.hi, "mean_ci95_t");
	put(to, e.median, "median");
	put(to, e.q3 - e.q1, "iqr");
	et_summarise(x, n, 0.99, &e);
	put(to, e.coverage_factor, "k99");
	put(to, et_skewness(x, n), "skewness_g1");
	put(to, et_kurtosis(x, n), "kurtosis_b2");
}

static void answer_serial(const double *x, size_t n, const json_t *expect, struct answers *to)
{
	static const size_t lags[] = { 1, 5, 10 };
	size_t n_acf = json_array_size(json_object_get(expect, "acf"));
	ET_AUTO_FREE double *acf = et_calloc(n_acf, sizeof(*acf));
	struct et_trend trend = et_mann_kendall(x, n);
	struct et_runs runs = et_runs_test(x, n);

	et_acf(x, n, n_acf, acf);
	put_array(to, acf, n_acf, "acf");
	put(to, et_acf_band(n, 0.95), "acf_band95");
	for (size_t i = 0; i < ET_LENGTH(lags); i++) {
		struct et_test t = et_ljung_box(x, n, lags[i]);

		put(to, t.statistic, "ljung_box_%zu.X2", lags[i]);
		put(to, t.p, "ljung_box_%zu.p_accurate", lags[i]);
	}
	put(to, trend.s, "mann_kendall.S");
	put(to, trend.z, "mann_kendall.z");
	put(to, trend.p, "mann_kendall.p");
	put(to, trend.tau, "kendall_exact.tau");
	put(to, trend.tau, "kendall_approx.tau");
	/* R's T counts the rising pairs */
	put(to, (trend.s + (double)n * ((double)n - 1) / 2) / 2, "kendall_exact.T");
	put(to, et_mann_kendall_exact_p(x, n), "kendall_exact.p_accurate");
	put(to, (double)runs.runs, "runs_median.runs");
	put(to, (double)runs.above, "runs_median.n_above");
	put(to, runs.z, "runs_median.z");
	put(to, runs.p, "runs_median.p");
}

static void answer_modes(
	const double *x, const double *sorted, size_t n, const json_t *expect, struct answers *to)
{
	const json_t *points = json_object_get(json_object_get(expect, "kde"), "at");
	struct et_dip dip = et_dip(x, n);
	double bw = et_bw_nrd0(sorted, n);
	size_t n_at, best = 0, n_modes;
	ET_AUTO_FREE double *at = numbers(points, &n_at);
	ET_AUTO_FREE double *density = et_calloc(n_at, sizeof(*density));
	struct et_kde kde;

	put(to, dip.statistic, "dip.D");
	put(to, dip.p, "dip.p_table");
	put(to, bw, "bw_nrd0");
	put(to, bw, "kde.bw");
	put_array(to, at, n_at, "kde.at");
	for (size_t i = 0; i < n_at; i++)
		density[i] = et_kde_at(sorted, n, bw, at[i]);
	put_array(to, density, n_at, "kde.density");
	et_kde(sorted, n, 0, &kde);
	n_modes = et_modes(&kde, sorted, n, 0, NULL, 0);
	for (size_t i = 1; i < ET_KDE_POINTS; i++)
		if (kde.density[i] > kde.density[best])
			best = i;
	put(to, (double)n_modes, "kde.grid512_modes");
	/* symmetric data have two equal maxima: the oracle's must be one of them */
	put_judged(to,
		fabs(et_kde_at(sorted, n, bw, member(expect, "kde", "grid512_argmax")) -
			kde.density[best]) <= 1e-9 * kde.density[best],
		"kde.grid512_argmax");
	put(to, kde.density[best], "kde.grid512_max");
}

static void answer_one_sample(const json_t *input, const json_t *expect, struct answers *to)
{
	size_t n, n_probs;
	ET_AUTO_FREE double *x = numbers(json_object_get(input, "x"), &n);
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	ET_AUTO_FREE double *probs = numbers(json_object_get(expect, "quantile_probs"), &n_probs);

	answer_spread(x, n, to);
	put_array(to, probs, n_probs, "quantile_probs");
	for (size_t i = 0; i < n_probs; i++)
		probs[i] = et_quantile_sorted(sorted, n, probs[i]);
	put_array(to, probs, n_probs, "quantile7");
	put(to, et_mad_sorted(sorted, n), "mad");
	answer_serial(x, n, expect, to);
	answer_modes(x, sorted, n, expect, to);
}

static void answer_p_adjust(const json_t *input, struct answers *to)
{
	size_t n;
	ET_AUTO_FREE double *p = numbers(json_object_get(input, "p"), &n);
	ET_AUTO_FREE double *out = et_calloc(n, sizeof(*out));

	et_holm(p, n, out);
	put_array(to, out, n, "holm");
	for (size_t i = 0; i < n; i++)
		out[i] = et_sidak_p(p[i], (double)n);
	put_array(to, out, n, "sidak_single_step");
	put(to, et_sidak_alpha(0.05, (double)n), "sidak_alpha_per_test");
}

bool answer_case(
	const char *kind, const json_t *input, const json_t *expect, struct answers *answers)
{
	if (!strcmp(kind, "one_sample"))
		answer_one_sample(input, expect, answers);
	else if (!strcmp(kind, "p_adjust"))
		answer_p_adjust(input, answers);
	else
		return false;
	return true;
}
