/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the factors of a plan and checks the form of their levels by the table of kinds. */
#include "base/parse.h"
#include "model/design/terms.h"
#include "plan/reader.h"
#include "protocol/design.h"
#include "protocol/parameters.h"

#include <ctype.h>

static struct et_design_factor *factor(const struct et_plan_reader *r)
{
	return &r->d->factors[r->d->n_factors - 1];
}

static struct et_plan_factor_places *places(const struct et_plan_reader *r)
{
	return &r->out->factors[r->out->n_factors - 1];
}

static int read_name(struct et_plan_reader *r, const struct et_yaml *value)
{
	struct et_design_factor *f = factor(r);

	places(r)->name = value->at;
	int rc = et_plan_read_name(r, value, "a factor's name", &f->name);
	if (rc == 0 && !strcmp(f->name, "build"))
		rc = et_plan_fail(r, value->at, NULL,
			"a factor cannot be named 'build': {build} is the folder of a build");
	if (rc == 0 && !et_parameter_is_name(f->name))
		rc = et_plan_fail(r, value->at, NULL,
			"'%s' cannot name a factor: use letters, digits, _ and -, and begin with a "
			"letter",
			f->name);
	for (size_t i = 0; rc == 0 && i + 1 < r->d->n_factors; i++) {
		if (!strcmp(r->d->factors[i].name, f->name))
			rc = et_plan_fail(r, value->at, "rename one of them",
				"there are two factors named '%s'", f->name);
	}
	return rc;
}

static int read_kind(struct et_plan_reader *r, const struct et_yaml *value)
{
	size_t found = 0;
	int rc = et_plan_read_choice(
		r, value, "kind", "there is no kind of factor", et_kind_names, &found);

	factor(r)->kind = (enum et_kind)found;
	return rc;
}

static const struct et_factor_kind *kind_of(const struct et_plan_reader *r)
{
	return &et_factor_kinds[factor(r)->kind];
}

/* A name that execve() can pass on: POSIX, 8.1. */
static bool is_variable(const char *s)
{
	size_t n = 0;

	while (isascii(s[n]) && (isalnum((unsigned char)s[n]) || s[n] == '_'))
		n++;
	return n && !s[n] && !isdigit((unsigned char)s[0]);
}

static int read_variable(struct et_plan_reader *r, const struct et_yaml *value)
{
	struct et_design_factor *f = factor(r);

	if (!kind_of(r)->takes_variable)
		return et_plan_fail(r, value->at,
			"omit it, or use kind environment or environment-size",
			"kind %s has no variable", kind_of(r)->name);
	int rc = et_plan_read_text(r, value, "variable", &f->variable);
	if (rc == 0 && !is_variable(f->variable))
		rc = et_plan_fail(r, value->at, NULL,
			"'%s' cannot name a variable: use letters, digits and _", f->variable);
	return rc;
}

static int add_text(const struct et_plan_reader *r, const struct et_yaml *y, const char *what,
	char ***list, size_t *n)
{
	if (y->kind != ET_YAML_SCALAR)
		return et_plan_fail(r, y->at, NULL, "%s must be a single value", what);
	if (et_yaml_empty(y))
		return et_hint(r->err, et_plan_fail(r, y->at, NULL, "%s is empty", what),
			"quote it if it is a text: \"%s\"", y->text);
	*list = et_realloc(*list, *n + 2, sizeof(**list));
	(*list)[(*n)++] = et_strdup(y->text);
	(*list)[*n] = NULL;
	return 0;
}

static int read_objects(struct et_plan_reader *r, const struct et_yaml *value)
{
	struct et_design_factor *f = factor(r);
	size_t n = 0;

	if (f->kind != ET_KIND_LINK_ORDER)
		return et_plan_fail(r, value->at, "omit it, or use kind link-order",
			"kind %s has no objects", kind_of(r)->name);
	if (value->kind == ET_YAML_SCALAR) {
		int rc = et_split_words(value->text, &f->objects, r->err);
		return et_plan_at(r, value, rc);
	}
	int rc = et_plan_want_list(r, value, "objects");
	for (size_t i = 0; rc == 0 && i < value->n; i++)
		rc = add_text(r, value->items[i], "an object", &f->objects, &n);
	return rc;
}

static int check_whole(const struct et_plan_reader *r, const struct et_yaml *y)
{
	const struct et_factor_kind *k = kind_of(r);
	int64_t n;

	return et_plan_at(r, y, et_parse_i64(k->name, y->text, k->lo, k->hi, &n, r->err));
}

static int check_choice(const struct et_plan_reader *r, const struct et_yaml *y)
{
	const struct et_factor_kind *k = kind_of(r);
	ET_AUTO_FREE char *what = et_asprintf("%s: there is no level", k->name);
	size_t i;

	return et_plan_choose(r, y, what, y->text, k->choices, &i);
}

static int check_link_order(const struct et_plan_reader *r, const struct et_yaml *y)
{
	uint64_t seed;

	if (!strcmp(y->text, "given") || !strcmp(y->text, "reversed"))
		return 0;
	if (!strncmp(y->text, "random:", 7)) {
		int rc = et_parse_u64("link-order", y->text + 7, 0, INT64_MAX, &seed, r->err);
		return et_plan_at(r, y, rc);
	}
	return et_plan_fail(r, y->at, "use given, reversed or random:N",
		"link-order: there is no level '%s'", y->text);
}

/* Names of unequal length would move the stack, which is what the check must not do. */
static int check_variable_name(const struct et_plan_reader *r, const struct et_yaml *y)
{
	const char *first = factor(r)->levels[0];

	if (!is_variable(y->text))
		return et_plan_fail(r, y->at, NULL,
			"environment-name: '%s' cannot name a variable: use letters, digits and _",
			y->text);
	if (strlen(y->text) == strlen(first))
		return 0;
	return et_plan_fail(r, y->at,
		"the check is that equal sizes do not differ: use names of equal length",
		"environment-name: '%s' and '%s' are not of equal length", first, y->text);
}

/* The levels of parameters and variables can be any text, the empty one included. */
static int check_level(const struct et_plan_reader *r, const struct et_yaml *y)
{
	const struct et_design_factor *f = factor(r);

	for (size_t i = 0; i + 1 < f->n_levels; i++) {
		if (!strcmp(f->levels[i], y->text))
			return et_plan_fail(
				r, y->at, "omit one of them", "level '%s' is given twice", y->text);
	}
	if (kind_of(r)->form == ET_LEVEL_CHOICE)
		return check_choice(r, y);
	if (kind_of(r)->form == ET_LEVEL_WHOLE)
		return check_whole(r, y);
	if (f->kind == ET_KIND_LINK_ORDER)
		return check_link_order(r, y);
	if (f->kind == ET_KIND_ENVIRONMENT_NAME)
		return check_variable_name(r, y);
	if (!*y->text && f->kind != ET_KIND_PARAMETER && f->kind != ET_KIND_ENVIRONMENT)
		return et_plan_fail(r, y->at, NULL, "%s: a level is empty", kind_of(r)->name);
	return 0;
}

static int read_levels(struct et_plan_reader *r, const struct et_yaml *value)
{
	struct et_design_factor *f = factor(r);
	int rc = et_plan_want_list(r, value, "levels");

	if (rc)
		return rc;
	if (value->n < 2)
		return et_plan_fail(r, value->at,
			"add a level, or write the value into the command",
			"factor '%s' has one level; it needs two or more to be varied", f->name);
	places(r)->levels = et_calloc(value->n, sizeof(struct et_plan_place));
	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		places(r)->levels[i] = value->items[i]->at;
		rc = add_text(r, value->items[i], "a level", &f->levels, &f->n_levels)
			     ?: check_level(r, value->items[i]);
	}
	return rc;
}

const struct et_plan_key et_factor_keys[] = {
	{ "name", "name of the factor: letters, digits, _ and -", read_name, true,
		.pattern = "^[A-Za-z_][A-Za-z0-9_-]*$" },
	{ "kind", "what is varied", read_kind, .required = true, .shape = et_shape_kind },
	{ "variable", "the environment variable that is varied", read_variable,
		.pattern = "^[A-Za-z_][A-Za-z0-9_]*$" },
	{ "objects", "words whose order is varied, of kind link-order", read_objects,
		.shape = et_shape_objects },
	{ "levels", "two or more values of the factor", read_levels, .required = true,
		.shape = et_shape_levels },
	{ 0 },
};

/* Some kinds need more than their levels. */
static int check_factor(const struct et_plan_reader *r, const struct et_yaml *y)
{
	const struct et_design_factor *f = factor(r);

	if (f->kind == ET_KIND_ENVIRONMENT && !f->variable && !is_variable(f->name))
		return et_plan_fail(r, y->at, "add 'variable: NAME'",
			"factor '%s' of kind environment has no 'variable'", f->name);
	if (f->kind == ET_KIND_LINK_ORDER && !f->objects)
		return et_hint(r->err,
			et_plan_fail(r, y->at, NULL,
				"factor '%s' of kind link-order has no 'objects'", f->name),
			"add 'objects: [a.o, b.o]', which replace {%s} in build commands", f->name);
	return 0;
}

int et_plan_read_factors(struct et_plan_reader *r, const struct et_yaml *value)
{
	struct et_plan_file *p = r->out;
	int rc = et_plan_want_list(r, value, "factors");

	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		const struct et_yaml *y = value->items[i];
		if (i == ET_MOST_FACTORS)
			return et_plan_fail(
				r, y->at, NULL, "more than %d factors", ET_MOST_FACTORS);
		et_design_add_factor(r->d, "");
		p->factors = et_realloc(p->factors, p->n_factors + 1, sizeof(*p->factors));
		p->factors[p->n_factors++] = (struct et_plan_factor_places){ .name = y->at };
		rc = et_plan_read_map(r, y, et_factor_keys, "a factor") ?: check_factor(r, y);
	}
	return rc;
}

/* Reads the key `design`: full or fractional, and blocks. */

static int find_factor(
	const struct et_plan_reader *r, const struct et_yaml *y, const char *name, size_t *out)
{
	ET_AUTO_FREE char **names = et_design_factor_names(r->d);
	ET_AUTO_FREE char *what = et_asprintf("generator '%s': there is no factor", y->text);

	return et_plan_choose(r, y, what, name, (const char *const *)names, out);
}

/* Factors of a fraction have two levels, so that their signs have a product. */
static int check_two_levels(const struct et_plan_reader *r, const struct et_yaml *y, size_t factor)
{
	const struct et_design_factor *f = &r->d->factors[factor];

	if (f->n_levels == 2)
		return 0;
	return et_plan_fail(r, y->at, "generators are about factors with two levels",
		"generator '%s': factor '%s' has %zu levels", y->text, f->name, f->n_levels);
}

/* "a b c", also "a*b*c" and with a sign in front: every word must be a factor. */
static int check_product(const struct et_plan_reader *r, const struct et_yaml *y, char *product)
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
		rc = find_factor(r, y, word, &factor) ?: check_two_levels(r, y, factor);
	}
	return rc;
}

/* Splits "d = a b c" into both sides. */
static int split(const struct et_plan_reader *r, const struct et_yaml *y, char **left, char **right)
{
	const char *equals = y->kind == ET_YAML_SCALAR ? strchr(y->text, '=') : NULL;

	if (!equals || strchr(equals + 1, '=') || !equals[1 + strspn(equals + 1, " -+*:")])
		return et_plan_fail(r, y->at, "write it like this: generators: [d = a b c]",
			"a generator must be FACTOR = FACTORS%s%s",
			y->kind == ET_YAML_SCALAR ? ", not " : "",
			y->kind == ET_YAML_SCALAR ? y->text : "");
	const char *begin = y->text + strspn(y->text, " ");
	*left = et_strndup(begin, strcspn(begin, " ="));
	*right = et_strdup(equals + 1 + strspn(equals + 1, " "));
	return 0;
}

static int add_generator(struct et_plan_reader *r, const struct et_yaml *y)
{
	ET_AUTO_FREE char *name = NULL;
	ET_AUTO_FREE char *product = NULL;
	struct et_generator g;
	size_t at = 0;

	int rc = split(r, y, &name, &product) ?: find_factor(r, y, name, &at)
		?: check_two_levels(r, y, at) ?: check_product(r, y, product);
	if (rc)
		return rc;
	if (r->d->factors[at].generator)
		return et_plan_fail(r, y->at, NULL, "factor '%s' has two generators", name);
	r->d->factors[at].generator = et_strdup(product);
	r->generators[at] = y->at;
	return et_plan_at(r, y, et_design_generator_parse(r->d, at, &g, r->err));
}

static int read_generators(struct et_plan_reader *r, const struct et_yaml *value)
{
	int rc = et_plan_want_list(r, value, "generators");

	if (rc)
		return rc;
	r->generators = et_calloc(r->d->n_factors, sizeof(*r->generators));
	for (size_t i = 0; rc == 0 && i < value->n; i++)
		rc = add_generator(r, value->items[i]);
	return rc;
}

static const struct et_plan_key fraction_keys[] = {
	{ "generators", "which factors follow the product of others, such as d = a b c",
		read_generators, .required = true, .shape = et_shape_generators },
	{ 0 },
};

static int read_blocks(struct et_plan_reader *r, const struct et_yaml *value)
{
	size_t found = 0;
	int rc = et_plan_read_choice(
		r, value, "blocks", "blocks: there is no", et_design_blocks_names, &found);

	if (rc == 0)
		r->d->blocks = (enum et_design_blocks)found;
	return rc;
}

const struct et_plan_key et_design_keys[] = {
	{ "fractional", "a fraction of the full design, made by generators",
		.keys = fraction_keys },
	{ "blocks", "what every treatment is run once in: a round of runs, or a machine",
		read_blocks, .names = et_design_blocks_names },
	{ 0 },
};

int et_plan_read_design(struct et_plan_reader *r, const struct et_yaml *value)
{
	r->out->design_at = value->at;
	if (value->kind == ET_YAML_MAP)
		return et_plan_read_map(r, value, et_design_keys, "design");
	if (value->kind == ET_YAML_SCALAR && !strcmp(value->text, "full"))
		return 0;
	return et_plan_fail(r, value->at,
		"use full, { blocks: round }, { blocks: machine } or { fractional: { generators: "
		"[d = a b c] } }",
		"there is no design '%s'",
		value->kind == ET_YAML_SCALAR ? value->text : "of a list");
}
