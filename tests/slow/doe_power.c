/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * `doe plan` promises that the smallest effects it prints are found with a probability of 80 %.
 * Experiments with such effects, in their least favourable form, are simulated and analysed as `doe
 * analyse` does. The seed is fixed, so that the results repeat.
 */
#include "../unit/stats/doe_of.h"
#include "num/rng.h"
#include "tap.h"

#include <math.h>

struct study {
	const char *name;
	size_t levels[3], n_factors;
	size_t n;   /* runs per treatment */
	int trials; /* intervals of factors with more than two levels take longer */
	enum et_design_blocks blocks;
	const char *term;
	uint32_t bits;
	/* The cells with the largest and the smallest mean: levels of the factors of the term. */
	uint32_t high[3], low[3];
};

/* The effects in the cell that a projection gives: the product of I - J/L over the factors. */
static double projected(const struct study *s, const struct et_treatment *t, const uint32_t *cell)
{
	double product = 1;

	for (size_t i = 0; i < s->n_factors; i++) {
		if (s->bits >> i & 1)
			product *= (t->levels[i] == cell[i]) - 1 / (double)s->levels[i];
	}
	return product;
}

/* Simulates an experiment; returns whether the term was found before and after Holm's correction.
 */
static void trial(const struct study *s, struct et_design *d, const struct et_doe_grid *g,
	double effect, int method, struct et_rng *rng, bool found[2])
{
	struct et_doe_options o = { .alpha = 0.05, .level = 0.95, .method = method };
	struct et_doe_data data = { 0 };
	struct et_doe_program p = { 0 };
	struct et_treatment high = { .levels = (uint32_t *)s->high },
			    low = { .levels = (uint32_t *)s->low };
	double range = projected(s, &high, s->high) - projected(s, &high, s->low) -
		       projected(s, &low, s->high) + projected(s, &low, s->low);

	for (uint32_t r = 0; r < s->n; r++) {
		double drift = s->blocks == ET_BLOCKS_ROUND ? et_rng_normal(rng) : 0;
		for (uint32_t c = 0; c < d->n_treatments; c++) {
			const struct et_treatment *t = &d->treatments[c];
			double mean = projected(s, t, s->high) - projected(s, t, s->low);
			doe_value(&data, c, s->blocks == ET_BLOCKS_ROUND ? r : 0,
				100 + effect * mean / range + drift + et_rng_normal(rng));
		}
	}
	et_doe_data_arrange(&data, g->n_cells);
	et_doe_program_judge(g, &data, &o, &p);
	const struct et_doe_effect *e = doe_effect(&p, s->term);
	found[0] = e && e->p < o.alpha;
	found[1] = e && e->significant;
	doe_free_program(&p);
	et_doe_data_free(&data);
}

/* The share of experiments in which the term was found; after Holm's correction in *holm. */
static double share(const struct study *s, double alpha_over, int method, double *holm)
{
	struct et_design *d = doe_design(s->levels, s->n_factors);
	struct et_doe_grid grid;
	struct et_rng rng;
	double found = 0, after = 0;

	d->blocks = s->blocks;
	if (!et_doe_grid_make(d, &grid))
		tap_bail("%s cannot be analysed", s->name);
	et_rng_seed(&rng, 15, s->bits);
	double effect = et_doe_smallest_effect(d, s->bits, s->n, 0.05 / alpha_over, 0.8);
	for (int i = 0; i < s->trials; i++) {
		bool f[2];
		trial(s, d, &grid, effect, method, &rng, f);
		found += f[0];
		after += f[1];
	}
	et_doe_grid_free(&grid);
	et_design_free(d);
	*holm = after / s->trials;
	return found / s->trials;
}

static const struct study studies[] = {
	{ "2^2, n 5", { 2, 2 }, 2, 5, 1000, ET_BLOCKS_NONE, "b", 2, { 0, 1 }, { 0, 0 } },
	{ "2^2, n 5, interaction", { 2, 2 }, 2, 5, 1000, ET_BLOCKS_NONE, "a:b", 3, { 1, 1 },
		{ 0, 1 } },
	{ "2^2 in blocks, n 5", { 2, 2 }, 2, 5, 1000, ET_BLOCKS_ROUND, "a", 1, { 1, 0 }, { 0, 0 } },
	{ "8 levels, n 10", { 8 }, 1, 10, 100, ET_BLOCKS_NONE, "a", 1, { 7 }, { 2 } },
	{ "3^2, n 5, interaction", { 3, 3 }, 2, 5, 200, ET_BLOCKS_NONE, "a:b", 3, { 2, 1 },
		{ 0, 1 } },
	{ "2x3, n 8", { 2, 3 }, 2, 8, 200, ET_BLOCKS_NONE, "b", 2, { 0, 2 }, { 0, 0 } },
};

int main(void)
{
	for (size_t i = 0; i < sizeof(studies) / sizeof(*studies); i++) {
		const struct study *s = &studies[i];
		double holm, terms = s->n_factors == 1 ? 1 : 3;
		double alone = share(s, 1, ET_DOE_ANOVA, &holm);
		double tolerance = 4 * sqrt(0.8 * 0.2 / s->trials);
		ok(fabs(alone - 0.8) < tolerance,
			"%s: the test of %s finds its smallest effect in %.1f %%", s->name, s->term,
			100 * alone);
		/* Other methods that the residuals may call for are little weaker. */
		share(s, terms, -1, &holm);
		ok(holm > 0.77 - tolerance, "%s: after Holm's correction %s is found in %.1f %%",
			s->name, s->term, 100 * holm);
	}
	return tap_done();
}
