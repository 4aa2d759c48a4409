/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Everything that an experiment of a plan executes, but for the hooks of the plan itself. */
#include "app/doe/view_plan_parts.h"
#include "base/alloc.h"

#include <string.h>

struct executed {
	struct et_doe_executed *list;
	size_t n, room;
};

static void add(struct executed *x, const char *what, const char *text)
{
	if (!text)
		return;
	ET_GROW(x->list, x->n, x->room);
	x->list[x->n++] = (struct et_doe_executed){ what, text };
}

static const char *hook_of(const struct et_command *c, size_t i)
{
	const char *const hooks[] = { c->setup, c->prepare, c->conclude, c->cleanup };

	return hooks[i];
}

static int by_text(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The different texts of one kind of hook; levels may be part of them. */
static void add_hooks(
	struct executed *x, const struct et_experiment *e, const char *name, size_t which)
{
	ET_AUTO_FREE const char **texts = et_calloc(e->n_commands + 1, sizeof(*texts));
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++) {
		texts[n] = hook_of(&e->commands[i], which);
		n += texts[n] != NULL;
	}
	qsort(texts, n, sizeof(*texts), by_text);
	for (size_t i = 0; i < n; i++) {
		if (!i || strcmp(texts[i], texts[i - 1]))
			add(x, name, texts[i]);
	}
}

struct et_doe_executed *et_doe_executed(const struct et_experiment *e, size_t *n)
{
	static const char *const names[] = { "--setup", "--prepare", "--conclude", "--cleanup" };
	const struct et_design *d = e->design;
	struct executed x = { 0 };

	for (size_t i = 0; i < d->n_programs; i++) {
		add(&x, d->programs[i].name, d->programs[i].command);
		add(&x, "build", d->programs[i].build);
	}
	add(&x, "shell", e->child.shell);
	for (size_t i = 0; i < ET_LENGTH(names); i++)
		add_hooks(&x, e, names[i], i);
	*n = x.n;
	return x.list;
}

bool et_doe_has_hooks(const struct et_experiment *e)
{
	for (size_t i = 0; i < e->n_commands; i++) {
		for (size_t k = 0; k < 4; k++) {
			if (hook_of(&e->commands[i], k))
				return true;
		}
	}
	return false;
}
