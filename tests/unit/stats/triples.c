/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The test of symmetry, against the definition over all triples, computed by a Python program. */
#include "base/base.h"
#include "num/rank.h"
#include "num/rng.h"
#include "stats/compare/paired.h"
#include "tap.h"

static void oracle(void)
{
	static const struct {
		size_t n;
		double x[12], z, p;
	} cases[] = {
		{ 10, { 3.1, 0.2, -1.5, 2.2, 0.9, 7.5, -0.3, 1.1, 0.4, 12.0 }, 3.02243860734,
			0.00250746939353 },
		{ 12, { 1, 2, 2, 3, 5, 8, 13, 21, 34, 55, 89, 90 }, 4.00877521936,
			6.10344778497e-05 },
		{ 9, { -3.2, -1.9, -1.2, -0.4, 0.1, 0.3, 1.3, 1.8, 3.3 }, -0.119736868018,
			0.90469159399 },
		{ 8, { -100, -40, -30.5, -29, -28, -27.7, -27, -26.1 }, -3.72727272727,
			0.000193562971152 },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct et_triples t = et_triples_test(cases[i].x, cases[i].n);
		near(t.z, cases[i].z, 1e-10, 0, "case %zu: the deviate", i);
		near(t.p, cases[i].p, 1e-9, 0, "case %zu: p", i);
	}
	ok(isnan(et_triples_test(cases[0].x, 2).p), "two values have no p");
	ok(isnan(et_triples_test((double[]){ 5, 5, 5, 5 }, 4).p), "equal values have no p");
	ok(et_triples_test((double[]){ -2, -1, 0, 1, 2 }, 5).z == 0 ||
			isnan(et_triples_test((double[]){ -2, -1, 0, 1, 2 }, 5).p),
		"symmetric values show no skewness");
}

/* Pairs of a busy machine: one in ten varies four times as much, on both sides. */
static double heavy(struct et_rng *rng)
{
	double wide = et_rng_uniform(rng) < 0.1 ? 0.05 : 0.0125;

	return wide * et_rng_normal(rng);
}

static void heavy_tails(void)
{
	enum { TRIALS = 300, N = 100 };
	int skewed = 0, alarms = 0, found = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 3, 0);
	for (int i = 0; i < TRIALS; i++) {
		struct et_contrast same = { .level = 0.95 }, slower = { .level = 0.95 };
		double d[N];
		for (int k = 0; k < N; k++)
			d[k] = heavy(&rng);
		skewed += et_triples_test(d, N).p < 0.05;
		et_judge_pairs(d, N, &same);
		alarms += same.p < 0.05;
		for (int k = 0; k < N; k++)
			d[k] += 0.005;
		et_judge_pairs(d, N, &slower);
		found += slower.p < 0.05;
		et_warnings_free(&same.warnings);
		et_warnings_free(&slower.warnings);
	}
	ok(skewed <= TRIALS / 10, "heavy tails on both sides are no skewness (%d of %d)", skewed,
		TRIALS);
	ok(alarms <= TRIALS * 2 / 25, "heavy tails: few false alarms (%d of %d)", alarms, TRIALS);
	ok(found >= TRIALS * 17 / 20, "heavy tails: 0.5 %% is found in 100 pairs (%d of %d)", found,
		TRIALS);
}

static void large(void)
{
	enum { N = 100000 };
	ET_AUTO_FREE double *x = et_calloc(N, sizeof(*x));
	struct et_rng rng;

	et_rng_seed(&rng, 4, 0);
	for (int i = 0; i < N; i++)
		x[i] = -log1p(-et_rng_uniform(&rng));
	ok(et_triples_test(x, N).p < 1e-6, "100,000 exponential values are skewed");
	for (int i = 0; i < N; i++)
		x[i] = et_rng_normal(&rng);
	ok(et_triples_test(x, N).p > 0.001, "100,000 normal values are not");
}

int main(void)
{
	oracle();
	heavy_tails();
	large();
	return tap_done();
}
