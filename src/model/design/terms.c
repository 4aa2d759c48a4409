/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/design/terms.h"
#include "base/nearest.h"

#include <assert.h>

/* Finds the factor of a name that is not terminated. */
static int find_factor(const struct et_design *d, const char *name, size_t length, size_t *out,
	struct et_error *err)
{
	ET_AUTO_FREE char *word = et_strndup(name, length);
	struct et_nearest near = et_nearest_to(word);

	for (*out = 0; *out < d->n_factors; ++*out) {
		if (!strcmp(d->factors[*out].name, word))
			return 0;
		et_nearest_offer(&near, d->factors[*out].name);
	}
	int rc = et_fail(err, EINVAL, ET_EXIT_USAGE, "there is no factor '%s'", word);
	return near.best ? et_hint(err, rc, "did you mean '%s'?", near.best) : rc;
}

/* Parses names of factors with `between` between them; spaces do not matter otherwise. */
static int parse_factors(const struct et_design *d, const char *text, char between, uint32_t *out,
	struct et_error *err)
{
	const char ends[] = { ' ', between, '\0' };
	uint32_t factors = 0;

	for (const char *at = text;;) {
		at += strspn(at, " ");
		size_t length = strcspn(at, ends), factor = 0;
		if (!length)
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%s': the name of a factor is missing", text);
		int rc = find_factor(d, at, length, &factor, err);
		if (rc)
			return rc;
		if (factors >> factor & 1)
			return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' has the factor '%s' twice",
				text, d->factors[factor].name);
		factors |= UINT32_C(1) << factor;
		at += length;
		at += strspn(at, " ");
		if (!*at)
			break;
		if (between != ' ' && *at++ != between)
			return et_fail(err, EINVAL, ET_EXIT_USAGE,
				"'%s': write '%c' between factors", text, between);
	}
	*out = factors;
	return 0;
}

int et_design_generator_parse(
	const struct et_design *d, size_t factor, struct et_generator *out, struct et_error *err)
{
	const char *text = d->factors[factor].generator;
	struct et_generator g = { .sign = 1 };

	text += strspn(text, " ");
	if (*text == '-' || *text == '+') {
		g.sign = *text == '-' ? -1 : 1;
		text++;
	}
	int rc = parse_factors(d, text, ' ', &g.factors, err);
	if (!rc)
		*out = g;
	return rc;
}

int et_design_sign(const struct et_design *d, size_t treatment, uint32_t factors)
{
	int sign = 1;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (factors >> i & 1 && d->factors[i].n_levels == 2 &&
			!d->treatments[treatment].levels[i])
			sign = -sign;
	}
	return sign;
}

size_t et_design_generators(const struct et_design *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n_factors; i++)
		n += d->factors[i].generator != NULL;
	return n;
}

/* Terms with fewer factors come first; of equally many, those of the first factors. */
static int by_length(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	int nx = __builtin_popcount(x), ny = __builtin_popcount(y);

	if (nx != ny)
		return nx < ny ? -1 : 1;
	if (x == y)
		return 0;
	uint32_t differ = x ^ y;
	return x & differ & -differ ? -1 : 1;
}

/* Fills all products of the generators' words, the empty one first; returns their number. */
static uint32_t *products(const struct et_design *d, size_t *n)
{
	uint32_t *words = et_calloc((size_t)1 << et_design_generators(d), sizeof(*words));
	size_t count = 1;

	for (size_t i = 0; i < d->n_factors; i++) {
		struct et_generator g;
		if (!d->factors[i].generator || et_design_generator_parse(d, i, &g, NULL))
			continue;
		uint32_t word = g.factors ^ UINT32_C(1) << i;
		for (size_t k = 0; k < count; k++)
			words[count + k] = words[k] ^ word;
		count *= 2;
	}
	*n = count;
	return words;
}

/* Drops the first element. */
static void drop_first(uint32_t *array, size_t *n)
{
	memmove(array, array + 1, --*n * sizeof(*array));
}

uint32_t *et_design_relation(const struct et_design *d, size_t *n)
{
	uint32_t *words = products(d, n);

	drop_first(words, n);
	qsort(words, *n, sizeof(*words), by_length);
	return words;
}

size_t et_design_resolution(const struct et_design *d)
{
	size_t n;
	ET_AUTO_FREE uint32_t *words = et_design_relation(d, &n);

	return n ? (size_t)__builtin_popcount(words[0]) : 0;
}

uint32_t *et_design_aliases(const struct et_design *d, uint32_t factors, size_t *n)
{
	uint32_t *words = et_design_relation(d, n);

	for (size_t i = 0; i < *n; i++)
		words[i] ^= factors;
	qsort(words, *n, sizeof(*words), by_length);
	return words;
}

uint32_t *et_design_terms(const struct et_design *d, size_t *n)
{
	assert(d->n_factors <= 20);
	size_t all = (size_t)1 << d->n_factors, n_words, count = 0;
	uint32_t *sorted = et_calloc(all, sizeof(*sorted));
	ET_AUTO_FREE uint32_t *words = products(d, &n_words);
	ET_AUTO_FREE bool *known = et_calloc(all, sizeof(*known));

	for (size_t i = 0; i < all; i++)
		sorted[i] = (uint32_t)i;
	qsort(sorted, all, sizeof(*sorted), by_length);
	for (size_t i = 0; i < all; i++) {
		uint32_t term = sorted[i];
		if (known[term])
			continue;
		for (size_t k = 0; k < n_words; k++)
			known[term ^ words[k]] = true;
		sorted[count++] = term;
	}
	/* The first is the term without factors: the mean, with the words of the relation. */
	drop_first(sorted, &count);
	*n = count;
	return sorted;
}

int et_design_term_parse(
	const struct et_design *d, const char *term, uint32_t *factors, struct et_error *err)
{
	return parse_factors(d, term, ':', factors, err);
}

char *et_design_term_name(const struct et_design *d, uint32_t factors)
{
	char *name = NULL;

	for (size_t i = 0; i < d->n_factors; i++) {
		if (factors >> i & 1)
			et_append(&name, ":", "%s", d->factors[i].name);
	}
	return name ? name : et_strdup("");
}

static int refuse_alias(
	const struct et_design *d, uint32_t term, uint32_t alias, struct et_error *err)
{
	ET_AUTO_FREE char *name = et_design_term_name(d, term),
			  *other = et_design_term_name(d, alias);

	return et_refuse(err, "omit it, or choose other generators or a full design",
		"the effect '%s' is an alias of '%s' in this design: no run tells them "
		"apart",
		name, other);
}

static bool has_term(const uint32_t *list, size_t n, uint32_t term)
{
	for (size_t i = 0; i < n; i++) {
		if (list[i] == term)
			return true;
	}
	return false;
}

static int check_aliases(
	const struct et_design *d, const uint32_t *list, size_t n, struct et_error *err)
{
	for (size_t i = 0; i < n; i++) {
		size_t n_aliases;
		ET_AUTO_FREE uint32_t *aliases = et_design_aliases(d, list[i], &n_aliases);
		for (size_t k = 0; k < n_aliases; k++) {
			if (__builtin_popcount(aliases[k]) <= __builtin_popcount(list[i]) ||
				has_term(list, n, aliases[k]))
				return refuse_alias(d, list[i], aliases[k], err);
		}
	}
	return 0;
}

int et_design_terms_parse(const struct et_design *d, const char *text, uint32_t **out, size_t *n,
	struct et_error *err)
{
	ET_AUTO_FREE char *copy = et_strdup(text);
	ET_AUTO_FREE uint32_t *list = NULL;
	size_t count = 0, room = 0;
	char *rest = copy;

	for (char *one; (one = strsep(&rest, ","));) {
		uint32_t term;
		int rc = et_design_term_parse(d, one, &term, err);
		if (rc)
			return rc;
		if (has_term(list, count, term))
			continue;
		ET_GROW(list, count, room);
		list[count++] = term;
	}
	int rc = check_aliases(d, list, count, err);
	if (rc == 0) {
		*out = list;
		*n = count;
		list = NULL;
	}
	return rc;
}
