/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon run --engine`: the same run on many machines, one part per machine. */
#include "app/compare/machines.h"
#include "app/run/run.h"
#include "campaign/campaign.h"
#include "cli/signals.h"

/* Begins a campaign whose parts are this run, one for each machine. */
static int begin(struct et_campaigning *r, struct et_run_options *o, const struct et_operands *ops,
	struct et_error *err)
{
	struct et_experiment *e = NULL;

	o->asks = false; /* the parts of a machine end at numbers of runs */
	int rc = et_run_options_finish(o, ops, &e, err);

	if (rc)
		return rc;
	struct et_campaign_plan plan = { .kind = ET_CAMPAIGN_RUN,
		.label = e->label,
		.e = e,
		.env = o->env,
		.no_ledger = o->no_ledger,
		.per_machine = true };
	if (!e->child.directory)
		e->child.directory = get_current_dir_name();
	rc = et_campaigning_open(r, err);
	if (rc == 0)
		rc = et_campaigning_open_engine(r, &plan, err);
	if (rc == 0)
		rc = et_campaigning_begin(r, &plan, err);
	et_experiment_free(e);
	return rc;
}

static int attach(struct et_campaigning *r, const struct et_operands *ops, struct et_error *err)
{
	const char *id = ops->n_before ? ops->before[0] : "last";

	if (ops->n_before > 1 || ops->after)
		return et_refuse(err, "omit them",
			"--attach and --cancel take the id of a campaign and no commands");
	int rc = et_campaigning_open(r, err);
	return rc ? rc : et_campaigning_return(r, id, ET_CAMPAIGN_RUN, err);
}

/* Names a command that works: one machine has nothing to be compared with. */
static void print_kept(const struct et_campaigning *r)
{
	size_t done = et_campaign_count(r->c).done;

	if (done > 1)
		fprintf(r->text, "kept as %s: etalon compare --by machine %s\n", r->c->id,
			r->c->id);
	for (size_t i = 0; done == 1 && i < r->c->n_parts; i++) {
		const struct et_part *p = &r->c->parts[i];
		if (p->state == ET_PART_DONE)
			fprintf(r->text, "kept as %s: etalon show %s\n", p->experiment,
				p->experiment);
	}
}

static int conclude(void *ctx)
{
	const struct et_campaigning *r = ctx;
	int status = et_campaigning_conclude(r);

	if (r->cli->verbosity >= 0 && r->store)
		et_compare_campaign(r->cli, r->store, r->c->id, r->text);
	if (r->cli->verbosity >= 0)
		print_kept(r);
	return status;
}

static int perform(struct et_campaigning *r, struct et_run_options *o,
	const struct et_operands *ops, int *status, struct et_error *err)
{
	struct et_engine_wish *w = &r->cli->engine;
	int rc = et_engine_check(w, err);

	w->trust = o->trust_record;
	if (rc == 0)
		rc = w->attach || w->cancel ? attach(r, ops, err) : begin(r, o, ops, err);
	return rc ? rc : et_campaigning_follow(r, w->attach, conclude, r, status, err);
}

int et_run_engine(struct et_cli *cli, struct et_run_options *o, const struct et_operands *ops)
{
	struct et_campaigning r = {
		.cli = cli, .verb = "run", .text = stdout, .interrupt = et_signals_install()
	};
	struct et_error err = { 0 };
	int status = ET_EXIT_DONE;
	int rc = perform(&r, o, ops, &status, &err);

	et_campaigning_close(&r);
	return rc ? et_cli_fail(&err) : status;
}
