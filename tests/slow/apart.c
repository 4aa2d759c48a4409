/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Independent series as `etalon compare` judges them: false alarms and coverage on equal programs
 * whose successive times resemble each other, and the power that the correction for dependence
 * leaves on independent times. The seeds are fixed.
 */
#include "base/base.h"
#include "num/rng.h"
#include "stats/compare/compare.h"
#include "tap.h"

/* Fills x with n values about 1 with a standard deviation of 2 %; skewed: exp of a normal law. */
static void autoregression(struct et_rng *rng, double phi, bool skewed, double *x, size_t n)
{
	double e = et_rng_normal(rng) / sqrt(1 - phi * phi);

	for (size_t i = 0; i < n; i++) {
		double z = e * sqrt(1 - phi * phi);
		x[i] = skewed ? exp(z) : 1 + 0.02 * z;
		e = phi * e + et_rng_normal(rng);
	}
}

struct shares {
	double alarms, found, missed, warned;
};

/* Judges two series as `compare` does: as they are, and with the second one longer by `effect`. */
static struct shares judge_twice(
	size_t n, double phi, bool skewed, double effect, int trials, uint64_t seed)
{
	static const struct et_compare_options o = { .alpha = 0.05 };
	struct shares sum = { 0 };
	struct et_rng rng;
	char name[] = "series";

	et_rng_seed(&rng, seed, 0);
	for (int t = 0; t < trials; t++) {
		ET_AUTO_FREE double *x = et_calloc(n, sizeof(*x));
		ET_AUTO_FREE double *y = et_calloc(n, sizeof(*y));
		struct et_series s[2] = { { .name = name, .values = x, .n = n },
			{ .name = name, .values = y, .n = n } };
		autoregression(&rng, phi, skewed, x, n);
		autoregression(&rng, phi, skewed, y, n);
		for (int slower = 0; slower < (effect > 0 ? 2 : 1); slower++) {
			struct et_comparison c;
			for (size_t i = 0; slower && i < n; i++)
				y[i] *= 1 + effect;
			et_compare(s, 2, &o, &c);
			const struct et_contrast *p = &c.pairs[0];
			if (slower) {
				sum.found += p->significant && p->ratio > 1;
			} else {
				sum.alarms += p->significant;
				sum.missed += !(p->lo <= 1 && p->hi >= 1);
				sum.warned +=
					et_warnings_have(&p->warnings, ET_WARN_DEPENDENT_SERIES);
			}
			et_comparison_free(&c);
		}
	}
	sum.alarms /= trials;
	sum.found /= trials;
	sum.missed /= trials;
	sum.warned /= trials;
	return sum;
}

/* Three equal series: how often all three intervals hold 1 together, and each of them. */
static void together(bool simultaneous, bool bootstrap, double least, double most)
{
	enum { N = 40, TRIALS = 600, SERIES = 3 };
	const struct et_compare_options o = {
		.alpha = 0.05, .simultaneous = simultaneous, .bootstrap = bootstrap
	};
	double x[SERIES][N], all = 0;
	char name[] = "series";
	struct et_rng rng;

	et_rng_seed(&rng, 77, bootstrap);
	for (int t = 0; t < TRIALS; t++) {
		struct et_series s[SERIES] = { 0 };
		struct et_comparison c;
		bool covered = true;
		for (int i = 0; i < SERIES; i++) {
			autoregression(&rng, 0, false, x[i], N);
			s[i] = (struct et_series){ .name = name, .values = x[i], .n = N };
		}
		et_compare(s, SERIES, &o, &c);
		for (size_t i = 0; i < c.n_pairs; i++)
			covered = covered && c.pairs[i].lo <= 1 && c.pairs[i].hi >= 1;
		all += covered;
		et_comparison_free(&c);
	}
	all /= TRIALS;
	ok(all >= least && all <= most,
		"coverage: three %s intervals%s hold together in %.1f %%, wanted %.0f to %.0f",
		simultaneous ? "simultaneous" : "single", bootstrap ? " of the bootstrap" : "",
		100 * all, 100 * least, 100 * most);
}

int main(void)
{
	static const struct {
		size_t n;
		double phi;
		bool skewed;
		double effect;      /* that plain tests find in 80 % of all independent series */
		double most, least; /* false alarms; found differences */
	} cases[] = {
		/* 5 % and 3 standard errors of the simulation: 2.1 points. */
		{ 10, 0, false, 0.0262, 0.071, 0.72 },
		{ 30, 0, false, 0.0145, 0.071, 0.76 },
		{ 30, 0, true, 1.1, 0.071, 0.76 },
		{ 100, 0, false, 0.008, 0.071, 0.77 },
		/* Without the correction 15, 33 and 33 % of the normal ones. */
		{ 30, 0.3, false, 0, 0.095, 0 },
		{ 30, 0.6, false, 0, 0.075, 0 },
		{ 100, 0.6, false, 0, 0.071, 0 },
		{ 30, 0.6, true, 0, 0.08, 0 },
		{ 100, 0.6, true, 0, 0.071, 0 },
	};

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		struct shares s = judge_twice(
			cases[i].n, cases[i].phi, cases[i].skewed, cases[i].effect, 1000, i + 1);
		const char *law = cases[i].skewed ? "lognormal" : "normal";
		ok(s.alarms <= cases[i].most,
			"false alarms: 2 series of %zu %s values, AR(1) with phi = %.1f: %.1f %%",
			cases[i].n, law, cases[i].phi, 100 * s.alarms);
		ok(s.missed <= cases[i].most + 0.01,
			"coverage: 2 series of %zu %s values, phi = %.1f: the interval misses in "
			"%.1f %%",
			cases[i].n, law, cases[i].phi, 100 * s.missed);
		if (cases[i].least > 0)
			ok(s.found >= cases[i].least && s.warned <= 0.075,
				"power: 2 series of %zu independent %s values: found in %.1f %%, "
				"warned in %.1f %%",
				cases[i].n, law, 100 * s.found, 100 * s.warned);
	}
	/* 3 standard errors: 2.7 points. The intervals share series, so Sidak's cover a bit more.
	 */
	together(true, false, 0.93, 0.99);
	together(true, true, 0.92, 0.985);
	together(false, false, 0.83, 0.92);
	return tap_done();
}
