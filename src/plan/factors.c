/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads the factors of a plan and checks the form of their levels by the table of kinds. */
#include "base/alloc.h"
#include "base/parse.h"
#include "plan/reader.h"
#include "protocol/design.h"
#include "protocol/parameters.h"

#include <ctype.h>
#include <string.h>

static struct et_design_factor *factor(const struct et_plan_reader *r)
{
	return &r->d->factors[r->d->n_factors - 1];
}

static struct et_plan_factor_places *places(const struct et_plan_reader *r)
{
	return &r->out->factors[r->out->n_factors - 1];
}

static int read_name(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	struct et_design_factor *f = factor(r);

	places(r)->name = value->at;
	int rc = et_plan_read_name(r, value, "a factor's name", &f->name, err);
	if (rc == 0 && !strcmp(f->name, "build"))
		rc = et_yaml_fail(r->path, value->at, err,
			"a factor cannot be named 'build': {build} is the folder of a build");
	if (rc == 0 && !et_parameter_is_name(f->name))
		rc = et_yaml_fail(r->path, value->at, err,
			"'%s' cannot name a factor: use letters, digits, _ and -, and begin with a "
			"letter",
			f->name);
	for (size_t i = 0; rc == 0 && i + 1 < r->d->n_factors; i++) {
		if (!strcmp(r->d->factors[i].name, f->name))
			rc = et_hint(err,
				et_yaml_fail(r->path, value->at, err,
					"there are two factors named '%s'", f->name),
				"rename one of them");
	}
	return rc;
}

static int read_kind(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	const char *names[ET_KINDS_OF_FACTORS + 1] = { NULL };
	ET_AUTO_FREE char *kind = NULL;
	int rc = et_plan_read_text(r, value, "kind", &kind, err);

	if (rc)
		return rc;
	places(r)->kind = value->at;
	factor(r)->kind = et_kind_find(kind);
	if (factor(r)->kind < ET_KINDS_OF_FACTORS)
		return 0;
	for (size_t i = 0; i < ET_KINDS_OF_FACTORS; i++)
		names[i] = et_factor_kinds[i].name;
	return et_plan_hint_names(err,
		et_yaml_fail(r->path, value->at, err, "there is no kind of factor '%s'", kind),
		kind, names);
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

static int read_variable(
	struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	struct et_design_factor *f = factor(r);

	if (!kind_of(r)->takes_variable)
		return et_hint(err,
			et_yaml_fail(r->path, value->at, err, "kind %s has no variable",
				kind_of(r)->name),
			"omit it, or use kind environment or environment-size");
	int rc = et_plan_read_text(r, value, "variable", &f->variable, err);
	if (rc == 0 && !is_variable(f->variable))
		rc = et_yaml_fail(r->path, value->at, err,
			"'%s' cannot name a variable: use letters, digits and _", f->variable);
	return rc;
}

static int add_text(const struct et_plan_reader *r, const struct et_yaml *y, const char *what,
	char ***list, size_t *n, struct et_error *err)
{
	if (y->kind != ET_YAML_SCALAR)
		return et_yaml_fail(r->path, y->at, err, "%s must be a single value", what);
	if (et_yaml_empty(y))
		return et_hint(err, et_yaml_fail(r->path, y->at, err, "%s is empty", what),
			"quote it if it is a text: \"%s\"", y->text);
	*list = et_realloc(*list, *n + 2, sizeof(**list));
	(*list)[(*n)++] = et_strdup(y->text);
	(*list)[*n] = NULL;
	return 0;
}

static int read_objects(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	struct et_design_factor *f = factor(r);
	size_t n = 0;

	if (f->kind != ET_KIND_LINK_ORDER)
		return et_hint(err,
			et_yaml_fail(r->path, value->at, err, "kind %s has no objects",
				kind_of(r)->name),
			"omit it, or use kind link-order");
	if (value->kind == ET_YAML_SCALAR) {
		int rc = et_split_words(value->text, &f->objects, err);
		return rc ? et_plan_locate(r->out, value->at, rc, err) : 0;
	}
	int rc = et_plan_want_list(r, value, "objects", err);
	for (size_t i = 0; rc == 0 && i < value->n; i++)
		rc = add_text(r, value->items[i], "an object", &f->objects, &n, err);
	return rc;
}

static int check_whole(const struct et_plan_reader *r, const char *level, struct et_error *err)
{
	const struct et_factor_kind *k = kind_of(r);
	int64_t n;

	return et_parse_i64(k->name, level, k->lo, k->hi, &n, err);
}

static int check_choice(
	const struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	const struct et_factor_kind *k = kind_of(r);

	for (size_t i = 0; k->choices[i]; i++) {
		if (!strcmp(k->choices[i], y->text))
			return 0;
	}
	return et_plan_hint_names(err,
		et_yaml_fail(r->path, y->at, err, "%s: there is no level '%s'", k->name, y->text),
		y->text, k->choices);
}

static int check_link_order(
	const struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	uint64_t seed;

	if (!strcmp(y->text, "given") || !strcmp(y->text, "reversed"))
		return 0;
	if (!strncmp(y->text, "random:", 7)) {
		int rc = et_parse_u64("link-order", y->text + 7, 0, INT64_MAX, &seed, err);
		return rc ? et_plan_locate(r->out, y->at, rc, err) : 0;
	}
	return et_hint(err,
		et_yaml_fail(r->path, y->at, err, "link-order: there is no level '%s'", y->text),
		"use given, reversed or random:N");
}

/* Names of unequal length would move the stack, which is what the check must not do. */
static int check_variable_name(
	const struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	const char *first = factor(r)->levels[0];

	if (!is_variable(y->text))
		return et_yaml_fail(r->path, y->at, err,
			"environment-name: '%s' cannot name a variable: use letters, digits and _",
			y->text);
	if (strlen(y->text) == strlen(first))
		return 0;
	return et_hint(err,
		et_yaml_fail(r->path, y->at, err,
			"environment-name: '%s' and '%s' are not of equal length", first, y->text),
		"the check is that equal sizes do not differ: use names of equal length");
}

/* The levels of parameters and variables can be any text, the empty one included. */
static int check_level(
	const struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	const struct et_design_factor *f = factor(r);

	for (size_t i = 0; i + 1 < f->n_levels; i++) {
		if (!strcmp(f->levels[i], y->text))
			return et_hint(err,
				et_yaml_fail(
					r->path, y->at, err, "level '%s' is given twice", y->text),
				"omit one of them");
	}
	if (kind_of(r)->form == ET_LEVEL_CHOICE)
		return check_choice(r, y, err);
	if (kind_of(r)->form == ET_LEVEL_WHOLE) {
		int rc = check_whole(r, y->text, err);
		return rc ? et_plan_locate(r->out, y->at, rc, err) : 0;
	}
	if (f->kind == ET_KIND_LINK_ORDER)
		return check_link_order(r, y, err);
	if (f->kind == ET_KIND_ENVIRONMENT_NAME)
		return check_variable_name(r, y, err);
	if (!*y->text && f->kind != ET_KIND_PARAMETER && f->kind != ET_KIND_ENVIRONMENT)
		return et_yaml_fail(r->path, y->at, err, "%s: a level is empty", kind_of(r)->name);
	return 0;
}

static int read_levels(struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	struct et_design_factor *f = factor(r);
	int rc = et_plan_want_list(r, value, "levels", err);

	if (rc)
		return rc;
	if (value->n < 2)
		return et_hint(err,
			et_yaml_fail(r->path, value->at, err,
				"factor '%s' has one level; it needs "
				"two or more to be varied",
				f->name),
			"add a level, or write the value into the command");
	places(r)->levels = et_calloc(value->n, sizeof(struct et_plan_place));
	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		places(r)->levels[i] = value->items[i]->at;
		rc = add_text(r, value->items[i], "a level", &f->levels, &f->n_levels, err);
		if (rc == 0)
			rc = check_level(r, value->items[i], err);
	}
	return rc;
}

const struct et_plan_key et_factor_keys[] = {
	{ "name", "name of the factor: letters, digits, _ and -", read_name, true,
		et_shape_factor_name },
	{ "kind", "what is varied", read_kind, true, et_shape_kind },
	{ "variable", "the environment variable that is varied", read_variable, false,
		et_shape_variable },
	{ "objects", "words whose order is varied, of kind link-order", read_objects, false,
		et_shape_objects },
	{ "levels", "two or more values of the factor", read_levels, true, et_shape_levels },
	{ 0 },
};

/* Some kinds need more than their levels. */
static int check_factor(
	const struct et_plan_reader *r, const struct et_yaml *y, struct et_error *err)
{
	const struct et_design_factor *f = factor(r);

	if (f->kind == ET_KIND_ENVIRONMENT && !f->variable && !is_variable(f->name))
		return et_hint(err,
			et_yaml_fail(r->path, y->at, err,
				"factor '%s' of kind environment has no 'variable'", f->name),
			"add 'variable: NAME'");
	if (f->kind == ET_KIND_LINK_ORDER && !f->objects)
		return et_hint(err,
			et_yaml_fail(r->path, y->at, err,
				"factor '%s' of kind link-order has no 'objects'", f->name),
			"add 'objects: [a.o, b.o]', which replace {%s} in build commands", f->name);
	return 0;
}

int et_plan_read_factors(
	struct et_plan_reader *r, const struct et_yaml *value, struct et_error *err)
{
	struct et_plan_file *p = r->out;
	int rc = et_plan_want_list(r, value, "factors", err);

	for (size_t i = 0; rc == 0 && i < value->n; i++) {
		const struct et_yaml *y = value->items[i];
		if (i == ET_MOST_FACTORS)
			return et_yaml_fail(
				r->path, y->at, err, "more than %d factors", ET_MOST_FACTORS);
		et_design_add_factor(r->d, "");
		p->factors = et_realloc(p->factors, p->n_factors + 1, sizeof(*p->factors));
		p->factors[p->n_factors++] = (struct et_plan_factor_places){ .name = y->at };
		rc = et_plan_read_map(r, y, et_factor_keys, "a factor", err);
		if (rc == 0)
			rc = check_factor(r, y, err);
	}
	return rc;
}
