/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a command in the table of this program. */
#include "base/nearest.h"
#include "cli/cli.h"

const struct et_verb *et_verb_find(const char *name)
{
	for (const struct et_verb *const *v = et_verbs; *v; v++) {
		if (!strcmp((*v)->name, name))
			return *v;
	}
	return NULL;
}

const struct et_verb *et_verb_nearest(const char *typed)
{
	struct et_nearest n = et_nearest_to(typed);

	for (const struct et_verb *const *v = et_verbs; *v; v++)
		et_nearest_offer(&n, (*v)->name);
	return n.best ? et_verb_find(n.best) : NULL;
}
