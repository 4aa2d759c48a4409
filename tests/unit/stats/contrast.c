/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Whole comparisons: every two-sample case of the oracle, Holm's step-down procedure, pairs
 * of every shape, and false alarms on identical programs with autoregressive noise.
 */
#include "stats/compare/contrast.h"
#include "base/base.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/rng.h"
#include "stats/compare/compare.h"
#include "stats/compare/paired.h"
#include "stats/compare/two_sample.h"
#include "tap.h"

#include <jansson.h>
#include <limits.h>

/* --- independent series: the results of R --- */

static struct et_series series_of(const json_t *list)
{
	static char name[] = "series";
	struct et_series s = { .name = name };

	for (size_t i = 0; i < json_array_size(list); i++)
		et_series_append(&s, json_number_value(json_array_get(list, i)));
	return s;
}

static double at(const json_t *expect, const char *outer, const char *inner)
{
	const json_t *v = inner ? json_object_get(json_object_get(expect, outer), inner)
				: json_object_get(expect, outer);

	return json_is_number(v) ? json_number_value(v) : NAN;
}

static bool close_to(double got, double want, double rel)
{
	return (isnan(got) && isnan(want)) || got == want ||
	       fabs(got - want) <= rel * fabs(want) + 1e-300;
}

/* Counts the figures of a pair that differ from those of R, for the test that was chosen. */
static int disagreements(const struct et_contrast *c, const json_t *want)
{
	bool student = !strcmp(c->method, "student");
	int bad = 0;

	if (!strcmp(c->method, "wilcoxon")) {
		bool exact =
			json_is_number(json_object_get(json_object_get(want, "wilcox_exact"), "p"));
		double p =
			exact ? at(want, "wilcox_exact", "p") : at(want, "wilcox_normal_cc", "p");
		/* R computes an exact p without ties and below 50 values per sample. */
		if (at(want, "nx", NULL) >= 50 || at(want, "ny", NULL) >= 50)
			p = at(want, "wilcox_normal_cc", "p");
		/* Of a few tied values the exact p decides, as in R's package coin. */
		if (!exact && c->p_floor > 0.001 && c->inflation == 1)
			bad += !close_to(
				c->p, at(want, "wilcox_exact_ties_permutation", "p"), 1e-9);
		bad += !close_to(c->published.statistic, at(want, "W", NULL), 1e-12);
		bad += !close_to(c->published.p, p, 1e-6);
		bad += c->f.tested + !c->ks.tested;
	} else {
		const char *t = student ? "t_equal" : "t_welch";
		bad += !close_to(c->f.statistic, at(want, "var_test", "F"), 1e-9);
		bad += !close_to(c->f.p, at(want, "var_test", "p_accurate"), 1e-6);
		bad += student != (c->f.p > 0.05);
		bad += !close_to(c->published.statistic, at(want, t, "t"), 1e-6);
		bad += !close_to(c->published.df, at(want, t, "df"), 1e-6);
		bad += !close_to(c->published.p, at(want, t, "p"), 1e-6);
		bad += !close_to(c->ratio, 1 / at(want, "ratio_means", NULL), 1e-9) &&
		       !strcmp(c->ratio_method ? c->ratio_method : "", "fieller");
		bad += c->ks.tested + !c->f.tested;
	}
	bad += !close_to(c->delta, -at(want, "cliff_delta", NULL), 1e-9);
	return bad;
}

/* True if the interval contains 1 exactly when the test does not reject at the same level. */
static bool consistent(const struct et_contrast *c)
{
	if (isnan(c->lo) || isnan(c->hi) || fabs(c->p - 0.05) < 1e-6 ||
		strcmp(c->ratio_method, "fieller"))
		return true;
	return (c->lo <= 1 && c->hi >= 1) == (c->p > 0.05);
}

static void oracle(void)
{
	static const struct et_compare_options o = { .alpha = 0.05 };
	const char *dir = getenv("ET_TEST_DATA");
	int cases = 0, bad = 0, inconsistent = 0, dependent = 0, branches[3] = { 0 };
	ET_AUTO_FREE char *line = NULL;
	char path[PATH_MAX];
	size_t cap = 0;

	snprintf(path, sizeof(path), "%s/oracle/public.jsonl", dir ? dir : "tests");
	ET_AUTO_FCLOSE FILE *f = fopen(path, "r");
	while (f && getline(&line, &cap, f) > 0) {
		json_t *root = json_loads(line, 0, NULL);
		const json_t *input = json_object_get(root, "input");
		if (!strcmp(json_string_value(json_object_get(root, "kind")), "two_sample") &&
			json_array_size(json_object_get(input, "x")) >= 3 &&
			json_array_size(json_object_get(input, "y")) >= 3) {
			struct et_series s[2] = { series_of(json_object_get(input, "x")),
				series_of(json_object_get(input, "y")) };
			struct et_comparison c;
			et_compare(s, 2, &o, &c);
			bool widened = c.pairs[0].inflation > 1;
			int wrong = disagreements(&c.pairs[0], json_object_get(root, "expect"));
			if (widened) /* the published test is R's, and the one that decides is wider
				      */
				wrong += !(c.pairs[0].p >= c.pairs[0].published.p);
			else if (c.pairs[0].p_floor < 0.001)
				wrong += !close_to(c.pairs[0].p, c.pairs[0].published.p, 0);
			if (wrong)
				printf("# %s: %d\n", json_string_value(json_object_get(root, "id")),
					wrong);
			cases++;
			dependent += widened;
			bad += wrong;
			inconsistent += !consistent(&c.pairs[0]);
			branches[c.pairs[0].method[0] == 's'   ? 0
				 : c.pairs[0].method[1] == 'e' ? 1
							       : 2]++;
			et_comparison_free(&c);
			free(s[0].values);
			free(s[1].values);
		}
		json_decref(root);
	}
	ok(cases >= 50 && bad == 0, "oracle: %d cases agree with R (%d figures differ)", cases,
		bad);
	ok(dependent >= 5 && dependent <= 12,
		"oracle: %d cases are dependent: trends, autoregressions and a few by chance",
		dependent);
	ok(inconsistent == 0, "oracle: Fieller's interval and the t test agree (%d do not)",
		inconsistent);
	ok(branches[0] && branches[1] && branches[2],
		"oracle: all tests are chosen (student %d, welch %d, wilcoxon %d)", branches[0],
		branches[1], branches[2]);
}

static void by_hand(void)
{
	/* t.test(a, b, var.equal = TRUE); Fieller's interval from the roots of its quadratic */
	static const double a[] = { 10, 11, 12, 13, 14 }, b[] = { 13, 14, 15, 16, 17 };
	static const double odd[] = { -1, -2, -3, -4, -50 }, flat[] = { 5, 5, 5 };
	struct et_contrast c = { .level = 0.95 };

	et_judge_apart(a, 5, b, 5, true, &c);
	is_str(c.method, "student", "apart: equal variances choose Student's t");
	near(c.statistic, -3, 1e-12, 0, "student: t agrees with R");
	near(c.df, 8, 0, 0, "student: df agrees with R");
	near(c.p, 0.0170716812337895, 1e-10, 0, "student: p agrees with R");
	near(c.ratio, 1.25, 1e-12, 0, "student: the ratio is that of the means");
	near(c.lo, 1.05270400404, 1e-9, 0, "fieller: the lower bound is a root of the quadratic");
	near(c.hi, 1.49432453495, 1e-9, 0, "fieller: the upper bound is a root of the quadratic");
	et_judge_apart(a, 5, odd, 5, false, &c);
	ok(isnan(c.ratio) && !isnan(c.p), "apart: negative values have a p and no ratio");
	c.ratio_method = NULL;
	et_contrasts_conclude(&c, 1, 0.05);
	ok(c.significant && c.conclusion == ET_CONCLUDED_SMALLER,
		"conclusion: negative values are smaller, without a ratio");
	et_judge_apart(flat, 3, flat, 3, false, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(isnan(c.p) && !c.significant && c.conclusion == ET_CONCLUDED_NOTHING,
		"conclusion: equal values allow none");
}

/* --- the family --- */

static void holm(void)
{
	static const double p[] = { 0.01, 0.04, 0.03, 0.005, NAN };
	static const double levels[] = { 0.05 / 3, 0.05, 0.05 / 2, 0.05 / 4 };
	double got[5];
	bool rejected[5];

	et_holm_steps(p, 5, 0.05, got, rejected);
	for (int i = 0; i < 4; i++)
		near(got[i], levels[i], 1e-15, 0,
			"holm: p = %g is compared with alpha / (k - j + 1)", p[i]);
	ok(isnan(got[4]) && !rejected[4], "holm: a p of NaN does not count");
	ok(rejected[3] && rejected[0], "holm: hypotheses with p = 0.005 and 0.01 are rejected");
	ok(!rejected[2] && !rejected[1], "holm: p = 0.03 is not rejected, and no larger p is");
	et_holm(p, 5, got);
	near(got[1], 0.06, 1e-12, 0, "holm: adjusted p-values are monotone");
}

static void family(void)
{
	char names[3][2] = { "a", "b", "c" };
	struct et_series s[3] = { 0 };
	struct et_comparison c;
	struct et_compare_options o = { .alpha = 0.05 };
	struct et_rng rng;
	size_t reference = 1;

	et_rng_seed(&rng, 3, 1);
	for (int i = 0; i < 3; i++) {
		s[i].name = names[i];
		for (int k = 0; k < 30; k++)
			et_series_append(&s[i], 100 + (i == 2 ? 10 : 0) + et_rng_normal(&rng));
	}
	et_compare(s, 3, &o, &c);
	ok(c.n_pairs == 3, "family: every pair of three is compared");
	ok(!c.pairs[0].significant && c.pairs[1].significant && c.pairs[2].significant,
		"family: the third series differs from both others");
	near(c.after_holm, 2.0 / 3, 1e-12, 0, "family: two of three pairs differ after Holm");
	ok(c.pairs[1].conclusion == ET_CONCLUDED_SLOWER && c.pairs[1].family == 3,
		"conclusion: the third series is slower, in a family of three");
	ok(c.pairs[0].conclusion == ET_CONCLUDED_SAME,
		"conclusion: the first two series show no difference");
	et_comparison_free(&c);
	o.reference = &reference;
	et_compare(s, 3, &o, &c);
	ok(c.n_pairs == 2 && c.pairs[0].a == 1 && c.pairs[0].b == 0 && c.pairs[1].b == 2,
		"family: with a reference, all others are compared with it");
	et_comparison_free(&c);
	for (int i = 0; i < 3; i++)
		free(s[i].values);
}

/* --- pairs --- */

static const char *method_of(double (*draw)(struct et_rng *), size_t n)
{
	ET_AUTO_FREE double *d = et_calloc(n, sizeof(*d));
	struct et_contrast c = { .level = 0.95, .arrangement = "duet" };
	struct et_rng rng;

	et_rng_seed(&rng, 11, 0);
	for (size_t i = 0; i < n; i++)
		d[i] = draw(&rng);
	et_judge_pairs(d, n, &c);
	et_warnings_free(&c.warnings);
	return c.method;
}

static double exponential(struct et_rng *rng)
{
	return -log1p(-et_rng_uniform(rng)) - 0.7;
}

static double heavy(struct et_rng *rng)
{
	double u = et_rng_uniform(rng) - 0.5; /* Laplace */

	return copysign(log1p(-2 * fabs(u)), u);
}

static void shapes(void)
{
	static const double few[] = { 0.01, -0.02 }, same[] = { 0.1, 0.1, 0.1, 0.1, 0.1, 0.1 };
	struct et_contrast c = { .level = 0.95, .arrangement = "block" };

	is_str(method_of(et_rng_normal, 60), "paired-t",
		"pairs: normal log ratios choose the paired t test");
	is_str(method_of(heavy, 200), "signed-rank",
		"pairs: symmetric log ratios with heavy tails choose signed rank");
	is_str(method_of(exponential, 60), "sign", "pairs: skewed log ratios choose the sign test");
	et_judge_pairs(few, 2, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(!c.significant &&
			(c.conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY ||
				c.conclusion == ET_CONCLUDED_TOO_FEW) &&
			c.pairs == 2,
		"conclusion: two pairs are too few");
	et_judge_pairs(few, 0, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(isnan(c.p) && !c.significant && c.conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY,
		"conclusion: no pairs are too few");
	et_judge_pairs(same, 6, &c);
	ok(c.inflation == 1 && c.p < 0.05, "pairs: six equal log ratios differ from 0 (p = %g)",
		c.p);
	near(c.ratio, exp(0.1), 1e-12, 0,
		"pairs: the ratio of equal log ratios is their exponential");
}

/* The share of trials, with n AR(1) pairs of identical programs each, that find a difference. */
static double false_alarms(size_t n, double phi, int trials, uint64_t seed)
{
	ET_AUTO_FREE double *d = et_calloc(n, sizeof(*d));
	struct et_rng rng;
	int alarms = 0;

	et_rng_seed(&rng, seed, 0);
	for (int t = 0; t < trials; t++) {
		struct et_contrast c = { .level = 0.95, .arrangement = "block" };
		double e = et_rng_normal(&rng) / sqrt(1 - phi * phi);
		for (size_t i = 0; i < n; i++) {
			d[i] = 0.02 * e;
			e = phi * e + et_rng_normal(&rng);
		}
		et_judge_pairs(d, n, &c);
		et_contrasts_conclude(&c, 1, 0.05);
		alarms += c.significant;
		et_warnings_free(&c.warnings);
	}
	return (double)alarms / trials;
}

static void honest(void)
{
	static const struct {
		size_t n;
		double phi;
		double most; /* 5 % plus three standard errors of the simulation, or as noted */
	} cases[] = {
		{ 10, 0, 0.065 }, { 30, 0, 0.065 }, { 30, 0.2, 0.065 }, { 30, 0.4, 0.065 },
		{ 100, 0.4, 0.065 }, { 100, 0.6, 0.065 },
		{ 10, 0.2, 0.1 }, /* too few to see the dependence; 0.10 is the share without
				     widening */
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		double share = false_alarms(cases[i].n, cases[i].phi, 2000, i + 1);
		ok(share <= cases[i].most,
			"false alarms: %zu pairs, AR(1) with phi = %.1f: %.1f %%", cases[i].n,
			cases[i].phi, 100 * share);
	}
}

static void widened(void)
{
	struct et_contrast c = { .level = 0.95, .arrangement = "duet" };
	struct et_rng rng;
	double d[100], e = 0;

	et_rng_seed(&rng, 5, 0);
	for (int i = 0; i < 100; i++) {
		e = 0.7 * e + et_rng_normal(&rng);
		d[i] = e;
	}
	et_judge_pairs(d, 100, &c);
	ok(c.inflation > 2, "dependent pairs: the variance is multiplied by %.1f", c.inflation);
	ok(c.warnings.n == 1 && et_warnings_have(&c.warnings, ET_WARN_DEPENDENT_PAIRS),
		"dependent pairs: a warning is raised");
	struct et_interval_test plain = et_signed_rank_test(d, 100, 0.95);
	ok(log(c.hi) - log(c.lo) > 1.4 * (plain.hi - plain.lo),
		"dependent pairs: the interval is wider");
	et_warnings_free(&c.warnings);
}

/* Two series in order of execution, each an autoregression about 100. */
static void widened_apart(void)
{
	struct et_contrast plain = { .level = 0.95 }, c = plain;
	struct et_rng rng;
	double x[2][60], shuffled[2][60], e = 0;

	et_rng_seed(&rng, 6, 0);
	for (int i = 0; i < 120; i++) {
		e = (i == 60 ? 0 : 0.7 * e) + et_rng_normal(&rng);
		x[i / 60][i % 60] = 100 + e;
		shuffled[i / 60][i * 23 % 60] = 100 + e;
	}
	for (int normal = 0; normal < 2; normal++) {
		const char *how = normal ? "t" : "ranks";
		et_judge_apart(shuffled[0], 60, shuffled[1], 60, normal, &plain);
		et_judge_apart(x[0], 60, x[1], 60, normal, &c);
		ok(plain.inflation == 1 && plain.warnings.n == 0 &&
				close_to(plain.p, plain.published.p, 1e-12),
			"independent series, %s: nothing is widened", how);
		ok(c.inflation > 2 && et_warnings_have(&c.warnings, ET_WARN_DEPENDENT_SERIES),
			"dependent series, %s: a warning, and the variance is multiplied by %.1f",
			how, c.inflation);
		ok(close_to(c.published.p, plain.published.p, 1e-9) && c.p > c.published.p,
			"dependent series, %s: p is larger than the published %g: %g", how,
			c.published.p, c.p);
		ok(close_to(c.ratio, plain.ratio, 1e-12) &&
				log(c.hi / c.lo) > 1.4 * log(plain.hi / plain.lo),
			"dependent series, %s: the ratio is the same, and its interval is wider",
			how);
		et_warnings_free(&c.warnings);
	}
}

static void few_apart(void)
{
	/* Far apart and not normal: 2 / C(6, 3) = 0.1, 2 / C(8, 4) = 0.029. */
	static const double a[] = { 1, 1.001, 9 }, b[] = { 100, 101, 900 };
	static const double tied[] = { 5, 5, 5 }, others[] = { 6, 6, 6 };
	struct et_contrast c[10], one = { .level = 0.95 };

	et_judge_apart(a, 3, b, 3, false, &one);
	et_contrasts_conclude(&one, 1, 0.05);
	near(one.p_floor, 0.1, 1e-12, 0, "few values: the smallest p of 3 against 3 is 0.1");
	ok(one.conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY && one.pairs_needed == 4,
		"few values: 3 against 3 are too few, and 4 are enough");
	et_judge_apart(tied, 3, others, 3, false, &one);
	et_contrasts_conclude(&one, 1, 0.05);
	near(one.p, 0.1, 1e-12, 0, "few values: the p of 3 tied values against 3 is exact");
	ok(one.conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY, "few values: tied ones are too few");
	for (int i = 0; i < 10; i++) {
		double x[] = { 1, 1.001, 1.002, 1.003, 9 }, y[] = { 20, 21, 22, 23, 90 };
		c[i] = (struct et_contrast){ .level = 0.95 };
		et_judge_apart(x, 5, y, 5, false, &c[i]);
	}
	et_contrasts_conclude(c, 1, 0.05);
	ok(c[0].conclusion == ET_CONCLUDED_SLOWER && c[0].pairs_needed == 0,
		"few values: 5 against 5 are enough for one comparison");
	et_contrasts_conclude(c, 10, 0.05);
	near(c[3].p_floor, 2.0 / 252, 1e-12, 0, "few values: the smallest p of 5 against 5");
	ok(c[3].conclusion == ET_CONCLUDED_TOO_FEW_IN_FAMILY && c[3].pairs_needed == 6,
		"few values: 5 against 5 are too few for ten comparisons, 6 are enough");
}

/* Two laws that differ by a factor have the same shape on the scale of the ratio. */
static void shapes_apart(void)
{
	int same = 0, unlike = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 9, 0);
	for (int t = 0; t < 60; t++) {
		struct et_contrast c = { .level = 0.95 };
		double x[100], y[100], z[100];
		for (int i = 0; i < 100; i++) {
			x[i] = exp(0.5 * et_rng_normal(&rng));
			y[i] = 3 * exp(0.5 * et_rng_normal(&rng));
			z[i] = 3 * exp(1.5 * et_rng_normal(&rng));
		}
		et_judge_apart(x, 100, y, 100, false, &c);
		same += c.same_shape;
		et_warnings_free(&c.warnings);
		c = (struct et_contrast){ .level = 0.95 };
		et_judge_apart(x, 100, z, 100, false, &c);
		unlike += !c.same_shape;
		et_warnings_free(&c.warnings);
	}
	ok(same >= 57, "shapes: lognormal values and three times such values are alike, %d of 60",
		same);
	ok(unlike >= 57, "shapes: another sigma is another shape, %d of 60", unlike);
}

static void undefined(void)
{
	/* Equal to the last digits, as R's t.test sees them. */
	double x[20], y[20], same[12] = { 0 };
	static const double a[] = { 3.25, 3.25, 3.25, 3.25, 3.25 },
			    b[] = { 4.25, 4.25, 4.25, 4.25, 4.25 }, wide[] = { 60, 80, 100 },
			    wider[] = { 1, 20, 35 };
	struct et_contrast c = { .level = 0.95 };

	for (int i = 0; i < 20; i++) {
		x[i] = 1e15 + i % 7 - 3;
		y[i] = 1e15 + 100 + i % 5 - 2;
	}
	et_judge_apart(x, 20, y, 20, true, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(isnan(c.p) && c.conclusion == ET_CONCLUDED_NOTHING,
		"conclusion: without a p there is none, even with an interval");
	c = (struct et_contrast){ .level = 0.95, .arrangement = "duet" };
	et_judge_pairs(same, 12, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(c.conclusion == ET_CONCLUDED_NOTHING, "conclusion: pairs of equal times allow none");
	c = (struct et_contrast){ .level = 0.95 };
	et_judge_apart(a, 5, b, 5, false, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(c.conclusion == ET_CONCLUDED_SLOWER && isnan(c.lo) && close_to(c.ratio, 17.0 / 13, 1e-9),
		"conclusion: two constants have a ratio and no interval");
	et_judge_apart(wide, 3, wider, 3, true, &c);
	ok(c.lo == 0 && c.hi > c.ratio, "fieller: the interval of positive values ends at 0");
}

/* A constant series has no autocorrelation, which must not count as the strongest one. */
static void constants(void)
{
	enum { N = 30 };
	double a[N], b[N], varies[N];
	struct et_contrast c;

	for (int i = 0; i < N; i++) {
		a[i] = 0.12;
		b[i] = 0.24;
		varies[i] = i % 2 ? 0.13 : 0.14;
	}
	const struct {
		const char *name;
		const double *x, *y;
		double ratio;
		bool interval;
	} cases[] = { { "two constants", a, b, 2, false }, { "two constants", b, a, 0.5, false },
		{ "a constant and a varying series", a, varies, 1.1, true },
		{ "a varying series and a constant", varies, a, 0.9, true } };
	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		c = (struct et_contrast){ .level = 0.95, .unit = ET_UNIT_S };
		et_judge_apart(cases[i].x, N, cases[i].y, N, false, &c);
		et_contrasts_conclude(&c, 1, 0.05);
		ok(c.significant && c.inflation == 1 && c.p < 1e-6 && c.warnings.n == 0 &&
				(c.conclusion == ET_CONCLUDED_SLOWER) == (cases[i].ratio > 1) &&
				fabs(c.ratio / cases[i].ratio - 1) < 0.1 &&
				isfinite(c.lo) == cases[i].interval,
			"%s of 30 values: shown to differ (p %.2g, %.3f, %.3f … %.3f)",
			cases[i].name, c.p, c.ratio, c.lo, c.hi);
		et_warnings_free(&c.warnings);
	}
}

static void mean_disagrees(void)
{
	double d[80];
	struct et_contrast c = { .level = 0.95, .arrangement = "duet" };

	/* 60 of 80 pairs are 0.1 % faster, and 20 are 1 % slower. */
	for (int i = 0; i < 80; i++)
		d[i] = (i * 7 % 4 ? -0.001 : 0.01) + 1e-6 * (i * 13 % 80);
	et_judge_pairs(d, 80, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(!strcmp(c.method, "sign") && c.conclusion == ET_CONCLUDED_FASTER && c.mean_ratio > 1 &&
			et_warnings_have(&c.warnings, ET_WARN_MEAN_DISAGREES),
		"mean: a warning if the median pair is faster and the mean is slower");
	near(c.mean_ratio, exp(et_mean(d, 80)), 1e-12, 0, "mean: it is the geometric mean");
	et_warnings_free(&c.warnings);
	for (int i = 0; i < 80; i++)
		d[i] -= 0.02;
	c = (struct et_contrast){ .level = 0.95, .arrangement = "duet" };
	et_judge_pairs(d, 80, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(c.conclusion == ET_CONCLUDED_FASTER &&
			!et_warnings_have(&c.warnings, ET_WARN_MEAN_DISAGREES),
		"mean: no warning if median and mean agree");
	et_warnings_free(&c.warnings);
	/* 53 of 80 pairs take twice the time, and 27 as long as the others: both are slower. */
	for (int i = 0; i < 80; i++)
		d[i] = (i % 3 ? M_LN2 : 0) + 1e-6 * (i * 13 % 80);
	c = (struct et_contrast){ .level = 0.95, .arrangement = "duet" };
	et_judge_pairs(d, 80, &c);
	et_contrasts_conclude(&c, 1, 0.05);
	ok(c.conclusion == ET_CONCLUDED_SLOWER && c.mean_ratio > 1.5 && c.mean_ratio < 1.7 &&
			et_warnings_have(&c.warnings, ET_WARN_MEAN_DISAGREES),
		"mean: a warning if the median pair is 2 and the mean 1.6, %.3f and %.3f", c.ratio,
		c.mean_ratio);
	et_warnings_free(&c.warnings);
}

int main(void)
{
	constants();
	oracle();
	by_hand();
	holm();
	family();
	shapes();
	widened();
	widened_apart();
	few_apart();
	shapes_apart();
	undefined();
	mean_disagrees();
	honest();
	return tap_done();
}
