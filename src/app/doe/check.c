/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks on this machine that `doe plan` and `doe run` make before anything runs. */
#include "app/doe/doe.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "build/build.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "host/levels.h"
#include "measure/child/child.h"
#include "measure/child/run_setup.h"
#include "measure/treat/treatment.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

extern char **environ;

static int check_level(const struct et_machine *m, const struct et_design_factor *f, size_t level,
	struct et_error *err)
{
	switch (et_factor_kinds[f->kind].scope) {
	case ET_SCOPE_TEXT:
		return 0;
	case ET_SCOPE_BUILD:
		return et_doe_build_check(f, level, err);
	case ET_SCOPE_MACHINE:
		return et_levels_check(m, f, level, err);
	default:
		return et_treatment_check(m->root, f, level, err);
	}
}

bool et_doe_can_set(const struct et_machine *m, enum et_kind kind, const char *const *levels)
{
	char name[] = "factor";
	struct et_design_factor f = { .name = name, .kind = kind, .levels = (char **)levels };

	while (levels[f.n_levels]) {
		if (check_level(m, &f, f.n_levels++, NULL))
			return false;
	}
	return true;
}

/* The folder that a command runs in: a level of kind directory, or that of the options. */
static const char *directory_of(const struct et_experiment *e, uint32_t command, size_t *factor)
{
	const struct et_design *d = e->design;

	for (*factor = 0; *factor < d->n_factors; ++*factor) {
		if (d->factors[*factor].kind == ET_KIND_DIRECTORY)
			return et_design_level(d, command, *factor);
	}
	return e->child.directory;
}

static bool sets_path(const struct et_design *d)
{
	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		if (f->kind == ET_KIND_ENVIRONMENT && !strcmp(f->variable ?: f->name, "PATH"))
			return true;
	}
	return false;
}

/* A program may be missing now if a build or the hook `setup` makes it. */
static int check_program(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	const struct et_design *d = e->design;
	ET_AUTO_FREE char *path = NULL;
	size_t factor;

	if (d->programs[et_design_program_of(d, command)].build || d->setup || e->child.user ||
		sets_path(d))
		return 0;
	const char *directory = directory_of(e, command, &factor);
	int rc = et_child_resolve(
		e->commands[command].argv[0], getenv("PATH"), directory, &path, err);
	if (rc == 0 || factor == d->n_factors || e->commands[command].argv[0][0] == '/')
		return rc;
	return et_hint(err, rc,
		"factor %s runs it in '%s': begin the path of the program with /, or put the "
		"program there",
		d->factors[factor].name, directory);
}

static int check_input(const struct et_experiment *e, uint32_t command, struct et_error *err)
{
	const struct et_design *d = e->design;
	const char *text = d->programs[et_design_program_of(d, command)].input;
	ET_AUTO_FREE char *path = NULL;

	if (!text || d->setup)
		return 0;
	int rc = et_design_fill(d, command, text, NULL, &path, err);
	if (rc == 0 && access(path, R_OK))
		rc = et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return rc;
}

/* Whether the files are there, with the place in the plan of the first that is not. */
static int check_files(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	for (uint32_t i = 0; i < e->n_commands; i++) {
		uint32_t program = et_design_program_of(e->design, i);
		int rc = check_program(e, i, err);
		if (rc)
			return et_plan_locate(plan, plan->programs[program].command, rc, err);
		rc = check_input(e, i, err);
		if (rc)
			return et_plan_locate(plan, plan->programs[program].input, rc, err);
	}
	return 0;
}

/* The place of the option that an error begins with, "--cpu: ...". */
static int locate_option(const struct et_plan_file *plan, int rc, struct et_error *err)
{
	for (size_t i = 0; i < plan->n_options; i++) {
		const struct et_plan_option *p = &plan->options[i];
		size_t n = strlen(p->name);
		if (!strncmp(err->what, "--", 2) && !strncmp(err->what + 2, p->name, n) &&
			strchr(": ", err->what[2 + n]))
			return et_plan_locate(plan, p->at, rc, err);
	}
	return rc;
}

/* Options of `run` that this machine cannot follow. Rights are not a matter of the plan. */
static int check_options(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	int rc = et_run_setup_check(e, environ, false, err);

	if (rc == -EPERM)
		*err = (struct et_error){ 0 };
	return rc == -EPERM || !rc ? 0 : locate_option(plan, rc, err);
}

int et_doe_check_levels(
	const struct et_plan_file *plan, const struct et_experiment *e, struct et_error *err)
{
	const struct et_design *d = e->design;
	struct et_machine machine;
	size_t later = 0;
	int rc = check_options(plan, e, err);

	if (rc)
		return rc;
	rc = et_treatments_check(e, &later, err);
	if (rc)
		return et_plan_locate(plan, plan->factors[later].name, rc, err);
	et_cli_machine(&machine);
	for (size_t i = 0; rc == 0 && i < d->n_factors; i++) {
		for (size_t k = 0; rc == 0 && k < d->factors[i].n_levels; k++) {
			rc = check_level(&machine, &d->factors[i], k, err);
			if (rc)
				rc = et_plan_locate(plan, plan->factors[i].levels[k], rc, err);
		}
	}
	et_machine_free(&machine);
	return rc ? rc : check_files(plan, e, err);
}

/* The response `profile: FUNCTION` of a plan: a misspelt one would have a time of 0 in all runs. */

enum { MOST_NAMED = 10 };

/* Whether a function of that name, of another program or build, has a smaller number. */
static bool is_earlier(const struct et_profile *p, size_t function)
{
	size_t i = 0;

	while (i < function && strcmp(p->functions[i].name, p->functions[function].name))
		i++;
	return i < function;
}

/* Returns the names of functions of programs, the first of them; NULL: none. */
static char *list_seen(const struct et_profile *p)
{
	char *seen = NULL;
	size_t n = 0;

	for (size_t i = 0; i < p->n_functions && n < MOST_NAMED; i++) {
		if (p->functions[i].space == ET_SPACE_USER && !p->functions[i].unnamed &&
			!is_earlier(p, i) && ++n)
			et_append(&seen, ", ", "%s", p->functions[i].name);
	}
	return seen;
}

const char *et_doe_function(const struct et_experiment *e)
{
	return e->profile ? et_design_function(e->design) : NULL;
}

int et_doe_check_function(const struct et_plan_file *plan, const struct et_experiment *e,
	const char *none, struct et_error *err)
{
	const char *wish = et_doe_function(e);
	const struct et_profile *p = e->profile;
	struct et_nearest n;

	if (!wish)
		return 0;
	n = et_nearest_to(wish);
	for (size_t i = 0; i < p->n_functions; i++) {
		if (!strcmp(p->functions[i].name, wish))
			return 0;
		et_nearest_offer(&n, p->functions[i].name);
	}
	ET_AUTO_FREE char *seen = list_seen(p);
	int rc = et_fail(
		err, ENOENT, ET_EXIT_USAGE, "response: %s was seen in a function '%s'", none, wish);
	rc = et_plan_locate(plan, plan->response_at, rc, err);
	if (n.best)
		return et_hint(err, rc,
			"did you mean '%s'? then correct the plan, and begin anew with 'doe run "
			"--new'; functions that were seen: %s",
			n.best, seen ? seen : n.best);
	return et_hint(
		err, rc, seen ? "functions that were seen: %s" : "make the runs longer", seen);
}

void et_doe_warn_function(
	const struct et_plan_file *plan, const struct et_experiment *e, const char *none)
{
	struct et_error err = { 0 };

	if (et_doe_check_function(plan, e, none, &err) == 0)
		return;
	ET_AUTO_FREE char *what = et_asprintf("warning: %s", err.what);
	snprintf(err.what, sizeof(err.what), "%s", what);
	(void)!et_cli_fail(&err);
}
