/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "oracle_answers.h"

#include "base/base.h"
#include "dist/dist.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/compare/groups.h"
#include "stats/compare/paired.h"
#include "stats/compare/two_sample.h"
#include "stats/series/bootstrap.h"
#include "stats/series/diagnosis.h"
#include "stats/series/interval.h"
#include "stats/series/serial.h"

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

void put_omitted(struct answers *to, const char *path)
{
	fresh(to, path, 0)->omitted = true;
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

/* The acceleration constant of BCa: of the sd, or of the mean. */
static double acceleration(const double *x, size_t n, bool of_sd)
{
	static const struct et_boot_options o = { .replicates = 2, .level = 0.95, .bca = true };
	struct et_boot mean, sd;

	et_bootstrap_mean_sd(x, n, &o, &mean, &sd);
	return of_sd ? sd.acceleration : mean.acceleration;
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
	/* The interval that is printed may be wider than Student's; see num/mean_interval.c. */
	struct et_mean_interval m = et_mean_interval(x, n, 0.95);
	double u = e.sd / sqrt((double)n);
	put(to, u, "u_typeA");
	put(to, u / e.mean, "rel_std_error");
	put(to, et_qt(0.975, (double)n - 1), "k95");
	put(to, m.student, "U95");
	put_pair(to, m.mean - m.student, m.mean + m.student, "mean_ci95_t");
	put(to, e.median, "median");
	put(to, e.q3 - e.q1, "iqr");
	put(to, et_qt(0.995, (double)n - 1), "k99");
	put(to, et_skewness(x, n), "skewness_g1");
	put(to, acceleration(x, n, true), "jack_accel_sd");
}

/*
 * The oracle's leave-one-out means lose digits far from 0. There the result is compared with the
 * acceleration of the mean by its skewness, g1 / (6 sqrt n).
 */
static void answer_acceleration(const double *x, size_t n, const json_t *expect, struct answers *to)
{
	double a = acceleration(x, n, false);
	double g1 = json_number_value(json_object_get(expect, "skewness_g1"));

	if (fabs(et_mean(x, n)) > 1e6 * et_sd(x, n))
		put_judged(to, fabs(a - g1 / (6 * sqrt((double)n))) <= 1e-9 * fabs(a),
			"jack_accel_mean");
	else
		put(to, a, "jack_accel_mean");
}

static void answer_serial(const double *x, size_t n, const json_t *expect, struct answers *to)
{
	static const size_t lags[] = { 1, 5, 10 };
	size_t n_acf = json_array_size(json_object_get(expect, "acf"));
	ET_AUTO_FREE double *acf = et_calloc(n_acf, sizeof(*acf));
	struct et_trend trend = et_mann_kendall(x, n);

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
	/* R's T counts the rising pairs. */
	put(to, (trend.s + (double)n * ((double)n - 1) / 2) / 2, "kendall_exact.T");
}

static void answer_modes(
	const double *x, const double *sorted, size_t n, const json_t *expect, struct answers *to)
{
	struct et_dip dip = et_dip(x, n);
	double bw = et_bw_nrd0(sorted, n);
	size_t best = 0, n_modes, theirs;
	struct et_kde kde;

	put(to, dip.statistic, "dip.D");
	put(to, dip.p, "dip.p_table");
	put(to, bw, "bw_nrd0");
	put(to, bw, "kde.bw");
	et_kde(sorted, n, 0, &kde);
	n_modes = et_modes(&kde, sorted, n, 0, NULL, 0);
	for (size_t i = 1; i < ET_KDE_POINTS; i++)
		if (kde.density[i] > kde.density[best])
			best = i;
	put(to, (double)n_modes, "kde.grid512_modes");
	/* Symmetric data have two equal maxima; the oracle's must be one of them. */
	double at = (member(expect, "kde", "grid512_argmax") - kde.lo) / kde.step + 0.5;
	theirs = at >= 0 && at < ET_KDE_POINTS ? (size_t)at : ET_KDE_POINTS;
	put_judged(to,
		theirs < ET_KDE_POINTS &&
			fabs(kde.density[theirs] - kde.density[best]) <= 1e-9 * kde.density[best],
		"kde.grid512_argmax");
	put(to, kde.density[best], "kde.grid512_max");
}

static void answer_one_tests(const double *x, const double *sorted, size_t n, struct answers *to)
{
	struct et_interval sd = et_sd_interval(et_sd(x, n), n, 0.95);
	struct et_interval_test t = et_t_one_sample(x, n, 0, 0.95);
	struct et_normality w = et_shapiro_wilk(x, n);
	struct et_outliers far = et_outliers(sorted, n);

	put_pair(to, sd.lo, sd.hi, "sd_ci95_chisq");
	put(to, t.statistic, "t_one_sample.t");
	put(to, t.p, "t_one_sample.p");
	put(to, w.w, "shapiro.W");
	put(to, w.p, "shapiro.p");
	put(to, (double)far.mild, "tukey_mild_outliers");
	put(to, (double)far.severe, "tukey_severe_outliers");
}

static void answer_one_sample(const json_t *input, const json_t *expect, struct answers *to)
{
	size_t n, n_probs;
	ET_AUTO_FREE double *x = numbers(json_object_get(input, "x"), &n);
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	ET_AUTO_FREE double *probs = numbers(json_object_get(expect, "quantile_probs"), &n_probs);

	answer_spread(x, n, to);
	answer_acceleration(x, n, expect, to);
	put_array(to, probs, n_probs, "quantile_probs");
	for (size_t i = 0; i < n_probs; i++)
		probs[i] = et_quantile_sorted(sorted, n, probs[i]);
	put_array(to, probs, n_probs, "quantile7");
	put(to, et_mad_sorted(sorted, n), "mad");
	answer_one_tests(x, sorted, n, to);
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
	put(to, 1 - et_sidak_level(0.95, (double)n), "sidak_alpha_per_test");
}

static void put_t(struct answers *to, const struct et_interval_test *t, const char *name)
{
	char path[64];

	put(to, t->statistic, "%s.t", name);
	put(to, t->df, "%s.df", name);
	put(to, t->p, "%s.p", name);
	snprintf(path, sizeof(path), "%s.ci95", name);
	put_pair(to, t->lo, t->hi, path);
}

static void answer_parametric(
	const double *x, size_t nx, const double *y, size_t ny, struct answers *to)
{
	struct et_interval_test f = et_f_test(x, nx, y, ny, 0.95);
	struct et_interval_test t = et_t_student(x, nx, y, ny, 0.95);
	struct et_interval_test welch = et_t_welch(x, nx, y, ny, 0.95);

	put(to, et_mean(x, nx) - et_mean(y, ny), "diff_means");
	put(to, et_mean(x, nx) / et_mean(y, ny), "ratio_means");
	put(to, f.statistic, "var_test.F");
	put(to, f.df, "var_test.df1");
	put(to, f.df2, "var_test.df2");
	put(to, f.p, "var_test.p_accurate");
	put_pair(to, f.lo, f.hi, "var_test.ci95");
	put_t(to, &t, "t_equal");
	put_t(to, &welch, "t_welch");
	if (nx == ny) {
		ET_AUTO_FREE double *d = et_calloc(nx, sizeof(*d));

		for (size_t i = 0; i < nx; i++)
			d[i] = x[i] - y[i];
		t = et_t_one_sample(d, nx, 0, 0.95);
		put_t(to, &t, "t_paired");
	}
}

static void answer_ranks(const double *x, size_t nx, const double *y, size_t ny,
	const json_t *expect, struct answers *to)
{
	struct et_rank_sum w = et_rank_sum_test(x, nx, y, ny, 0.95);
	bool ties = json_is_true(json_object_get(expect, "ties"));

	put(to, w.w, "W");
	put(to, w.shift, "hodges_lehmann");
	put(to, w.delta, "cliff_delta");
	put(to, (w.delta + 1) / 2, "vargha_delaney_A");
	put(to, ties, "ties");
	put(to, et_rank_sum_permutation_p(x, nx, y, ny), "wilcox_exact_ties_permutation.p");
	if (!w.exact) {
		put(to, w.p, "wilcox_normal_cc.p");
		put_pair(to, w.lo, w.hi, "wilcox_normal_ci95");
		return;
	}
	put_omitted(to, "wilcox_normal_cc.p"); /* the exact test is preferred */
	put_omitted(to, "wilcox_normal_ci95");
	put(to, w.p, "wilcox_exact.p");
	put(to, w.shift, "wilcox_exact.shift");
	if (member(expect, "wilcox_exact", "achieved") < 0.95)
		put_judged(to, isnan(w.lo) && isnan(w.hi), "wilcox_exact.ci95");
	else
		put_pair(to, w.lo, w.hi, "wilcox_exact.ci95");
}

static void answer_two_sample(const json_t *input, const json_t *expect, struct answers *to)
{
	size_t nx, ny;
	ET_AUTO_FREE double *x = numbers(json_object_get(input, "x"), &nx);
	ET_AUTO_FREE double *y = numbers(json_object_get(input, "y"), &ny);
	struct et_ks ks = et_ks_test(x, nx, y, ny);

	to->scale = fmax(et_sd(x, nx), et_sd(y, ny));
	put(to, (double)nx, "nx");
	put(to, (double)ny, "ny");
	answer_parametric(x, nx, y, ny, to);
	answer_ranks(x, nx, y, ny, expect, to);
	put(to, ks.d, "ks_D");
	put(to, et_ks_asymptotic_p(ks.d, (double)nx, (double)ny), "ks_asym_series");
	if (ks.exact)
		put(to, ks.p, "ks_exact_upper");
	else
		put_omitted(to, "ks_exact_upper");
	if (nx == ny) {
		struct et_interval_test v;

		for (size_t i = 0; i < nx; i++)
			x[i] -= y[i];
		v = et_signed_rank_test(x, nx, 0.95);
		put(to, v.statistic, "signed_rank.V");
		put(to, v.p, "signed_rank.p");
		put(to, v.exact, "signed_rank.exact");
	}
}

/* The oracle's groups are numbered from 1, and the values of a group are adjacent. */
static size_t split_groups(
	const double *y, const double *label, size_t n, struct et_group *groups, size_t most)
{
	size_t k = 0;

	for (size_t i = 0; i < n && k < most; k++) {
		size_t j = i;

		while (j < n && label[j] == label[i])
			j++;
		groups[k] = (struct et_group){ y + i, j - i };
		i = j;
	}
	return k;
}

static void answer_groups(const json_t *input, struct answers *to)
{
	size_t n, k;
	ET_AUTO_FREE double *y = numbers(json_object_get(input, "y"), &n);
	ET_AUTO_FREE double *label = numbers(json_object_get(input, "g"), &n);
	struct et_group groups[16];
	struct et_anova f, welch;
	struct et_test h, b;

	k = split_groups(y, label, n, groups, ET_LENGTH(groups));
	f = et_anova(groups, k);
	welch = et_anova_welch(groups, k);
	h = et_kruskal_wallis(groups, k);
	b = et_bartlett(groups, k);
	put(to, f.f, "F");
	put(to, f.df1, "df1");
	put(to, f.df2, "df2");
	put(to, f.p, "p");
	put(to, f.ss_between, "ss_between");
	put(to, f.ss_within, "ss_within");
	put(to, h.statistic, "kruskal.H");
	put(to, h.p, "kruskal.p");
	put(to, welch.f, "welch_anova.F");
	put(to, welch.df2, "welch_anova.df2");
	put(to, welch.p, "welch_anova.p");
	put(to, b.statistic, "bartlett.K2");
	put(to, b.p, "bartlett.p");
}

static void answer_uncertainty(const json_t *input, struct answers *to)
{
	size_t n;
	ET_AUTO_FREE double *u = numbers(json_object_get(input, "u"), &n);
	ET_AUTO_FREE double *c = numbers(json_object_get(input, "c"), &n);
	ET_AUTO_FREE double *nu = numbers(json_object_get(input, "nu"), &n);
	ET_AUTO_FREE struct et_component *parts = et_calloc(n, sizeof(*parts));
	struct et_combined all;

	for (size_t i = 0; i < n; i++)
		parts[i] = (struct et_component){ .u = u[i], .c = c[i], .df = nu[i] };
	all = et_combine(parts, n, 0.95);
	put(to, all.u, "u_c");
	put(to, all.df, "nu_eff");
	put(to, all.k, "k95");
	put(to, et_qt(0.975, floor(all.df)), "k95_floor_nu");
	put(to, all.expanded, "U95");
}

static void answer_shares(const double *k, size_t n, struct answers *to)
{
	ET_AUTO_FREE double *out = et_calloc(2 * n, sizeof(*out));
	double all = et_sum(k, n);

	for (size_t i = 0; i < n; i++) {
		struct et_interval wilson = et_share_interval_wilson(k[i], all, 0.95);

		out[i] = wilson.lo;
		out[n + i] = wilson.hi;
	}
	put(to, all, "N");
	put_array(to, out, n, "wilson_lo");
	put_array(to, out + n, n, "wilson_hi");
	put(to, et_qnorm((1 + et_sidak_level(0.95, (double)n)) / 2), "sidak_z_for_m");
}

static void answer_sampling(const json_t *input, struct answers *to)
{
	const json_t *counts = json_object_get(input, "counts");
	double step = json_number_value(json_object_get(input, "resolution"));
	size_t n;
	ET_AUTO_FREE double *x = numbers(counts ? counts : json_object_get(input, "x"), &n);
	struct et_component parts[2] = { { .c = 1, .df = (double)n - 1 },
		{ .c = 1, .df = INFINITY } };

	if (counts) {
		answer_shares(x, n, to);
		return;
	}
	parts[0].u = et_sd(x, n) / sqrt((double)n);
	parts[1].u = et_resolution_uncertainty(step);
	put(to, et_mean(x, n), "mean");
	put(to, parts[0].u, "u_typeA");
	put(to, parts[1].u, "u_resolution");
	put(to, et_combine(parts, 2, 0.95).u, "u_combined");
}

static double qt_of(const double *a)
{
	return et_qt(a[0], a[1]);
}

static double pt_upper_of(const double *a)
{
	double both = et_pt_two_sided(a[0], a[1]);

	return a[0] > 0 ? both / 2 : 1 - both / 2;
}

static double pt_of(const double *a)
{
	return pt_upper_of((double[]){ -a[0], a[1] });
}

static double pf_upper_of(const double *a)
{
	return et_pf_upper(a[0], a[1], a[2]);
}

static double qf_of(const double *a)
{
	return et_qf(a[0], a[1], a[2]);
}

static double pchisq_upper_of(const double *a)
{
	return et_pchisq_upper(a[0], a[1]);
}

static double qchisq_of(const double *a)
{
	return et_qchisq(a[0], a[1]);
}

static double qnorm_of(const double *a)
{
	return et_qnorm(a[0]);
}

static double pnorm_of(const double *a)
{
	return et_pnorm(a[0]);
}

static double pwilcox_of(const double *a)
{
	return et_pwilcox(a[0], a[1], a[2]);
}

static double pwilcox_upper_of(const double *a)
{
	return et_pwilcox_upper(a[0], a[1], a[2]);
}

static double qwilcox025_of(const double *a)
{
	return et_qwilcox(0.025, a[0], a[1]);
}

/* Applies one function of up to three inputs element by element. */
static const struct {
	const char *path;
	double (*fn)(const double *);
	const char *inputs[3];
} functions[] = {
	{ "qt", qt_of, { "p", "df" } },
	{ "pt", pt_of, { "t", "df" } },
	{ "pt_upper", pt_upper_of, { "t", "df" } },
	{ "pf_upper", pf_upper_of, { "f", "df1", "df2" } },
	{ "qf", qf_of, { "p", "df1", "df2" } },
	{ "pchisq_upper", pchisq_upper_of, { "c", "df1" } },
	{ "qchisq", qchisq_of, { "p", "df1" } },
	{ "qnorm", qnorm_of, { "p" } },
	{ "pnorm", pnorm_of, { "t" } },
	{ "pwilcox", pwilcox_of, { "w", "m", "n" } },
	{ "pwilcox_upper", pwilcox_upper_of, { "w", "m", "n" } },
	{ "qwilcox025", qwilcox025_of, { "m", "n" } },
};

static void answer_function(size_t which, const json_t *input, struct answers *to)
{
	double *in[3] = { NULL }, *out = NULL, arg[3] = { 0 };
	size_t n = 0;
	bool known = true;

	for (size_t k = 0; k < 3 && functions[which].inputs[k]; k++) {
		const json_t *v = json_object_get(input, functions[which].inputs[k]);

		known = known && v;
		in[k] = numbers(v, &n);
	}
	if (known) {
		out = et_calloc(n, sizeof(*out));
		for (size_t i = 0; i < n; i++) {
			for (size_t k = 0; k < 3 && in[k]; k++)
				arg[k] = in[k][i];
			out[i] = functions[which].fn(arg);
		}
		put_array(to, out, n, functions[which].path);
	}
	free(out);
	for (size_t k = 0; k < 3; k++)
		free(in[k]);
}

static void answer_dist(const json_t *input, struct answers *to)
{
	static json_t *t; /* a case of pnorm has the t of the case before */

	if (json_object_get(input, "t")) {
		json_decref(t);
		t = json_deep_copy(json_object_get(input, "t"));
	} else if (t) {
		json_object_set((json_t *)input, "t", t);
	}
	for (size_t i = 0; i < ET_LENGTH(functions); i++)
		answer_function(i, input, to);
}

bool answer_case(
	const char *kind, const json_t *input, const json_t *expect, struct answers *answers)
{
	if (!strcmp(kind, "one_sample"))
		answer_one_sample(input, expect, answers);
	else if (!strcmp(kind, "two_sample"))
		answer_two_sample(input, expect, answers);
	else if (!strcmp(kind, "p_adjust"))
		answer_p_adjust(input, answers);
	else if (!strcmp(kind, "groups"))
		answer_groups(input, answers);
	else if (!strcmp(kind, "uncertainty"))
		answer_uncertainty(input, answers);
	else if (!strcmp(kind, "sampling"))
		answer_sampling(input, answers);
	else if (!strcmp(kind, "bootstrap"))
		answer_bootstrap(input, expect, answers);
	else if (!strcmp(kind, "dist"))
		answer_dist(input, answers);
	else if (!strcmp(kind, "regression"))
		answer_regression(input, answers);
	else if (!strcmp(kind, "complexity"))
		answer_complexity(input, expect, answers);
	else if (!strcmp(kind, "factorial"))
		answer_factorial(input, expect, answers);
	else
		return false;
	return true;
}
