/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of plans: replaces {factor} and {build} in commands and build commands. */
#include "base/alloc.h"
#include "base/parse.h"
#include "build/build.h"
#include "measure/child/child.h"
#include "num/rng.h"

#include <errno.h>
#include <string.h>

/* --- link order --- */

static int parse_order(const char *level, uint64_t *seed, struct et_error *err)
{
	if (!strcmp(level, "given") || !strcmp(level, "reversed"))
		return 0;
	if (strncmp(level, "random:", 7))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"'%s' is not an order of objects: given, reversed, or random:N", level);
	return et_parse_u64("random", level + 7, 0, INT64_MAX, seed, err);
}

/* The words to order may have spaces, so they are quoted as a shell needs it. */
static char *order_objects(const struct et_design_factor *f, const char *level)
{
	size_t n = f->objects ? et_strv_length(f->objects) : 0;
	ET_AUTO_FREE char **words = et_calloc(n + 1, sizeof(*words));
	ET_AUTO_FREE uint32_t *order = et_calloc(n + 1, sizeof(*order));
	uint64_t seed = 0;
	struct et_rng rng;

	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)(strcmp(level, "reversed") ? i : n - 1 - i);
	if (parse_order(level, &seed, NULL) == 0 && !strncmp(level, "random:", 7)) {
		et_rng_seed(&rng, seed, 0);
		et_shuffle_u32(&rng, order, n);
	}
	for (size_t i = 0; i < n; i++)
		words[i] = f->objects[order[i]];
	return et_join_words(words);
}

/* --- texts --- */

struct filling {
	const struct et_experiment *e;
	uint32_t command;
};

/* The names whose value is no level. */
static char *find_value(void *ctx, const char *name)
{
	const struct filling *f = ctx;
	const struct et_design *d = f->e->design;

	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *factor = &d->factors[i];
		if (factor->kind == ET_KIND_LINK_ORDER && !strcmp(factor->name, name))
			return order_objects(factor, et_design_level(d, f->command, i));
	}
	if (strcmp(name, "build"))
		return NULL;
	ET_AUTO_FREE char *folder = et_doe_build_folder(f->e, f->command);
	return folder ? et_join_words((char *[]){ folder, NULL }) : NULL;
}

int et_doe_fill(const struct et_experiment *e, uint32_t command, const char *text, char **out,
	struct et_error *err)
{
	const struct et_design_program *p =
		&e->design->programs[et_design_program_of(e->design, command)];
	struct filling f = { e, command };

	if (!p->build && et_design_names(text, "build"))
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"{build} in '%s': the program has no build", text),
			"add a build command, or name the program's file");
	return et_design_fill(
		e->design, command, text, &(struct et_design_value){ find_value, &f }, out, err);
}

/* --- levels --- */

static int find_compiler(const char *level, struct et_error *err)
{
	char **words = NULL;
	ET_AUTO_FREE char *path = NULL;
	int rc = et_split_words(level, &words, err);

	if (rc)
		return rc;
	if (et_child_resolve(words[0], getenv("PATH"), NULL, &path, err))
		rc = et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT,
				"there is no compiler '%s' on this machine", words[0]),
			"install it, or remove the level");
	et_strv_free(words);
	return rc;
}

int et_doe_build_check(const struct et_design_factor *f, size_t level, struct et_error *err)
{
	uint64_t seed;

	if (f->kind == ET_KIND_COMPILER)
		return find_compiler(f->levels[level], err);
	if (f->kind != ET_KIND_LINK_ORDER)
		return 0;
	if (!f->objects || !f->objects[0] || !f->objects[1])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"factor '%s' needs at least two words in 'objects' to order", f->name);
	return parse_order(f->levels[level], &seed, err);
}
