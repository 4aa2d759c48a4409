/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/law.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

/* The sd of the normal and the autoregressive law; the scale of the skewed laws. */
static const double spread = 5, scale = 10;

/* To add a row: at the end, because its place is part of its seed; the law in man/etalon-lab.1.scd.
 */
const struct et_law et_laws[] = {
	{ "normal", "normal", ET_LAW_NORMAL, 0, 100, 0, false },
	{ "lognormal-0.5", "lognormal 0.5", ET_LAW_LOGNORMAL, 0.5, 100, 0, false },
	{ "lognormal-1", "lognormal 1", ET_LAW_LOGNORMAL, 1, 100, 0, false },
	{ "exponential", "exponential", ET_LAW_EXPONENTIAL, 0, 100, 0, false },
	{ "bimodal", "bimodal 90/10", ET_LAW_MIXTURE, 0.1, 100, 110, false },
	{ "ar-0.3", "AR(1) 0.3", ET_LAW_AR1, 0.3, 100, 0, false },
	{ "ar-0.6", "AR(1) 0.6", ET_LAW_AR1, 0.6, 100, 0, false },
	{ "nist-1", "1 outlier", ET_LAW_MIXTURE, 0.001, 10, 30, true },
	{ "nist-2", "2 outliers", ET_LAW_MIXTURE, 0.002, 10, 30, true },
	{ "nist-3", "3 outliers", ET_LAW_MIXTURE, 0.003, 10, 30, true },
	{ "nist-5", "5 outliers", ET_LAW_MIXTURE, 0.005, 10, 30, true },
	{ "nist-10", "10 outliers", ET_LAW_MIXTURE, 0.01, 10, 30, true },
	{ "nist-100", "100 outliers", ET_LAW_MIXTURE, 0.1, 10, 30, true },
	{ "pareto-2.5", "Pareto 2.5", ET_LAW_PARETO, 2.5, 100, 0, false },
	{ "slow-3", "3 % slow", ET_LAW_MIXTURE, 0.03, 50, 70, false },
	{ "slow-1", "1 % slow", ET_LAW_MIXTURE, 0.01, 50, 150, false },
	{ 0 },
};

const struct et_law *et_law_find(const char *name)
{
	for (const struct et_law *law = et_laws; law->name; law++) {
		if (!strcmp(law->name, name))
			return law;
	}
	return NULL;
}

static void draw_ar1(const struct et_law *law, struct et_rng *rng, double *x, size_t n)
{
	double phi = law->parameter, u = et_rng_normal(rng), fresh = sqrt(1 - phi * phi);

	for (size_t i = 0; i < n; i++) {
		x[i] = law->at + spread * u;
		u = phi * u + fresh * et_rng_normal(rng);
	}
}

static double draw_one(const struct et_law *law, struct et_rng *rng)
{
	double middle;

	switch (law->kind) {
	case ET_LAW_LOGNORMAL:
		return law->at + scale * exp(law->parameter * et_rng_normal(rng));
	case ET_LAW_EXPONENTIAL:
		return law->at - scale * log1p(-et_rng_uniform(rng));
	case ET_LAW_PARETO:
		return law->at + scale * pow(1 - et_rng_uniform(rng), -1 / law->parameter);
	case ET_LAW_MIXTURE:
		middle = et_rng_uniform(rng) < law->parameter ? law->far : law->at;
		return middle + et_rng_normal(rng);
	case ET_LAW_NORMAL:
	case ET_LAW_AR1:
		break;
	}
	return law->at + spread * et_rng_normal(rng);
}

void et_law_draw(const struct et_law *law, struct et_rng *rng, double *x, size_t n)
{
	if (law->kind == ET_LAW_AR1) {
		draw_ar1(law, rng, x, n);
		return;
	}
	for (size_t i = 0; i < n; i++)
		x[i] = draw_one(law, rng);
}

struct et_law_truth et_law_truth(const struct et_law *law)
{
	double s = law->parameter, at = law->at, distance = law->far - at;

	switch (law->kind) {
	case ET_LAW_LOGNORMAL:
		return (struct et_law_truth){ at + scale * exp(s * s / 2), at + scale,
			scale * sqrt(expm1(s * s) * exp(s * s)) };
	case ET_LAW_EXPONENTIAL:
		return (struct et_law_truth){ at + scale, at + scale * M_LN2, scale };
	case ET_LAW_PARETO:
		return (struct et_law_truth){ at + scale * s / (s - 1), at + scale * pow(2, 1 / s),
			scale / (s - 1) * sqrt(s / (s - 2)) };
	case ET_LAW_MIXTURE:
		/* The two parts do not overlap, so the median is a quantile of the nearer one. */
		return (struct et_law_truth){ at + s * distance, at + et_qnorm(0.5 / (1 - s)),
			sqrt(1 + s * (1 - s) * distance * distance) };
	case ET_LAW_NORMAL:
	case ET_LAW_AR1:
		break;
	}
	return (struct et_law_truth){ at, at, spread };
}
