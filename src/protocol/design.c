/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/design.h"

static int check_factors(const struct et_design *d, struct et_error *err)
{
	if (!d->n_factors)
		return et_refuse(err, NULL, "the design has no factors");
	if (d->n_factors > ET_MOST_FACTORS)
		return et_fail(err, E2BIG, ET_EXIT_USAGE,
			"the design has %zu factors; at most %d are possible", d->n_factors,
			ET_MOST_FACTORS);
	for (size_t i = 0; i < d->n_factors; i++) {
		if (d->factors[i].n_levels < 2)
			return et_refuse(err, NULL, "factor '%s' needs at least two levels",
				d->factors[i].name);
	}
	return 0;
}

/* Checks one generator, and that all factors in it have two levels. */
static int check_generator(
	const struct et_design *d, size_t factor, struct et_generator *out, struct et_error *err)
{
	const char *name = d->factors[factor].name;
	int rc = et_design_generator_parse(d, factor, out, err);

	if (rc) {
		struct et_error cause = err ? *err : (struct et_error){ 0 };
		return et_fail(err, -rc, cause.exit, "generator of '%s': %s", name, cause.what);
	}
	if (out->factors >> factor & 1)
		return et_refuse(err, NULL,
			"generator of '%s': the factor is part of its own product", name);
	for (size_t i = 0; i < d->n_factors; i++) {
		bool part = i == factor || out->factors >> i & 1;
		if (part && d->factors[i].n_levels != 2)
			return et_refuse(err, NULL,
				"generator of '%s': factor '%s' has %zu levels; a fraction needs "
				"factors "
				"with two",
				name, d->factors[i].name, d->factors[i].n_levels);
	}
	return 0;
}

/*
 * Puts the product of a generated factor in place of that factor, in all other products. If this
 * leaves every product without generated factors, it is a solution; if a factor becomes part of its
 * own product, the generators only restrict factors that should be free, or each other.
 */
static int solve(const struct et_design *d, struct et_generator *g, struct et_error *err)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		if (!d->factors[i].generator)
			continue;
		if (g[i].factors >> i & 1)
			return et_refuse(err, NULL,
				"generator of '%s': it contradicts another generator, or repeats "
				"it",
				d->factors[i].name);
		for (size_t k = 0; k < d->n_factors; k++) {
			if (k == i || !d->factors[k].generator || !(g[k].factors >> i & 1))
				continue;
			g[k].factors ^= UINT32_C(1) << i ^ g[i].factors;
			g[k].sign *= g[i].sign;
		}
	}
	return 0;
}

/* Two factors that are always equal, or always opposite, are one. */
static int check_resolution(const struct et_design *d, struct et_error *err)
{
	size_t n;
	uint32_t *words = et_design_relation(d, &n), word = n ? words[0] : 0;

	free(words);
	if (!word || __builtin_popcount(word) > 2)
		return 0;
	return et_refuse(err, "choose generators that are products of different factors",
		"by the generators, factors '%s' and '%s' always change together",
		d->factors[__builtin_ctz(word)].name, d->factors[31 - __builtin_clz(word)].name);
}

static int read_generators(const struct et_design *d, struct et_generator *g, struct et_error *err)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		int rc = d->factors[i].generator ? check_generator(d, i, &g[i], err) : 0;
		if (rc)
			return rc;
	}
	int rc = solve(d, g, err);
	return rc ? rc : check_resolution(d, err);
}

static int count_treatments(const struct et_design *d, size_t *out, struct et_error *err)
{
	size_t n = 1;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (d->factors[i].generator)
			continue;
		if (d->factors[i].n_levels > ET_MOST_TREATMENTS / n)
			return et_fail_hint(err, E2BIG, ET_EXIT_USAGE,
				"use fewer factors or levels, or a fractional design",
				"the design has more than %d treatments", ET_MOST_TREATMENTS);
		n *= d->factors[i].n_levels;
	}
	*out = n;
	return 0;
}

/* The level of a generated factor, whose product has only factors that are set already. */
static uint32_t generated(const struct et_generator *g, const uint32_t *levels)
{
	int sign = g->sign;

	for (size_t i = 0; i < ET_MOST_FACTORS; i++) {
		if (g->factors >> i & 1 && !levels[i])
			sign = -sign;
	}
	return sign > 0;
}

int et_design_make_treatments(struct et_design *d, struct et_error *err)
{
	struct et_generator g[ET_MOST_FACTORS] = { 0 };
	uint32_t levels[ET_MOST_FACTORS] = { 0 };
	size_t n = 0;
	int rc = check_factors(d, err);

	if (!rc)
		rc = read_generators(d, g, err);
	if (!rc)
		rc = count_treatments(d, &n, err);
	for (size_t t = 0; !rc && t < n; t++) {
		size_t rest = t;
		for (size_t i = 0; i < d->n_factors; i++) {
			if (d->factors[i].generator)
				continue;
			levels[i] = (uint32_t)(rest % d->factors[i].n_levels);
			rest /= d->factors[i].n_levels;
		}
		for (size_t i = 0; i < d->n_factors; i++) {
			if (d->factors[i].generator)
				levels[i] = generated(&g[i], levels);
		}
		et_design_add_treatment(d, levels);
	}
	return rc;
}
