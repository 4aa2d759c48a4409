/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The mean, sd and median that a law states, against a long series that it draws. */
#include "lab/law.h"
#include "base/base.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/series/serial.h"
#include "tap.h"

enum { N = 40000 };

static void check(const struct et_law *law, double *x)
{
	struct et_rng rng;

	et_rng_seed(&rng, 5, (uint64_t)(law - et_laws));
	et_law_draw(law, &rng, x, N);
	double mean = et_law_truth(law).mean, sd = et_law_truth(law).sd, phi = 0;
	if (law->kind == ET_LAW_AR1)
		phi = law->parameter;
	/* Autocorrelation inflates the variance of a mean by (1 + phi) / (1 - phi). */
	double error = sd / sqrt(N) * sqrt((1 + phi) / (1 - phi));
	near(et_mean(x, N), mean, 0, 4.5 * error, "%s: mean of 40000 values", law->name);
	double m2 = sd * sd, m4 = 0;
	for (size_t i = 0; i < N; i++)
		m4 += pow(x[i] - mean, 4) / N;
	double sd_error = sqrt(fmax(m4 - m2 * m2, 0) / N) / (2 * sd) * sqrt((1 + phi) / (1 - phi));
	if (law->kind != ET_LAW_PARETO) /* whose fourth moment, and so this error, is infinite */
		near(et_sd(x, N), sd, 0, 5 * sd_error, "%s: sd of 40000 values", law->name);
	near(et_autocorrelation(x, N, 1), phi, 0, 4.5 / sqrt(N),
		"%s: lag-1 autocorrelation of 40000 values", law->name);

	/* Half of the values are below the median under every law. */
	size_t below = 0;
	for (size_t i = 0; i < N; i++)
		below += x[i] < et_law_truth(law).median;
	near((double)below / N, 0.5, 0, 4.5 * 0.5 / sqrt(N) * sqrt((1 + phi) / (1 - phi)),
		"%s: median of 40000 values", law->name);
}

static void known(void)
{
	near(et_law_truth(et_law_find("lognormal-1")).mean, 100 + 10 * 1.6487212707001282, 1e-14, 0,
		"lognormal-1: the mean in closed form");
	near(et_law_truth(et_law_find("lognormal-1")).sd, 10 * 2.1611974158950877, 1e-14, 0,
		"lognormal-1: the sd in closed form");
	near(et_law_truth(et_law_find("nist-100")).mean, 12, 1e-14, 0,
		"nist-100: the mean in closed form");
	near(et_law_truth(et_law_find("nist-100")).sd, sqrt(37), 1e-14, 0,
		"nist-100: the sd in closed form");
	near(et_law_truth(et_law_find("slow-3")).mean, 50 * 1.012, 1e-14, 0,
		"slow-3: the mean in closed form");
	near(et_law_truth(et_law_find("slow-1")).mean, 50 * 1.02, 1e-14, 0,
		"slow-1: the mean in closed form");
	near(et_law_truth(et_law_find("slow-1")).sd, 10, 1e-14, 0, "slow-1: the sd in closed form");
	near(et_law_truth(et_law_find("pareto-2.5")).mean, 100 + 50.0 / 3, 1e-14, 0,
		"pareto-2.5: the mean in closed form");
	near(et_law_truth(et_law_find("pareto-2.5")).sd, 20 * sqrt(5) / 3, 1e-14, 0,
		"pareto-2.5: the sd in closed form");
	ok(et_law_find("cauchy") == NULL, "find: an unknown law is NULL");
}

static void repeated(void)
{
	struct et_rng a, b;
	double x[20], y[20];
	bool same = true;

	for (const struct et_law *law = et_laws; law->name; law++) {
		et_rng_seed(&a, 3, 1);
		et_rng_seed(&b, 3, 1);
		et_law_draw(law, &a, x, 20);
		et_law_draw(law, &b, y, 20);
		same = same && !memcmp(x, y, sizeof(x));
	}
	ok(same, "draw: the same seed yields the same values");
}

int main(void)
{
	ET_AUTO_FREE double *x = et_calloc(N, sizeof(*x));

	for (const struct et_law *law = et_laws; law->name; law++)
		check(law, x);
	known();
	repeated();
	return tap_done();
}
