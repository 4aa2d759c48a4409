/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnosis of a series: steps, skewness, outliers, drift, modes and serial dependence. */
#include "base/base.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "stats/series/diagnosis.h"
#include "stats/series/interval.h"
#include "stats/series/serial.h"
#include "tap.h"

enum { N = 300 };

static void fill(double *x, size_t n, double mean, double sd, double step)
{
	struct et_rng rng;

	et_rng_seed(&rng, 17, (uint64_t)(mean + n));
	for (size_t i = 0; i < n; i++) {
		x[i] = mean + sd * et_rng_normal(&rng);
		if (step > 0)
			x[i] = step * round(x[i] / step);
	}
}

static void steps(void)
{
	static const struct {
		double mean, sd, step;
		bool coarse;
	} cases[] = {
		{ 10, 1, 0, false },
		{ 10, 1, 0.5, true },
		{ 0.25, 0.01, 0.001, true },
		{ 0.25, 0.01, 1e-5, false },
		{ 4e9, 1e7, 4e6, true }, /* a tick of 4 ms, in ns */
		{ 1e12, 3, 1, true },
	};
	double x[N];
	struct et_discreteness d;

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		fill(x, N, cases[i].mean, cases[i].sd, cases[i].step);
		et_sort(x, N);
		d = et_discreteness(x, N);
		near(d.quantum, cases[i].step, 1e-6, 0, "steps: case %zu has its quantum", i);
		ok(d.coarse == cases[i].coarse, "steps: case %zu is %s", i,
			cases[i].coarse ? "coarse" : "not coarse");
	}
	d = et_discreteness((double[]){ 1, 2, 3 }, 3);
	ok(d.quantum == 0 && !d.coarse && d.distinct == 3, "steps: three values prove no quantum");
	d = et_discreteness((double[]){ 5, 5, 5 }, 3);
	ok(d.quantum == 0 && d.distinct == 1, "steps: a constant has no quantum");
	ok(et_discreteness(x, 0).distinct == 0, "steps: an empty series has no distinct values");
}

static void skewness(void)
{
	static const double x[] = { 1, 2, 2, 3, 3, 3, 4, 5, 9, 20 };
	struct et_asymmetry a = et_asymmetry(x, ET_LENGTH(x));

	near(a.skewness, 2.0250638524621865, 1e-12, 0,
		"skewness: the coefficient is m3 / m2^(3/2)");
	near(a.z, 3.2130082722817783, 1e-12, 0, "skewness: z agrees with D'Agostino (1970)");
	near(a.p, 0.0013135250629175738, 1e-11, 0, "skewness: p agrees with D'Agostino (1970)");
	ok(isnan(et_asymmetry(x, 7).p), "skewness: seven values are too few for a p");
}

static void outliers(void)
{
	static const double x[] = { 1, 10, 10.5, 11, 11, 11.5, 12, 12, 14.5, 40 };
	struct et_outliers o = et_outliers(x, ET_LENGTH(x));

	ok(o.mild == 3 && o.severe == 2 && o.solitary == 2,
		"outliers: %zu mild, %zu severe, %zu solitary", o.mild, o.severe, o.solitary);
	ok(et_outliers(x, 0).mild == 0, "outliers: no values have no outliers");
}

static void drift(void)
{
	double x[N];
	struct et_drift d;

	fill(x, N, 100, 1, 0);
	d = et_drift(x, N);
	ok(!d.cold_start && d.p > 0.01, "drift: steady values have neither drift nor cold start");
	x[0] = 130;
	d = et_drift(x, N);
	ok(d.cold_start && d.first_z > 20, "drift: a slow first value is a cold start");
	for (size_t i = 0; i < N; i++)
		x[i] += 0.01 * (double)i;
	d = et_drift(x, N);
	near(d.shift, 0.015, 0.2, 0, "drift: the shift between the halves is 1.5 %%");
	ok(d.p < 1e-6, "drift: a shift of 1.5 %% is significant");
	ok(!isnan(et_drift(x, 10).p) && isnan(et_drift(x, 3).p),
		"drift: ten values have a p, and three have none");
}

static void modes(void)
{
	double x[N];
	struct et_kde kde;
	struct et_mode m[4];

	fill(x, N, 10, 1, 0);
	ok(et_dip(x, N).p > 0.05, "modes: the dip test accepts one mode");
	et_sort(x, N);
	et_kde(x, N, 0, &kde);
	ok(et_modes(&kde, x, N, 0.1, m, 4) == 1, "modes: one mode is found");
	near(m[0].at, 10, 0, 0.5, "modes: the mode is close to the mean");
	for (size_t i = 0; i < N / 3; i++)
		x[i] += 12;
	ok(et_dip(x, N).p < 0.001, "modes: the dip test rejects one mode for two");
	et_sort(x, N);
	et_kde(x, N, 0, &kde);
	ok(et_modes(&kde, x, N, 0.1, m, 4) == 2, "modes: two modes are found");
	near(m[0].share, 2.0 / 3, 0, 0.02, "modes: the left mode has two thirds of the values");
	near(m[1].share, 1.0 / 3, 0, 0.02, "modes: the right mode has one third of the values");
	et_kde(x, N, 8, &kde);
	near(kde.bw, 4, 0, 0, "modes: the bandwidth is at least half the quantum");
	near(et_bw_nrd0((double[]){ 2, 2, 2 }, 3), 0.9 * 2 * pow(3, -0.2), 1e-12, 0,
		"modes: the bandwidth of a constant agrees with R");
	ok(isnan(et_bw_nrd0(x, 1)) && isnan(et_dip(x, 0).p) && et_dip(x, 1).statistic == 0.5,
		"modes: too few values have neither bandwidth nor dip");
}

static void many_values(void)
{
	static double x[73000];
	double exact = 0;
	struct et_kde kde;

	fill(x, ET_LENGTH(x), 5, 1, 0);
	et_sort(x, ET_LENGTH(x));
	et_kde(x, ET_LENGTH(x), 0, &kde);
	for (size_t i = 0; i < ET_LENGTH(x); i++)
		exact += exp(-0.5 * pow((kde.lo + 256 * kde.step - x[i]) / kde.bw, 2));
	exact /= sqrt(2 * M_PI) * (double)ET_LENGTH(x) * kde.bw;
	near(kde.density[256], exact, 1e-3, 0,
		"many: the binned density agrees with the exact one");
	near(et_dip(x, 50000).p, 1, 0, 0.1,
		"many: the dip of 50000 normal values is not significant");
	near(et_dip(x, ET_LENGTH(x)).p, 1, 0, 0.1,
		"many: the dip of more values than the table covers is not significant");
}

static void serial(void)
{
	double x[N];
	struct et_estimate e;

	fill(x, N, 0, 1, 0);
	ok(et_ljung_box(x, N, 5).p > 0.01 && et_mann_kendall(x, N).p > 0.01,
		"serial: independent values pass all tests");
	for (size_t i = 1; i < N; i++)
		x[i] = 0.6 * x[i - 1] + x[i];
	ok(et_ljung_box(x, N, 5).p < 1e-6, "serial: dependent values fail Ljung-Box");
	near(et_autocorrelation(x, N, 1), 0.6, 0, 0.12,
		"serial: the autocorrelation is the coefficient of the process");
	ok(isnan(et_autocorrelation(x, 3, 3)) && isnan(et_ljung_box(x, 3, 3).p) &&
			isnan(et_mann_kendall(x, 1).p) && isnan(et_acf_band(0, 0.95)),
		"serial: too few values have no p");
	et_summarise(x, 0, 0.95, &e);
	ok(e.n == 0 && isnan(e.mean) && isnan(e.lo) && isnan(e.median),
		"summary: no values have no figures");
	et_summarise(x, 1, 0.95, &e);
	ok(e.mean == x[0] && e.q1 == x[0] && isnan(e.sd) && isnan(e.hi),
		"summary: one value has a mean and no sd");
}

static void intervals(void)
{
	double x[10];

	for (size_t i = 0; i < 10; i++)
		x[i] = (double)i + 1;
	near(et_median_interval(x, 10, 0.95).level, 0.978515625, 1e-12, 0,
		"median: the attained level of ten values agrees with the binomial");
	ok(et_median_interval(x, 10, 0.95).lo == 2 && et_median_interval(x, 10, 0.95).hi == 9,
		"median: the interval of ten values is from the second to the ninth");
	ok(isnan(et_median_interval(x, 5, 0.95).lo) && !isnan(et_median_interval(x, 6, 0.95).lo) &&
			isnan(et_median_interval(x, 0, 0.95).lo),
		"median: 95 %% need six values");
	ok(isnan(et_sd_interval(1, 1, 0.95).lo), "sd: one value has no interval");
}

int main(void)
{
	steps();
	skewness();
	outliers();
	drift();
	modes();
	many_values();
	serial();
	intervals();
	return tap_done();
}
