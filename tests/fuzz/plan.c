/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Target: plan files of `doe`, up to the experiment that they make. */
#include "app/doe/doe.h"
#include "fuzz.h"
#include "protocol/design.h"

#include <string.h>

enum { MOST_COMMANDS = 64 };

static void check_place(const struct et_plan_file *p, struct et_plan_place at)
{
	FUZZ_CHECK(p->path && at.line && at.column);
}

static void check_design(const struct et_plan_file *p)
{
	const struct et_design *d = p->design;

	FUZZ_CHECK(d->n_programs && d->n_factors && d->n_treatments);
	FUZZ_CHECK(d->n_treatments <= ET_MOST_TREATMENTS && d->discard < d->replications);
	FUZZ_CHECK(p->n_factors == d->n_factors && p->n_programs == d->n_programs);
	for (size_t i = 0; i < d->n_factors; i++) {
		FUZZ_CHECK(d->factors[i].n_levels >= 2);
		check_place(p, p->factors[i].name);
		for (size_t k = 0; k < d->factors[i].n_levels; k++)
			check_place(p, p->factors[i].levels[k]);
		for (size_t t = 0; t < d->n_treatments; t++)
			FUZZ_CHECK(d->treatments[t].levels[i] < d->factors[i].n_levels);
	}
	for (size_t i = 0; i < d->n_programs; i++)
		check_place(p, p->programs[i].command);
}

/* Returns whether the options and commands of the plan were accepted, too. */
static bool make(struct et_plan_file *p)
{
	const struct et_design *d = p->design;
	size_t n = d->n_treatments * d->n_programs;
	struct et_experiment *e = NULL;
	struct et_error err;

	if (n > MOST_COMMANDS)
		return true;
	if (et_doe_make(p, NULL, &e, &err))
		return false;
	FUZZ_CHECK(!p->design && e->design == d && e->plan.runs && e->n_commands == n);
	for (size_t i = 0; i < e->n_commands; i++)
		FUZZ_CHECK(e->commands[i].argv[0] && e->commands[i].text);
	et_experiment_free(e);
	return true;
}

/* Every error names its place: "p:LINE:COLUMN: ". */
static void check_error(const char *what)
{
	size_t line = strspn(what + 2, "0123456789");
	size_t column = strspn(what + 3 + line, "0123456789");

	FUZZ_CHECK(!strncmp(what, "p:", 2) && line && what[2 + line] == ':' && column);
	FUZZ_CHECK(!strncmp(what + 3 + line + column, ": ", 2));
}

static int fuzz_plan(const uint8_t *data, size_t size)
{
	struct et_plan_file p;
	struct et_error err = { 0 };
	char none = ' ';
	ET_AUTO_FCLOSE FILE *in = fmemopen(size ? (void *)data : &none, size ? size : 1, "r");

	if (!in)
		return 0;
	if (et_plan_read(in, "p", &p, &err)) {
		check_error(err.what);
		return 0;
	}
	check_design(&p);
	bool accepted = make(&p);
	et_plan_file_free(&p);
	return accepted;
}

static const char *const plan_tokens[] = { "\n", "\n  ", "\n- ", ": ", "- ", "{", "}", "[", "]",
	", ", "{a}", "{build}", "${a}", "'", "\"", "|\n ", ">\n ", "# ", "---\n", "...\n", "&a ",
	"*a", "!!str ", "<<: ", "? ", "~", "null", "\t", "\\0", "\xef\xbb\xbf",
	"name: ", "programs: ", "command: ", "build: ", "input: ", "factors: ", "kind: ",
	"levels: ", "variable: ", "objects: ", "parameter", "environment", "environment-size",
	"environment-name", "link-order", "threads", "aslr", "nice", "design: ", "full",
	"fractional: ", "generators: ", "d = a b c", "blocks: ", "machine",
	"replications: ", "discard: ", "order: ", "yates",
	"seed: ", "response: ", "profile: ", "run: ", "hooks: ", "shell: sh",
	"warmup: ", "cpu: ", "prepare: ", NULL };

FUZZ_TARGET(plan) = { "plan", fuzz_plan, 5000, .tokens = plan_tokens,
	.input = "plan files of 'doe', up to the experiment",
	.holds = "an error names its line and column; every treatment has a level of every factor, "
		 "and every command a program" };
