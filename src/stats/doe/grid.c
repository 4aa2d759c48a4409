/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe/grid.h"
#include "base/alloc.h"
#include "model/design/terms.h"

#include <math.h>
#include <stdlib.h>

enum {
	MOST_CELLS = 100000,
	MOST_ALIASES = 8, /* that are listed by name */
};

static bool generated(const struct et_design *d, size_t f)
{
	return d->factors[f].generator != NULL;
}

static size_t order_of(uint32_t factors)
{
	return (size_t)__builtin_popcount(factors);
}

char *et_doe_term_name(const struct et_design *d, uint32_t factors)
{
	char *out = NULL;

	for (size_t f = 0; f < d->n_factors; f++) {
		if (factors >> f & 1)
			et_append(&out, ":", "%s", d->factors[f].name);
	}
	return out ? out : et_strdup("");
}

size_t et_doe_combinations(const struct et_design *d, uint32_t factors)
{
	size_t n = 1;

	for (size_t f = 0; f < d->n_factors && n <= MOST_CELLS; f++)
		n *= factors >> f & 1 ? d->factors[f].n_levels : 1;
	return n;
}

size_t et_doe_combination_of(const struct et_doe_grid *g, uint32_t factors, size_t cell)
{
	size_t at = 0, stride = 1;

	for (size_t f = 0; f < g->design->n_factors; f++) {
		if (!(factors >> f & 1))
			continue;
		at += stride * et_doe_level(g, cell, f);
		stride *= g->design->factors[f].n_levels;
	}
	return at;
}

/* --- cells --- */

static uint32_t base_factors(const struct et_design *d)
{
	uint32_t base = 0;

	for (size_t f = 0; f < d->n_factors; f++)
		base |= (uint32_t)!generated(d, f) << f;
	return base;
}

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
	for (size_t t = 0; t < d->n_treatments; t++) {
		size_t at = 0, stride = 1;
		for (size_t f = 0; f < d->n_factors; f++) {
			at += stride * d->treatments[t].levels[f];
			stride *= d->factors[f].n_levels;
		}
		out->cell_of[t] = (uint32_t)at;
	}
}

/* --- terms --- */

/*
 * The product of base factors that a generated factor equals: it contains a base factor if going
 * to that factor's other level changes the sign. Treatments tell it, also of generators that were
 * negated.
 */
static uint32_t word_of(const struct et_doe_grid *g, uint32_t base, size_t factor)
{
	const struct et_design *d = g->design;
	size_t n = et_doe_combinations(d, base), stride = 1;
	ET_AUTO_FREE uint32_t *at = et_calloc(n, sizeof(*at));
	uint32_t word = 0;

	for (uint32_t c = 0; c < g->n_cells; c++)
		at[et_doe_combination_of(g, base, c)] = c;
	for (size_t f = 0; f < d->n_factors; f++) {
		if (!(base >> f & 1))
			continue;
		if (et_doe_level(g, at[0], factor) != et_doe_level(g, at[stride], factor))
			word |= (uint32_t)1 << f;
		stride *= d->factors[f].n_levels;
	}
	return word;
}

static int by_order(const void *a, const void *b)
{
	const struct et_doe_term *x = a, *y = b;
	size_t ox = order_of(x->factors), oy = order_of(y->factors);

	if (ox != oy)
		return ox < oy ? -1 : 1;
	/* The order of et_design_terms, so that a plan and its analysis name the same terms. */
	uint32_t differ = x->factors ^ y->factors;
	return !differ ? 0 : x->factors & differ & -differ ? -1 : 1;
}

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

/* A set of aliased terms, by the product of base factors that they equal. */
struct set {
	uint32_t lowest;
	size_t n;
};

static void find_lowest(struct set *s, uint32_t term)
{
	struct et_doe_term old = { .factors = s->lowest }, new = { .factors = term };

	if (!s->n++ || by_order(&new, &old) < 0)
		s->lowest = term;
}

static void list_alias(const struct et_design *d, uint32_t term, size_t n, struct et_doe_term *out)
{
	if (n == MOST_ALIASES) {
		et_append(&out->aliases, ", ", "…");
	} else if (n < MOST_ALIASES) {
		ET_AUTO_FREE char *name = et_doe_term_name(d, term);
		bool minus = et_design_sign(d, 0, term ^ out->factors) < 0;
		et_append(&out->aliases, ", ", "%s%s", minus ? "-" : "", name);
	}
}

/* The product of base factors that a term equals: squares of factors with two levels vanish. */
static uint32_t product_of(const uint32_t *words, size_t n_factors, uint32_t term)
{
	uint32_t product = 0;

	for (size_t f = 0; f < n_factors; f++)
		product ^= term >> f & 1 ? words[f] : 0;
	return product;
}

/* Which of the terms is the set of that product; n_terms: none. */
static size_t *places_of(const struct et_doe_grid *g, const uint32_t *words, uint32_t base)
{
	size_t *place = et_calloc((size_t)base + 1, sizeof(*place));

	for (size_t i = 0; i <= base; i++)
		place[i] = g->n_terms;
	for (size_t i = 0; i < g->n_terms; i++)
		place[product_of(words, g->design->n_factors, g->terms[i].factors)] = i;
	return place;
}

/* Terms of low order first in the list of aliases, too. */
static void name_aliases(const uint32_t *words, uint32_t base, struct et_doe_grid *g)
{
	size_t n_factors = g->design->n_factors;
	ET_AUTO_FREE size_t *place = places_of(g, words, base);
	ET_AUTO_FREE size_t *listed = et_calloc(g->n_terms + 1, sizeof(*listed));

	for (size_t order = 1; order <= n_factors; order++) {
		for (uint32_t term = 1; term < (uint32_t)1 << n_factors; term++) {
			if (order_of(term) != order)
				continue;
			size_t at = place[product_of(words, n_factors, term)];
			if (at < g->n_terms && g->terms[at].factors != term)
				list_alias(g->design, term, listed[at]++, &g->terms[at]);
		}
	}
}

static void make_fraction_terms(uint32_t base, struct et_doe_grid *g)
{
	const struct et_design *d = g->design;
	ET_AUTO_FREE uint32_t *words = et_calloc(d->n_factors, sizeof(*words));
	ET_AUTO_FREE struct set *sets = et_calloc((size_t)base + 1, sizeof(*sets));

	for (size_t f = 0; f < d->n_factors; f++)
		words[f] = generated(d, f) ? word_of(g, base, f) : (uint32_t)1 << f;
	for (uint32_t term = 1; term < (uint32_t)1 << d->n_factors; term++)
		find_lowest(&sets[product_of(words, d->n_factors, term)], term);
	for (uint32_t product = 1; product <= base; product++) {
		if (sets[product].n)
			g->terms[g->n_terms++] =
				(struct et_doe_term){ .factors = sets[product].lowest };
	}
	qsort(g->terms, g->n_terms, sizeof(*g->terms), by_order);
	if (g->n_terms > ET_DOE_MOST_TERMS) {
		g->omitted = g->n_terms - ET_DOE_MOST_TERMS;
		g->n_terms = ET_DOE_MOST_TERMS;
	}
	name_aliases(words, base, g);
}

static void make_full_terms(struct et_doe_grid *g)
{
	size_t n = g->design->n_factors, highest = highest_order(n);

	for (uint32_t term = 1; term < (uint32_t)1 << n; term++) {
		if (df_of(g->design, term) == 0)
			continue;
		if (order_of(term) > highest)
			g->omitted++;
		else
			g->terms[g->n_terms++] = (struct et_doe_term){ .factors = term };
	}
	qsort(g->terms, g->n_terms, sizeof(*g->terms), by_order);
}

bool et_doe_grid_make(const struct et_design *d, struct et_doe_grid *out)
{
	uint32_t all = ((uint32_t)1 << d->n_factors) - 1, base = base_factors(d);
	bool fraction = base != all;
	size_t n = et_doe_combinations(d, base);

	if (d->n_factors > 20 || n > MOST_CELLS || (fraction && n != d->n_treatments))
		return false;
	*out = (struct et_doe_grid){ .design = d };
	out->cell_of = et_calloc(d->n_treatments + 1, sizeof(*out->cell_of));
	out->terms = et_calloc((size_t)all + 1, sizeof(*out->terms));
	if (n == d->n_treatments)
		cells_of_treatments(d, out);
	else
		cells_of_levels(d, n, out);
	if (fraction)
		make_fraction_terms(base, out);
	else
		make_full_terms(out);
	for (size_t i = 0; i < out->n_terms; i++)
		out->terms[i].df = df_of(d, out->terms[i].factors);
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

/*
 * Helmert's contrast i of l levels (level i + 1 against those before it), with a mean square of 1
 * over the levels.
 */
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
