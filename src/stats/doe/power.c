/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Power of the tests of a designed experiment. The F statistic of a term with a true effect follows
 * the noncentral F distribution (Scheffé, The Analysis of Variance, 1959, section 2.8).
 */
#include "stats/doe/program.h"

/* Beyond this noncentrality libRmath's series is too short. */
static const double most_ncp = 1e5;

/* The noncentrality that an F test at alpha finds with that probability. */
static double needed_ncp(double df1, double df2, double alpha, double power)
{
	double critical = et_qf(1 - alpha, df1, df2), lo = 0, hi = 1;

	if (!(df2 >= 1) || !(power > alpha) || !(power < 1))
		return NAN;
	while (1 - et_pf_noncentral(critical, df1, df2, hi) < power) {
		lo = hi;
		hi *= 2;
		if (hi > most_ncp)
			return INFINITY;
	}
	while (hi - lo > 1e-12 * hi) {
		double mid = (lo + hi) / 2;
		if (mid <= lo || mid >= hi)
			break;
		if (1 - et_pf_noncentral(critical, df1, df2, mid) < power)
			lo = mid;
		else
			hi = mid;
	}
	return hi;
}

/*
 * The effects of a term in its cells sum up to zero over each factor, which a projection does: the
 * product of I - J/L over its factors with L levels. Of all effects whose range is 1, the smallest
 * sum of squares is 1 over the squared length of the projection of "one cell minus another", which
 * depends on the factors in which the two cells differ. Returns the largest such length.
 */
static double projected_range(const struct et_design *d, uint32_t factors)
{
	double most = 0;

	for (uint32_t differ = factors; differ; differ = (differ - 1) & factors) {
		double same = 1, across = 1;
		for (size_t i = 0; i < d->n_factors; i++) {
			if (!(factors >> i & 1))
				continue;
			double share = 1 / (double)d->factors[i].n_levels;
			same *= 1 - share;
			across *= differ >> i & 1 ? -share : 1 - share;
		}
		most = fmax(most, 2 * (same - across));
	}
	return most;
}

double et_doe_smallest_effect(
	const struct et_design *d, uint32_t factors, size_t n, double alpha, double power)
{
	double runs = (double)n * (double)d->n_treatments, cells = 1, df1 = 1;
	double df2 = runs - (double)d->n_treatments;

	if (d->blocks == ET_BLOCKS_ROUND)
		df2 -= (double)n - 1;
	for (size_t i = 0; i < d->n_factors; i++) {
		if (factors >> i & 1) {
			cells *= (double)d->factors[i].n_levels;
			df1 *= (double)d->factors[i].n_levels - 1;
		}
	}
	return sqrt(
		needed_ncp(df1, df2, alpha, power) * projected_range(d, factors) * cells / runs);
}

double et_doe_smallest_difference(size_t n, double alpha, double power)
{
	return sqrt(needed_ncp(1, 2 * (double)n - 2, alpha, power) * 2 / (double)n);
}

/* --- classes of terms that are found alike --- */

const double et_doe_powers[ET_DOE_POWERS] = { 0.8, 0.95 };

/* Terms with equally many factors of each number of levels are found alike. */
static uint64_t signature(const struct et_design *d, uint32_t term)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (!(term >> i & 1))
			continue;
		size_t kind = 0; /* the number of different numbers of levels before this one */
		for (size_t k = 0; d->factors[k].n_levels != d->factors[i].n_levels; k++) {
			size_t first = 0;
			while (d->factors[first].n_levels != d->factors[k].n_levels)
				first++;
			kind += first == k;
		}
		sum += UINT64_C(1) << 6 * (kind < 10 ? kind : 10);
	}
	return sum;
}

static void add_term(struct et_doe_class *c, uint32_t term)
{
	c->terms = et_realloc(c->terms, c->n_terms + 1, sizeof(*c->terms));
	c->terms[c->n_terms++] = term;
}

/* Fills the figures of the class of a term, or of pairs: 0. */
static struct et_doe_class class_of(
	const struct et_design *d, uint32_t term, size_t n, double alpha, double family)
{
	struct et_doe_class c = { 0 };

	for (int p = 0; p < ET_DOE_POWERS; p++) {
		double power = et_doe_powers[p];
		c.alone[p] = term ? et_doe_smallest_effect(d, term, n, alpha, power)
				  : et_doe_smallest_difference(n, alpha, power);
		c.holm[p] = term ? et_doe_smallest_effect(d, term, n, alpha / family, power)
				 : et_doe_smallest_difference(n, alpha / family, power);
	}
	return c;
}

static bool same_number(double a, double b)
{
	return a == b || fabs(a - b) < 1e-9 * fabs(a) || (isnan(a) && isnan(b));
}

/* Moves the terms of classes with the same figures into one. */
static size_t merge(struct et_doe_class *c, size_t n)
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		size_t k = 0;
		while (k < kept && !same_number(c[k].alone[0], c[i].alone[0]))
			k++;
		if (k == kept) {
			c[kept++] = c[i];
			continue;
		}
		for (size_t t = 0; t < c[i].n_terms; t++)
			add_term(&c[k], c[i].terms[t]);
		free(c[i].terms);
	}
	return kept;
}

struct et_doe_class *et_doe_classes(const struct et_design *d, const uint32_t *terms,
	size_t n_terms, size_t runs, double alpha, size_t *n)
{
	struct et_doe_class *classes = et_calloc(n_terms + 1, sizeof(*classes));
	ET_AUTO_FREE uint64_t *signatures = et_calloc(n_terms + 1, sizeof(*signatures));
	double treatments = (double)d->n_treatments;
	size_t count = 0, family;

	free(et_design_terms(d, &family));
	for (size_t i = 0; i < n_terms; i++) {
		uint64_t s = signature(d, terms[i]);
		size_t k = 0;
		while (k < count && signatures[k] != s)
			k++;
		if (k == count) {
			signatures[count] = s;
			classes[count++] = class_of(d, terms[i], runs, alpha, (double)family);
		}
		add_term(&classes[k], terms[i]);
	}
	count = merge(classes, count);
	if (d->n_treatments <= ET_DOE_MOST_PAIRED)
		classes[count++] = class_of(d, 0, runs, alpha, treatments * (treatments - 1) / 2);
	*n = count;
	return classes;
}

void et_doe_classes_free(struct et_doe_class *classes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(classes[i].terms);
	free(classes);
}
