/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From exact data the fit finds their model and coefficients. */
#include "num/growth.h"
#include "num/rng.h"
#include "tap.h"

enum { SIZES = 8, RUNS = 5 };

static double f(int model, double n, double c)
{
	const double all[] = { 0, log(n), n, n * log(n), n * n, n * n * log(n), n * n * n, exp2(n),
		pow(n, c) };

	return all[model];
}

static void test_exact(void)
{
	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		double x[2 * SIZES], y[2 * SIZES];
		struct et_growth g;
		struct et_growth_value v;

		for (int i = 0; i < SIZES; i++) {
			x[2 * i] = x[2 * i + 1] = m == ET_GROWTH_EXP ? 5 + i : 10 << i;
			y[2 * i] = y[2 * i + 1] = 1000 + 7 * f(m, x[2 * i], 1.5);
		}
		ok(et_growth_fit(x, y, 2 * SIZES, 0.95, &g) == ET_GROWTH_FINE && g.n == SIZES,
			"growth: exact data of %s are fitted", et_growth_names[m]);
		ok((int)g.best == m, "growth: exact data of %s choose it", et_growth_names[m]);
		near(g.fits[m].a, 1000, 1e-6, 0, "growth: %s: the constant part is found",
			et_growth_names[m]);
		near(g.fits[m].b, m ? 7 : 0, 1e-5, 0, "growth: %s: the factor is found",
			et_growth_names[m]);
		double far = m == ET_GROWTH_EXP ? 15 : 5000;
		et_growth_at(&g, far, &v);
		near(v.value, 1000 + 7 * f(m, far, 1.5), 1e-5, 0,
			"growth: %s: the time beyond the measured sizes is found",
			et_growth_names[m]);
		ok(v.lo <= v.value && v.value <= v.hi && v.hi - v.lo < 1e-3 * v.value,
			"growth: %s: exact data give a narrow interval", et_growth_names[m]);
		et_growth_free(&g);
	}
}

/* Times a + b n^c with a relative spread; one size may be off by a factor. */
static void noisy(double c, double spread, int odd, double factor, struct et_growth *g)
{
	double x[SIZES * RUNS], y[SIZES * RUNS];
	struct et_rng rng;
	size_t n = 0;

	et_rng_seed(&rng, 7, 0);
	for (int i = 0; i < SIZES; i++) {
		for (int k = 0; k < RUNS; k++, n++) {
			x[n] = 100 << i;
			y[n] = (500 + 3 * pow(x[n], c)) * (1 + spread * et_rng_normal(&rng)) *
			       (i == odd ? factor : 1);
		}
	}
	if (et_growth_fit(x, y, n, 0.95, g))
		tap_bail("growth: the data were refused");
}

static void test_anomaly(void)
{
	struct et_growth g;

	noisy(1, 0.01, -1, 1, &g);
	ok(g.best == ET_GROWTH_N && g.n_anomalies == 0 && !g.all_rejected,
		"anomaly: a line without an odd size has none");
	et_growth_free(&g);
	noisy(1, 0.01, 4, 1.3, &g);
	ok(g.n_anomalies == 1 && g.anomalies[0].size == 1600,
		"anomaly: a size that takes 30 %% longer is found, and no other");
	ok(g.n_anomalies && g.anomalies[0].mean > g.anomalies[0].hi &&
			g.anomalies[0].expected < g.anomalies[0].hi &&
			g.anomalies[0].lo < g.anomalies[0].expected,
		"anomaly: its interval excludes the measured mean");
	ok(g.all_rejected && g.fits[ET_GROWTH_N].rejected == ET_GROWTH_LACK_OF_FIT,
		"anomaly: the repeated runs reject every smooth curve");
	et_growth_free(&g);
}

static void test_rejection(void)
{
	struct et_growth g;
	double sum = 0;

	noisy(2, 0.01, -1, 1, &g);
	ok(g.best == ET_GROWTH_N2 && !g.fits[ET_GROWTH_N2].rejected,
		"rejection: the true model n² is chosen and not rejected");
	ok(g.fits[ET_GROWTH_N].rejected == ET_GROWTH_LACK_OF_FIT &&
			g.fits[ET_GROWTH_N3].rejected == ET_GROWTH_LACK_OF_FIT,
		"rejection: n and n³ do not fit within the uncertainty of n² data");
	ok(g.fits[ET_GROWTH_EXP].excluded == ET_GROWTH_TOO_STEEP,
		"rejection: 2ⁿ is no candidate for sizes up to 12800");
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		sum += g.fits[m].weight;
	near(sum, 1, 1e-12, 0, "weights: they sum up to 1");
	et_growth_free(&g);
}

static void test_bounds(void)
{
	double x[16], y[16];
	struct et_growth g;
	struct et_growth_value v;

	for (int i = 0; i < 16; i++) { /* falls with n */
		x[i] = 1 + i / 2;
		y[i] = 100 - x[i] + 0.1 * (i % 2);
	}
	ok(et_growth_fit(x, y, 16, 0.95, &g) == ET_GROWTH_FINE && g.best == ET_GROWTH_CONSTANT &&
			g.fits[ET_GROWTH_N].excluded == ET_GROWTH_FALLS,
		"bounds: times that fall with n exclude models that grow");
	et_growth_free(&g);
	for (int i = 0; i < 16; i++) { /* a line below the origin: the constant part is 0 */
		x[i] = 10 * (1 + i / 2);
		y[i] = 5 * x[i] - 2 + 0.1 * x[i] * (i % 2 ? 1 : -1);
	}
	if (et_growth_fit(x, y, 16, 0.95, &g))
		tap_bail("bounds: the data were refused");
	ok(g.fits[ET_GROWTH_N].at_bound && g.fits[ET_GROWTH_N].a == 0,
		"bounds: a negative constant part becomes 0");
	et_growth_ratio(&g, 80, 800, &v);
	ok(v.lo < 10 && v.hi > 10, "bounds: the ratio is uncertain although the part is 0");
	et_growth_free(&g);
	ok(et_growth_fit(x, y, 7, 0.95, &g) == ET_GROWTH_FEW_SAMPLES &&
			et_growth_fit(x, y, 6, 0.95, &g) == ET_GROWTH_FEW_SIZES,
		"bounds: 8 samples of 4 sizes are needed");
	x[0] = x[1] = 0.5;
	ok(et_growth_fit(x, y, 16, 0.95, &g) == ET_GROWTH_FINE &&
			g.fits[ET_GROWTH_N_LOG].excluded == ET_GROWTH_BELOW_ONE,
		"bounds: a size below 1 excludes logarithms");
	et_growth_free(&g);
}

/* 2ⁿ at ten times the size is beyond all numbers; the answer must stay finite. */
static void test_beyond(void)
{
	const double sizes[] = { 20, 40, 60, 90, 130 };
	double x[10], y[10];
	struct et_growth g;
	struct et_growth_value v;

	for (int i = 0; i < 10; i++) {
		x[i] = sizes[i / 2];
		y[i] = (i / 2 < 4 ? 100 : 200) + i % 2;
	}
	if (et_growth_fit(x, y, 10, 0.95, &g))
		tap_bail("beyond: the data were refused");
	et_growth_ratio(&g, 130, 1300, &v);
	ok(!g.fits[ET_GROWTH_EXP].excluded && g.best == ET_GROWTH_EXP && v.value >= 1e30 &&
			isfinite(v.lo) && isfinite(v.hi),
		"beyond: a ratio of 2ⁿ that no number can hold is the largest one");
	et_growth_free(&g);
}

/* Without repetitions only the order of the residuals can reject a model. */
static void test_runs(void)
{
	double x[12], y[12];
	struct et_growth g;

	for (int i = 0; i < 12; i++) {
		x[i] = i + 1;
		y[i] = 100 + x[i] * x[i] + (i % 2 ? 0.3 : -0.3);
	}
	if (et_growth_fit(x, y, 12, 0.95, &g))
		tap_bail("runs: the data were refused");
	ok(g.fits[ET_GROWTH_N].rejected == ET_GROWTH_RUNS && isnan(g.fits[ET_GROWTH_N].p),
		"runs: residuals of a line through n² come in runs");
	/* The signs are three of +, seven of - and two of +: 12 of 792 orders have at most three
	 * runs. */
	near(g.fits[ET_GROWTH_N].runs_p, 12.0 / 792, 1e-9, 0,
		"runs: the probability of three runs of 5 and 7 signs is that of counting");
	ok(g.best == ET_GROWTH_N2 && !g.fits[ET_GROWTH_N2].rejected,
		"runs: alternating residuals do not reject the true model");
	et_growth_free(&g);
}

/* The times of a sort of ints, whose largest array no longer fits the cache: a factor of 1200. */
static void test_scatter(void)
{
	static const double size[] = { 64, 256, 1024, 4096, 16384 };
	static const double ns[] = { 1066, 6139, 30910, 148900, 1303000 };
	double x[50], y[50];
	struct et_growth g;

	for (int i = 0; i < 50; i++) {
		x[i] = size[i / 10];
		y[i] = ns[i / 10] * (1 + 0.002 * (i % 10 - 4.5));
	}
	if (et_growth_fit(x, y, 50, 0.95, &g))
		tap_bail("scatter: the data were refused");
	ok(g.all_rejected, "scatter: no model fits the sizes exactly");
	ok(g.best == ET_GROWTH_N_LOG, "scatter: the nearest by factors is n log n, not a constant");
	et_growth_free(&g);
}

/*
 * One run in 20 takes half as long again, so that sizes with such runs have a high mean and a large
 * spread. The mean of the noise is 1. Weights by the spread of each size covered half of the
 * truths.
 */
static void test_slow_runs(void)
{
	enum { FITS = 200, EACH = 10, N = 8 * EACH };
	double x[N], y[N], bias = 0;
	int covered = 0, inside = 0, best = 0;
	struct et_rng rng;

	et_rng_seed(&rng, 12, 1);
	for (int k = 0; k < FITS; k++) {
		struct et_growth_value v;
		struct et_growth g;
		for (int i = 0; i < N; i++) {
			double slow = et_rng_uniform(&rng) < 0.05 ? 0.5 : 0;
			x[i] = 1000 << (i / EACH);
			y[i] = (3e5 + 1e3 * x[i]) * (0.975 + 0.025 * et_rng_normal(&rng) + slow);
		}
		if (et_growth_fit(x, y, N, 0.95, &g))
			tap_bail("slow runs: the data were refused");
		best += g.best == ET_GROWTH_N;
		et_growth_at(&g, 24000, &v);
		inside += v.lo <= 3e5 + 24e6 && 3e5 + 24e6 <= v.hi;
		et_growth_at(&g, 512000, &v);
		covered += v.lo <= 3e5 + 512e6 && 3e5 + 512e6 <= v.hi;
		bias += (v.value / (3e5 + 512e6) - 1) / FITS;
		et_growth_free(&g);
	}
	ok(best >= 190, "slow runs: the true model is found (%d of 200)", best);
	ok(inside >= 174,
		"slow runs: the interval inside the sizes covers in about 90 %% (%d of 200)",
		inside);
	ok(covered >= 176, "slow runs: the interval beyond the sizes covers in 90 %% (%d of 200)",
		covered);
	ok(fabs(bias) < 0.006,
		"slow runs: the prediction is off by less than 0.6 %% on average (%g)", bias);
}

int main(void)
{
	test_exact();
	test_slow_runs();
	test_scatter();
	test_anomaly();
	test_rejection();
	test_bounds();
	test_runs();
	test_beyond();
	return tap_done();
}
