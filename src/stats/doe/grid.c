/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe/program.h"

enum {
	MOST_CELLS = 100000,
	MOST_ALIASES = 8, /* that are listed by name */
};

static size_t order_of(uint32_t factors)
{
	return (size_t)__builtin_popcount(factors);
}

size_t et_doe_combinations(const struct et_design *d, uint32_t factors)
{
	size_t n = 1;

	for (size_t f = 0; f < d->n_factors && n <= MOST_CELLS; f++)
		n *= factors >> f & 1 ? d->factors[f].n_levels : 1;
	return n;
}

static size_t combination(const struct et_design *d, uint32_t factors, const uint32_t *levels)
{
	size_t at = 0, stride = 1;

	for (size_t f = 0; f < d->n_factors; f++) {
		if (!(factors >> f & 1))
			continue;
		at += stride * levels[f];
		stride *= d->factors[f].n_levels;
	}
	return at;
}

size_t et_doe_combination_of(const struct et_doe_grid *g, uint32_t factors, size_t cell)
{
	return combination(g->design, factors, g->levels + cell * g->design->n_factors);
}

/* --- cells --- */

static void cells_of_treatments(const struct et_design *d, struct et_doe_grid *out)
{
	out->n_cells = d->n_treatments;
	out->levels = et_calloc(out->n_cells * d->n_factors + 1, sizeof(*out->levels));
	for (uint32_t t = 0; t < d->n_treatments; t++) {
		out->cell_of[t] = t;
		for (size_t f = 0; f < d->n_factors; f++)
			out->levels[t * d->n_factors + f] = d->treatments[t].levels[f];
	}
}

static void cells_of_levels(const struct et_design *d, size_t n, struct et_doe_grid *out)
{
	out->n_cells = n;
	out->levels = et_calloc(n * d->n_factors + 1, sizeof(*out->levels));
	for (size_t c = 0; c < n; c++) {
		size_t rest = c;
		for (size_t f = 0; f < d->n_factors; f++) {
			size_t many = d->factors[f].n_levels;
			out->levels[c * d->n_factors + f] = (uint32_t)(rest % many);
			rest /= many;
		}
	}
	for (size_t t = 0; t < d->n_treatments; t++)
		out->cell_of[t] = (uint32_t)combination(d, UINT32_MAX, d->treatments[t].levels);
}

/* --- terms --- */

static size_t df_of(const struct et_design *d, uint32_t factors)
{
	size_t df = 1;

	for (size_t f = 0; f < d->n_factors; f++)
		df *= factors >> f & 1 ? d->factors[f].n_levels - 1 : 1;
	return df;
}

/* The highest order of terms such that there are not too many of them. */
static size_t highest_order(size_t n_factors)
{
	double ways = 1, terms = 0;

	for (size_t order = 1; order <= n_factors; order++) {
		ways *= (double)(n_factors - order + 1) / (double)order;
		terms += ways;
		if (terms > ET_DOE_MOST_TERMS)
			return order - 1 ? order - 1 : 1;
	}
	return n_factors;
}

/* Terms of low order first; of equally many factors, those of the first ones. */
static int by_order(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	size_t ox = order_of(x), oy = order_of(y);

	return ox != oy ? (ox < oy ? -1 : 1) : x < y ? -1 : x > y;
}

static char *name_aliases(const struct et_design *d, uint32_t factors)
{
	size_t n;
	ET_AUTO_FREE uint32_t *aliases = et_design_aliases(d, factors, &n);
	char *text = NULL;

	qsort(aliases, n, sizeof(*aliases), by_order);
	for (size_t i = 0; i < n && i < MOST_ALIASES; i++) {
		ET_AUTO_FREE char *name = et_design_term_name(d, aliases[i]);
		bool minus = et_design_sign(d, 0, aliases[i] ^ factors) < 0;
		et_append(&text, ", ", "%s%s", minus ? "-" : "", name);
	}
	if (n > MOST_ALIASES)
		et_append(&text, ", ", "…");
	return text;
}

static void make_terms(struct et_doe_grid *g, bool fraction)
{
	const struct et_design *d = g->design;
	size_t n, highest = fraction ? d->n_factors : highest_order(d->n_factors);
	ET_AUTO_FREE uint32_t *terms = et_design_terms(d, &n);

	g->terms = et_calloc(n + 1, sizeof(*g->terms));
	for (size_t i = 0; i < n; i++) {
		size_t df = df_of(d, terms[i]);
		if (df && order_of(terms[i]) <= highest &&
			(!fraction || g->n_terms < ET_DOE_MOST_TERMS))
			g->terms[g->n_terms++] = (struct et_doe_term){ terms[i], df,
				fraction ? name_aliases(d, terms[i]) : NULL };
		else
			g->omitted += df > 0;
	}
}

bool et_doe_two_levels(const struct et_design *d, uint32_t factors)
{
	for (size_t f = 0; f < d->n_factors; f++) {
		if (factors >> f & 1 && d->factors[f].n_levels != 2)
			return false;
	}
	return true;
}

bool et_doe_grid_make(const struct et_design *d, struct et_doe_grid *out)
{
	uint32_t all = ((uint32_t)1 << d->n_factors) - 1, base = 0;

	for (size_t f = 0; f < d->n_factors; f++)
		base |= (uint32_t)!d->factors[f].generator << f;
	bool fraction = base != all;
	size_t n = et_doe_combinations(d, base);

	if (d->n_factors > 20 || n > MOST_CELLS || (fraction && n != d->n_treatments))
		return false;
	*out = (struct et_doe_grid){ .design = d };
	out->cell_of = et_calloc(d->n_treatments + 1, sizeof(*out->cell_of));
	if (n == d->n_treatments)
		cells_of_treatments(d, out);
	else
		cells_of_levels(d, n, out);
	make_terms(out, fraction);
	return true;
}

void et_doe_grid_free(struct et_doe_grid *g)
{
	for (size_t i = 0; i < g->n_terms; i++)
		free(g->terms[i].aliases);
	free(g->terms);
	free(g->levels);
	free(g->cell_of);
}

/* --- contrasts --- */

/* Helmert's contrast i of the levels (i + 1 against those before), with a mean square of 1. */
static double helmert(size_t levels, size_t i, uint32_t level)
{
	double scale = sqrt((double)levels / (double)((i + 1) * (i + 2)));

	if (level > i + 1)
		return 0;
	return level == i + 1 ? (double)(i + 1) * scale : -scale;
}

void et_doe_term_row(const struct et_doe_grid *g, uint32_t factors, size_t i, double *row)
{
	const struct et_design *d = g->design;
	double each = 1 / sqrt((double)g->n_cells);

	for (size_t c = 0; c < g->n_cells; c++)
		row[c] = each;
	for (size_t f = 0; f < d->n_factors; f++) {
		size_t levels = d->factors[f].n_levels;
		if (!(factors >> f & 1))
			continue;
		for (size_t c = 0; c < g->n_cells; c++)
			row[c] *= helmert(levels, i % (levels - 1), et_doe_level(g, c, f));
		i /= levels - 1;
	}
}
