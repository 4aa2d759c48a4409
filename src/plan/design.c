/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the key `design`: full or fractional, and blocks. */
#include "base/alloc.h"
#include "model/design/terms.h"
#include "plan/reader.h"

#include <string.h>

static int find_factor(const struct et_plan_reader *r, const struct et_yaml *y, const char *name,
	size_t *out, struct et_error *err)
{
	const struct et_design *d = r->d;
	ET_AUTO_FREE const char **names = et_calloc(d->n_factors + 1, sizeof(*names));

	for (size_t i = 0; i < d->n_factors; i++) {
		names[i] = d->factors[i].name;
		if (!strcmp(names[i], name)) {
			*out = i;
			return 0;
		}
	}
	return et_plan_hint_names(err,
		et_yaml_fail(r->path, y->at, err, "generator '%s': there is no factor '%s'",
			y->text, name),
		name, names);
}

/* Factors of a fraction have two levels, so that their signs have a product. */
static int check_two_levels(const struct et_plan_reader *r, const struct et_yaml *y, size_t factor,
	struct et_error *err)
{
	const struct et_design_factor *f = &r->d->factors[factor];

	if (f->n_levels == 2)
		return 0;
	return et_hint(err,
		et_yaml_fail(r->path, y->at, err, "generator '%s': factor '%s' has %zu levels",
			y->text, f->name, f->n_levels),
		"generators are about factors with two levels");
}

/* "a b c", also "a*b*c" and with a sign in front: every word must be a factor. */
static int check_product(const struct et_plan_reader *r, const struct et_yaml *y, char *product,
	struct et_error *err)
{
	int rc = 0;

	for (char *p = product; *p; p++) {
		if (*p == '*' || *p == ':' || *p == '\t' || *p == '\n')
			*p = ' ';
	}
	ET_AUTO_FREE char *copy = et_strdup(product + strspn(product, " -+"));
	char *rest = copy, *word;
	while (rc == 0 && (word = strsep(&rest, " "))) {
		size_t factor = 0;
		if (!*word)
			continue;
		rc = find_factor(r, y, word, &factor, err);
		if (rc == 0)
			rc = check_two_levels(r, y, factor, err);
	}
	return rc;
}

/* Splits "d = a b c" into both sides. */
static int split(const struct et_plan_reader *r, const struct et_yaml *y, char **left, char **right,
	struct et_error *err)
{
	const char *equals = y->kind == ET_YAML_SCALAR ? strchr(y->text, '=') : NULL;

	if (!equals || strchr(equals + 1, '=') || !equals[1 + strspn(equals + 1, " -+*:")])
		return et_hint(err,
			et_yaml_fail(r->path, y->at, err,
				"a generator must be FACTOR = FACTORS%s%s",
				y->kind == ET_YAML_SCALAR ? ", not " : "",
				y->kind == ET_YAML_SCALAR ? y->text : ""),
			"write it like this: generators: [d = a b c]");
	const char *begin = y->text + strspn(y->text, " ");
	*left = et_strndup(begin, strcspn(begin, " ="));
	*right = et_strdup(equals + 1 + strspn(equals + 1, " "));
	return 0;
}

static int add_generator(struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	ET_AUTO_FREE char *name = NULL;
	ET_AUTO_FREE char *product = NULL;
	struct et_generator g;
	size_t at = 0;

	int rc = split(r, y, &name, &product, err);
	if (rc == 0)
		rc = find_factor(r, y, name, &at, err);
	if (rc == 0)
		rc = check_two_levels(r, y, at, err);
	if (rc == 0)
		rc = check_product(r, y, product, err);
	if (rc)
		return rc;
	if (r->d->factors[at].generator)
		return et_yaml_fail(r->path, y->at, err, "factor '%s' has two generators", name);
	r->d->factors[at].generator = et_strdup(product);
	r->generators[at] = y->at;
	rc = et_design_generator_parse(r->d, at, &g, err);
	return rc ? et_plan_locate(r->out, y->at, rc, err) : 0;
}

static int read_generators(
	struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	int rc = et_plan_want_list(r, value, "generators", err);

	if (rc)
		return rc;
	r->generators = et_calloc(r->d->n_factors, sizeof(*r->generators));
	for (size_t i = 0; rc == 0 && i < value->n; i++)
		rc = add_generator(r, value->items[i], err);
	return rc;
}

const struct et_plan_key et_fraction_keys[] = {
	{ "generators", "which factors follow the product of others, such as d = a b c",
		read_generators, true, et_shape_generators },
	{ 0 },
};

static int read_fractional(
	struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	return et_plan_read_map(r, value, et_fraction_keys, "fractional", err);
}

static int read_blocks(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	ET_AUTO_FREE char *name = NULL;
	int rc = et_plan_read_text(r, value, "blocks", &name, err);

	for (int i = 0; rc == 0 && et_design_blocks_names[i]; i++) {
		if (!strcmp(et_design_blocks_names[i], name)) {
			r->d->blocks = (enum et_design_blocks)i;
			return 0;
		}
	}
	if (rc)
		return rc;
	return et_plan_hint_names(err,
		et_yaml_fail(r->path, value->at, err, "blocks: there is no '%s'", name), name,
		et_design_blocks_names);
}

const struct et_plan_key et_design_keys[] = {
	{ "fractional", "a fraction of the full design, made by generators", read_fractional, false,
		et_shape_fractional },
	{ "blocks", "what every treatment is run once in: a round of runs, or a machine",
		read_blocks, false, et_shape_blocks },
	{ 0 },
};

int et_plan_read_design(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	r->out->design_at = value->at;
	if (value->kind == ET_YAML_MAP)
		return et_plan_read_map(r, value, et_design_keys, "design", err);
	if (value->kind == ET_YAML_SCALAR && !strcmp(value->text, "full"))
		return 0;
	return et_hint(err,
		et_yaml_fail(r->path, value->at, err, "there is no design '%s'",
			value->kind == ET_YAML_SCALAR ? value->text : "of a list"),
		"use full, { blocks: round }, { blocks: machine } or { fractional: { generators: "
		"[d "
		"= a b c] } }");
}
