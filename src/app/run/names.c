/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The names of the commands of `run`, and which of them is the reference. */
#include "app/run/options.h"
#include "base/alloc.h"
#include "base/parse.h"

#include <errno.h>
#include <string.h>

/* How many of the first n commands have the name. */
static size_t count(const struct et_experiment *e, size_t n, const char *name)
{
	size_t same = 0;

	for (size_t k = 0; k < n; k++)
		same += !strcmp(e->commands[k].name, name);
	return same;
}

/* Numbers commands of equal names, so that results name each one. */
static void number_equal_names(struct et_experiment *e)
{
	/* From the end, so that the names compared with are still as given. */
	for (size_t i = e->n_commands; i-- > 1;) {
		size_t same = count(e, i, e->commands[i].name);
		char *name = NULL;
		if (!same)
			continue;
		do {
			free(name);
			name = et_asprintf("%s (%zu)", e->commands[i].name, ++same);
		} while (count(e, e->n_commands, name));
		free(e->commands[i].name);
		e->commands[i].name = name;
	}
}

static int find_reference(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	uint64_t number;

	if (!o->reference)
		return 0;
	for (uint32_t i = 0; i < e->n_commands; i++) {
		if (!strcmp(e->commands[i].name, o->reference)) {
			e->plan.reference = i;
			return 0;
		}
	}
	if (et_parse_u64("--reference", o->reference, 1, e->n_commands, &number, NULL) == 0) {
		e->plan.reference = (uint32_t)number - 1;
		return 0;
	}
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "--reference: there is no command '%s'",
			o->reference),
		"use a number from 1 to %zu, or the name of a command", e->n_commands);
}

static int name_reference(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	struct et_command *c = &e->commands[e->plan.reference];

	if (!o->reference_name)
		return 0;
	if (!o->reference_name[0])
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--reference-name: the name is empty");
	free(c->name);
	c->name = et_strdup(o->reference_name);
	number_equal_names(e);
	return 0;
}

int et_run_options_name(
	const struct et_run_options *o, struct et_experiment *e, struct et_error *err)
{
	number_equal_names(e);
	int rc = find_reference(o, e, err);
	return rc ? rc : name_reference(o, e, err);
}

void et_run_options_add_reference(struct et_run_options *o, struct et_operands *ops)
{
	struct et_each *names = &o->names;

	if (!o->reference)
		return;
	ops->before = et_realloc(ops->before, ops->n_before + 2, sizeof(*ops->before));
	memmove(ops->before + 1, ops->before, (ops->n_before + 1) * sizeof(*ops->before));
	ops->before[0] = (char *)o->reference;
	ops->n_before++;
	/* Names are for the other commands. */
	if (names->n && names->n < ET_MOST_VALUES) {
		memmove(names->text + 1, names->text, names->n * sizeof(*names->text));
		names->text[0] = o->reference;
		names->n++;
	}
	o->reference = NULL;
	o->reference_first = true;
}
