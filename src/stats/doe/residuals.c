/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/compare/groups.h"
#include "stats/doe/program.h"
#include "stats/series/normality.h"

#include <math.h>

/*
 * Anderson & Darling (1954) with mean and sd estimated, p by D'Agostino & Stephens (1986), table
 * 4.9: for more values than Shapiro and Wilk's test takes.
 */
static double anderson_darling_p(const double *x, size_t n)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	double mean = et_mean(x, n), sd = et_sd(x, n), sum = 0, size = (double)n, a;

	for (size_t i = 0; i < n; i++) {
		double lower = et_pnorm((sorted[i] - mean) / sd);
		double upper = et_pnorm_upper((sorted[n - 1 - i] - mean) / sd);
		/* 1e-300: of values too far away for a double */
		sum += (2 * (double)i + 1) * (log(fmax(lower, 1e-300)) + log(fmax(upper, 1e-300)));
	}
	a = (-size - sum / size) * (1 + 0.75 / size + 2.25 / (size * size));
	if (a >= 0.6)
		return a > 10 ? 0 : exp(1.2937 - 5.709 * a + 0.0186 * a * a);
	if (a >= 0.34)
		return exp(0.9177 - 4.279 * a - 1.38 * a * a);
	if (a >= 0.2)
		return 1 - exp(-8.318 + 42.796 * a - 59.938 * a * a);
	return 1 - exp(-13.436 + 101.14 * a - 223.73 * a * a);
}

/*
 * Each cell is tested by itself, because cells of unequal spread together look as if they had a
 * heavy tail. Their p-values are combined by Stouffer's method (1949), weighted by sqrt(n). Cells
 * with fewer than 5 values tell hardly anything: then all residuals are tested together.
 */
static double normal_p(const struct et_doe_data *d, const double *x, const double *residuals)
{
	enum { FEW = 5 };
	double sum = 0, weights = 0;

	for (size_t c = 0; c < d->n_cells; c++) {
		size_t n = et_doe_count(d, c);
		if (n < FEW)
			continue;
		double p = n > ET_SHAPIRO_MOST ? anderson_darling_p(x + d->begin[c], n)
					       : et_shapiro_wilk(x + d->begin[c], n).p;
		if (isnan(p))
			continue; /* all are equal */
		sum += sqrt((double)n) * et_qnorm(fmin(fmax(p, 1e-300), 1 - 1e-16));
		weights += (double)n;
	}
	if (weights > 0)
		return et_pnorm(sum / sqrt(weights));
	return et_shapiro_wilk(residuals, d->n).p;
}

/* The residuals cell after cell, in the order of the data's values. */
static double *by_cell(const struct et_doe_fit *f, const double *residuals)
{
	const struct et_doe_data *d = f->data;
	double *out = et_calloc(d->n + 1, sizeof(*out));
	ET_AUTO_FREE size_t *at = et_calloc(d->n_cells, sizeof(*at));

	for (size_t i = 0; i < d->n; i++) {
		size_t cell = d->runs[i].cell;
		out[d->begin[cell] + at[cell]++] = residuals[i];
	}
	return out;
}

/*
 * Brown & Forsythe (1974): the analysis of variance of the distances from the cells' medians. Of an
 * odd number of values one distance is 0 by construction; with few values this hides differences,
 * so it is left out (Hines & O'Hara Hines 2000).
 */
static double equal_p(const struct et_doe_data *d, double *x)
{
	ET_AUTO_FREE struct et_group *groups = et_calloc(d->n_cells, sizeof(*groups));
	size_t k = 0;

	for (size_t c = 0; c < d->n_cells; c++) {
		double *of = x + d->begin[c];
		size_t n = et_doe_count(d, c);
		if (n < 3)
			continue;
		et_sort(of, n);
		double median = et_median_sorted(of, n);
		if (n % 2) {
			of[n / 2] = of[n - 1];
			n--;
		}
		for (size_t i = 0; i < n; i++)
			of[i] = fabs(of[i] - median);
		groups[k++] = (struct et_group){ of, n };
	}
	return k > 1 ? et_anova(groups, k).p : NAN;
}

/*
 * Whether successive residuals resemble each other: the autocorrelation at lag 1, one-sided,
 * because removing the cells' means makes it slightly negative. Blocks make it negative, too, and
 * remove what changes slowly; so blocked residuals are not tested.
 */
static double serial_p(const struct et_doe_fit *f, const double *residuals)
{
	size_t n = f->data->n;
	double r = et_autocorrelation(residuals, n, 1), size = (double)n;

	if (f->blocked || n < ET_DEPENDENCE_TESTABLE)
		return NAN;
	return et_pnorm_upper((r + (1 + 4 * r) / size) * sqrt(size));
}

/* Of two runs both residuals are the same but for the sign, so they tell nothing of a shape. */
static bool can_be_checked(const struct et_doe_fit *f)
{
	enum { LEAST = 3 };

	for (size_t c = 0; c < f->data->n_cells; c++) {
		size_t n = et_doe_count(f->data, c);
		if (n && n < LEAST)
			return false;
	}
	return true;
}

void et_doe_residuals_make(const struct et_doe_fit *f, struct et_doe_residuals *out)
{
	const struct et_doe_data *d = f->data;

	out->n = d->n;
	out->values = et_calloc(d->n + 1, sizeof(*out->values));
	out->fitted = et_calloc(d->n + 1, sizeof(*out->fitted));
	for (size_t i = 0; i < d->n; i++) {
		out->fitted[i] = f->fitted[i];
		out->values[i] = d->runs[i].y - f->fitted[i];
	}
	out->normal_p = out->equal_p = out->serial_p = NAN;
	if (!(f->df_residual > 0) || !(f->ss_residual > 0))
		return;
	ET_AUTO_FREE double *x = by_cell(f, out->values);
	if (can_be_checked(f)) {
		out->normal_p = normal_p(d, x, out->values);
		out->equal_p = equal_p(d, x); /* changes x */
	}
	out->serial_p = serial_p(f, out->values);
}
