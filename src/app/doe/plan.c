/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe plan`: what `doe run` would do, how long it takes, and what it can find. */
#include "app/doe/doe.h"
#include "app/doe/function.h"
#include "app/doe/view_plan.h"
#include "base/alloc.h"
#include "model/design/terms.h"
#include "protocol/schedule.h"

#include <errno.h>

/* More runs than this are listed only with -v. */
enum { MOST_LISTED = 10000, MOST_LISTED_VERBOSE = 10000000 };

static uint64_t count_runs(const struct et_experiment *e)
{
	return (uint64_t)e->n_commands * (e->plan.warmup + e->plan.runs);
}

static int choose_terms(const struct et_doe_request *r, const struct et_design *d, uint32_t **terms,
	size_t *n, struct et_error *err)
{
	if (r->terms)
		return et_design_terms_parse(d, r->terms, terms, n, err);
	*terms = et_design_terms(d, n);
	return 0;
}

static int print(const struct et_doe_outlook *o, const struct et_cli *cli, bool json)
{
	struct et_text_options text = et_cli_text(cli);
	struct et_page page = { .out = stdout,
		.width = text.width,
		.color = text.color,
		.full_names = text.full_names };

	if (json)
		et_doe_plan_json(o, stdout);
	else if (text.quiet)
		et_doe_plan_answer(o, &page);
	else
		et_doe_plan_text(o, &page, text.verbose);
	return et_cli_end(ET_EXIT_DONE);
}

/* Lists the runs and prints; the pilots are made already. */
static int show(struct et_cli *cli, const struct et_doe_request *r, struct et_doe_outlook *o)
{
	uint64_t most = cli->verbosity > 0 ? MOST_LISTED_VERBOSE : MOST_LISTED;
	size_t n = (size_t)(o->all_runs < most ? o->all_runs : most);
	ET_AUTO_FREE struct et_planned_run *runs = et_calloc(n, sizeof(*runs));

	o->n_runs = et_schedule_list(&o->e->plan, o->e->n_commands, n, runs);
	o->runs = runs;
	return print(o, cli, r->json);
}

/* A plan that cannot run is an error before a night is spent on it. */
static int refuse(const struct et_experiment *e, const char *failed, struct et_error *err)
{
	const struct et_design *d = e->design;
	const struct et_command *c = &e->commands[0];
	bool hooks = d->setup || d->between || c->setup || c->prepare;

	return et_hint(err, et_fail(err, ECHILD, ET_EXIT_PROGRAM, "%s", failed), "%s",
		hooks ? "correct its command; if it needs the hooks, which pilot runs omit, use "
			"--no-pilot"
		      : "correct its command; --no-pilot shows the plan without running "
			"anything");
}

static int look(struct et_cli *cli, const struct et_doe_request *r, const struct et_plan_file *plan,
	const struct et_experiment *e, int *status, struct et_error *err)
{
	ET_AUTO_FREE uint32_t *terms = NULL;
	ET_AUTO_FREE struct et_doe_pilot *pilots = NULL;
	ET_AUTO_FREE char *why = NULL, *failed = NULL;
	struct et_doe_outlook o = { .e = e,
		.all_runs = count_runs(e),
		.alpha = r->alpha,
		.large = et_plan_runs(e->design) > ET_PLAN_FREE_RUNS };
	int rc = choose_terms(r, e->design, &terms, &o.n_terms, err);

	if (rc == 0 && r->no_pilot)
		why = et_strdup("No pilot runs were made: the duration is not known.");
	else if (rc == 0)
		rc = et_doe_make_pilots(cli, e, &pilots, &why, &failed, err);
	if (rc)
		return rc;
	o.terms = terms;
	o.pilots = pilots;
	o.no_pilot = why;
	if (!failed || cli->verbosity >= 0 || r->json)
		*status = show(cli, r, &o);
	if (pilots)
		et_doe_warn_function(plan, e, "no pilot run");
	return failed ? refuse(e, failed, err) : 0;
}

int et_doe_plan(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *r = call->ctx;
	struct et_plan_file plan = { 0 };
	struct et_experiment *e = NULL;
	int rc = et_doe_read_plan(call->operands[0], &plan, err);

	if (rc)
		return rc;
	rc = et_doe_make(cli, &plan, false, &e, err);
	if (rc == 0)
		rc = et_doe_check_levels(&plan, e, err);
	if (rc == 0)
		rc = look(cli, r, &plan, e, &call->status, err);
	et_experiment_free(e);
	et_plan_file_free(&plan);
	return rc;
}
