/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks that need the whole plan: names in braces, factors that nothing uses, the design. */
#include "base/alloc.h"
#include "plan/reader.h"
#include "protocol/design.h"
#include "protocol/parameters.h"

#include <string.h>

struct uses {
	const struct et_plan_reader *r;
	bool used[ET_MOST_FACTORS];
};

static int unknown_brace(const struct et_plan_reader *r, struct et_plan_place at, const char *what,
	const char *name, struct et_error *err)
{
	const char *names[ET_MOST_FACTORS + 1] = { NULL };

	for (size_t i = 0; i < r->d->n_factors; i++)
		names[i] = r->d->factors[i].name;
	int rc = et_yaml_fail(r->path, at, err, "%s: there is no factor for {%s}", what, name);
	return et_plan_hint_names(err, rc, name, names);
}

/*
 * Notes which factors a text names in braces. Those after a $ are a shell's, and {build} is the
 * folder of the program's build.
 */
static int note_braces(struct uses *u, const char *text, struct et_plan_place at, const char *what,
	struct et_error *err)
{
	const struct et_design *d = u->r->d;

	for (const char *s = text ? strchr(text, '{') : NULL; s; s = strchr(s + 1, '{')) {
		size_t len = strcspn(s + 1, "{}"), i = 0;
		ET_AUTO_FREE char *name = et_strndup(s + 1, len);
		bool folder = !strcmp(name, "build") && text != d->between && strcmp(what, "input");
		if (s[1 + len] != '}' || !et_parameter_is_name(name) || folder)
			continue;
		if (s > text && s[-1] == '$')
			continue;
		while (i < d->n_factors && strcmp(d->factors[i].name, name))
			i++;
		if (i == d->n_factors)
			return unknown_brace(u->r, at, what, name, err);
		u->used[i] = true;
	}
	return 0;
}

static int note_uses(struct uses *u, struct et_error *err)
{
	const struct et_plan_file *p = u->r->out;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n_programs; i++) {
		const struct et_design_program *g = &p->design->programs[i];
		rc = note_braces(u, g->command, p->programs[i].command, "command", err);
		if (rc == 0)
			rc = note_braces(u, g->build, p->programs[i].build, "build", err);
		if (rc == 0)
			rc = note_braces(u, g->input, p->programs[i].input, "input", err);
	}
	for (size_t i = 0; rc == 0 && i < p->n_options; i++)
		rc = note_braces(u, p->options[i].value, p->options[i].at, p->options[i].name, err);
	if (rc == 0)
		rc = note_braces(u, p->design->between, p->between_at, "between", err);
	return rc;
}

/* A parameter that no command names would be a factor that changes nothing. */
static int check_used(const struct uses *u, struct et_error *err)
{
	const struct et_design *d = u->r->d;

	for (size_t i = 0; i < d->n_factors; i++) {
		const struct et_design_factor *f = &d->factors[i];
		enum et_kind_scope scope = et_factor_kinds[f->kind].scope;
		if (u->used[i] || (scope != ET_SCOPE_TEXT && scope != ET_SCOPE_BUILD))
			continue;
		return et_hint(err,
			et_yaml_fail(u->r->path, u->r->out->factors[i].name, err,
				"no command uses the factor '%s', so it would change nothing",
				f->name),
			"write {%s} into a %scommand", f->name,
			scope == ET_SCOPE_BUILD ? "build " : "");
	}
	return 0;
}

static int make_treatments(struct et_plan_reader *r, struct et_error *err)
{
	struct et_design *d = r->d;
	struct et_plan_place at =
		r->out->design_at.line ? r->out->design_at : r->out->factors[0].name;

	for (size_t i = 0; r->generators && i < d->n_factors; i++) {
		if (d->factors[i].generator)
			at = r->generators[i];
	}
	int rc = et_design_make_treatments(d, err);
	if (rc)
		return et_plan_locate(r->out, at, rc, err);
	if (d->n_treatments > ET_PLAN_MOST_COMMANDS / d->n_programs)
		return et_hint(err,
			et_yaml_fail(r->path, at, err,
				"%zu programs under %zu treatments are more than %d commands",
				d->n_programs, d->n_treatments, ET_PLAN_MOST_COMMANDS),
			"use fewer programs, factors or levels, or a fractional design");
	return 0;
}

int et_plan_check(struct et_plan_reader *r, struct et_error *err)
{
	struct uses u = { .r = r };
	int rc = note_uses(&u, err);

	if (rc == 0)
		rc = check_used(&u, err);
	return rc ? rc : make_treatments(r, err);
}
