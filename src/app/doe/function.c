/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The response `profile: FUNCTION` of a plan: a misspelt one would have a time of 0 in all runs. */
#include "app/doe/function.h"
#include "base/alloc.h"
#include "base/nearest.h"
#include "cli/cli.h"

#include <errno.h>
#include <string.h>

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
	static const char prefix[] = "profile:";
	const char *response = e->design->response;

	if (!e->profile || !response || strncmp(response, prefix, sizeof(prefix) - 1) != 0)
		return NULL;
	return response + sizeof(prefix) - 1;
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
