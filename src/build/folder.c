/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The cache of builds. The name of a folder is a hash of everything that decides what is built, but
 * for the sources: a new experiment builds again, and one that continues finds what it has
 * measured.
 */
#include "base/alloc.h"
#include "base/hash.h"
#include "base/parse.h"
#include "build/build.h"
#include "measure/child/child.h"
#include "measure/child/environ.h"
#include "num/rng.h"

#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <string.h>
#include <sys/stat.h>

static const struct et_design_program *program_of(const struct et_experiment *e, uint32_t command)
{
	return &e->design->programs[et_design_program_of(e->design, command)];
}

/* Root's own folder: a HOME that sudo has kept may belong to the caller. */
static char *cache(const struct et_child_spec *child)
{
	const char *given = getenv("XDG_CACHE_HOME");
	const struct passwd *user = child->user && geteuid() == 0 ? getpwnam(child->user) : NULL;

	if (user && user->pw_uid)
		return et_asprintf("%s/.cache/etalon/build", user->pw_dir);
	if (given && given[0] == '/')
		return et_asprintf("%s/etalon/build", given);
	return et_asprintf("%s/.cache/etalon/build", et_cli_home());
}

/* The program that a command runs, as the plan spells it. */
static char *first_word(const char *command)
{
	char **words = NULL;

	if (et_split_words(command, &words, NULL))
		return et_strdup("");
	char *first = et_strdup(words[0]);
	et_strv_free(words);
	return first;
}

/* The factors whose levels decide a build: the build names them, or the path of its product. */
static bool decides(const struct et_design_program *p, const char *product, const char *factor)
{
	return et_design_names(p->build, factor) || et_design_names(product, factor);
}

static size_t count_builds(const struct et_design *d, const struct et_design_program *p)
{
	ET_AUTO_FREE char *product = first_word(p->command);
	size_t n = 1;

	for (size_t i = 0; i < d->n_factors && n <= 1; i++)
		n *= decides(p, product, d->factors[i].name) ? d->factors[i].n_levels : 1;
	return n;
}

char *et_doe_build_folder(const struct et_experiment *e, uint32_t command)
{
	const struct et_design *d = e->design;
	const struct et_design_program *p = program_of(e, command);
	ET_AUTO_FREE char *here =
		e->child.directory ? et_strdup(e->child.directory) : get_current_dir_name();
	ET_AUTO_FREE char *product = first_word(p->command), *base = cache(&e->child);

	if (!p->build)
		return NULL;
	ET_AUTO_FREE char *key =
		et_asprintf("%s\n%s\n%s\n%s", here ?: "", p->name, p->build, product);
	/* Machines of a campaign may share a home, and each builds for itself. */
	if (e->member.campaign[0])
		et_append(&key, "\n", "%s\n%s", e->member.campaign, e->member.node);
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		if (!decides(p, product, f->name))
			continue;
		et_append(&key, "\n", "%s=%s", f->name, et_design_level(d, command, i));
		for (size_t k = 0; f->objects && f->objects[k]; k++)
			et_append(&key, "\n", "%s", f->objects[k]);
	}
	return et_asprintf("%s/%016" PRIx64, base, et_hash_text(key));
}

/* Builds of one file in several ways would overwrite each other. */
static int refuse(const char *name, const char *why, struct et_error *err)
{
	return et_refuse(err,
		"let the build write its files into {build}, and name {build} in the command",
		"program '%s' has several builds, and %s: all of them would run the last", name,
		why);
}

int et_doe_build_product(const struct et_experiment *e, uint32_t command, char **product,
	char **copy, struct et_error *err)
{
	const struct et_design_program *p = program_of(e, command);
	ET_AUTO_FREE char *plain = first_word(p->command), *filled = NULL;

	if (!p->build || et_design_names(p->command, "build") || count_builds(e->design, p) == 1)
		return 0;
	if (e->child.shell)
		return refuse(p->name, "a shell runs its command", err);
	int rc = et_doe_fill(e, command, plain, &filled, err);
	if (rc)
		return rc;
	if (!strchr(filled, '/'))
		return refuse(p->name, "its command runs a program of PATH", err);
	ET_AUTO_FREE char *folder = et_doe_build_folder(e, command);
	/* If levels are part of its name, the names may differ in length. */
	const char *name = strchr(plain, '{') ? "program" : strrchr(filled, '/') + 1;
	*copy = et_asprintf("%s/%s", folder, name);
	*product = et_strdup(filled);
	return 0;
}

int et_doe_build_use(
	const struct et_experiment *e, uint32_t command, char **argv, struct et_error *err)
{
	ET_AUTO_FREE char *product = NULL;
	char *copy = NULL;
	int rc = et_doe_build_product(e, command, &product, &copy, err);

	if (rc || !copy)
		return rc;
	free(argv[0]);
	argv[0] = copy;
	return 0;
}

bool et_doe_build_kept(const struct et_experiment *e, uint32_t command)
{
	ET_AUTO_FREE char *folder = et_doe_build_folder(e, command);
	ET_AUTO_FREE char *product = NULL, *copy = NULL;

	if (!folder)
		return true;
	if (et_doe_build_product(e, command, &product, &copy, NULL))
		return false;
	ET_AUTO_FREE char *mark = et_asprintf("%s/" ET_DOE_BUILT, folder);
	return access(mark, F_OK) == 0 && (!copy || access(copy, X_OK) == 0);
}

static bool only_root_writes(const char *path)
{
	struct stat st;

	if (stat(path, &st))
		return errno == ENOENT;
	return st.st_uid == 0 && (!(st.st_mode & (S_IWGRP | S_IWOTH)) || st.st_mode & S_ISVTX);
}

int et_doe_folder_check(const struct et_experiment *e, struct et_error *err)
{
	ET_AUTO_FREE char *path = cache(&e->child);

	if (geteuid() != 0 || e->child.user)
		return 0;
	for (char *slash = path + strlen(path); slash; slash = strrchr(path, '/')) {
		*slash = '\0';
		if (!only_root_writes(*path ? path : "/"))
			return et_hint(err,
				et_fail(err, EPERM, ET_EXIT_ENVIRONMENT,
					"builds would be kept below '%s', which others than root "
					"can write",
					*path ? path : "/"),
				"set XDG_CACHE_HOME to a folder that only root can write");
	}
	return 0;
}

/* Texts of plans: replaces {factor} and {build} in commands and build commands. */

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
		et_shuffle(&rng, order, n, sizeof(uint32_t));
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
