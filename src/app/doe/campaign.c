/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe run PLAN --engine …`: the experiment of a plan on many machines. */
#include "campaign/campaign.h"
#include "app/compare/machines.h"
#include "app/doe/doe.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "cli/ask.h"
#include "cli/signals.h"
#include "model/design/change.h"
#include "source/operand.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct running {
	struct et_campaigning r;
	const struct et_doe_request *request;
	const char *path; /* of the plan, or NULL */
	struct et_plan_file plan;
	struct et_experiment *e; /* made of the plan */
	struct et_measuring m;   /* for the options that the plan sets */
	bool again;              /* it is continued */
};

/* --- the plan --- */

static int read_plan(struct running *r, struct et_error *err)
{
	int rc = et_doe_read(r->r.cli, r->path, &r->plan, &r->m, &r->e, err);

	if (rc)
		return rc;
	if (r->e->design->reboot)
		return et_refuse(err, "omit the hook, or --engine",
			"hooks: 'reboot' restarts this machine, and --engine uses others");
	if (!r->e->child.directory)
		r->e->child.directory = get_current_dir_name();
	return 0;
}

/* --- beginning and continuing --- */

/*
 * Whether the store has a campaign of this plan: *found. A plan that changed since then is refused,
 * as `doe run` on one machine does.
 */
static int find_earlier(struct running *r, char id[40], bool *found, struct et_error *err)
{
	struct et_campaign *c = NULL;
	struct et_experiment *before = NULL;
	int rc = et_campaigning_find(&r->r, r->e->label, id, err);

	*found = rc == 0;
	if (rc) {
		if (rc == -ENOENT)
			*err = (struct et_error){ 0 };
		return rc == -ENOENT ? 0 : rc;
	}
	rc = et_campaign_load(r->r.store, id, &c, err);
	if (rc == 0)
		rc = et_campaign_read_record(c->record, &before, err);
	if (rc == 0) {
		ET_AUTO_FREE char *changes = et_plan_changes(before, r->e, r->plan.has_seed);
		if (changes)
			rc = et_doe_changed(r->path, id, changes, err);
	}
	et_experiment_free(before);
	et_campaign_free(c);
	return rc;
}

static int begin(struct running *r, struct et_error *err)
{
	struct et_campaign_plan plan = { .kind = ET_CAMPAIGN_DOE, .no_ledger = r->m.no_ledger };
	char id[40];
	int rc = read_plan(r, err);

	if (rc == 0)
		rc = et_campaigning_open(&r->r, err);
	if (rc == 0 && !r->request->fresh)
		rc = find_earlier(r, id, &r->again, err);
	if (rc)
		return rc;
	plan.label = r->e->label;
	plan.e = r->e;
	plan.env = r->m.env;
	plan.per_machine = r->e->design->blocks == ET_BLOCKS_MACHINE;
	if (r->again)
		rc = et_campaigning_attach(&r->r, id, true, err);
	else
		rc = et_doe_ask(r->e->design, r->request->yes, err);
	if (rc == 0 && !r->again)
		rc = et_campaigning_open_engine(&r->r, &plan, err);
	if (rc == 0 && !r->again)
		rc = et_campaigning_begin(&r->r, &plan, err);
	return rc;
}

/* --- returning --- */

/* A campaign by the name of its plan, by its id, or the last. */
static int attach(struct running *r, const char *operand, struct et_error *err)
{
	ET_AUTO_FREE char *name = NULL;
	int rc = et_campaigning_open(&r->r, err);

	if (rc == 0 && operand && et_operand_is_file(operand)) {
		rc = et_doe_read_plan(operand, &r->plan, err);
		if (rc == 0)
			name = et_strdup(r->plan.design->name);
	}
	r->again = true;
	if (rc == 0)
		rc = et_campaigning_return(&r->r,
			name      ? name
			: operand ? operand
				  : "last",
			ET_CAMPAIGN_DOE, err);
	return rc;
}

/* --- the end --- */

static int print_findings(struct running *r)
{
	struct et_doe_loaded l = { 0 };
	struct et_error ignored;
	int rc = et_doe_load(r->r.cli, r->r.c->id, &l, &ignored);

	if (rc == 0)
		rc = et_doe_print_findings(r->r.cli, (const struct et_experiment *const *)l.list,
			l.n, r->r.text, &ignored);
	et_doe_loaded_free(&l);
	return rc;
}

static int conclude(void *ctx)
{
	struct running *r = ctx;
	int status = et_campaigning_conclude(&r->r);
	struct et_campaign_counts n = et_campaign_count(r->r.c);

	if (n.done != r->r.c->n_parts)
		return status;
	if (print_findings(r))
		fprintf(r->r.text, "all %zu parts are done\n", n.done);
	if (r->r.cli->verbosity >= 0) {
		if (r->r.c->parts[0].node) /* every machine ran everything */
			et_compare_campaign(r->r.cli, r->r.store, r->r.c->id, r->r.text);
		fprintf(r->r.text, "kept as %s: etalon doe analyse %s\n", r->r.c->id, r->r.c->id);
	}
	return status;
}

int et_doe_campaign(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *request = call->ctx;
	struct running r = {
		.request = request, .path = call->n ? call->operands[0] : NULL, .m.cli = cli
	};

	r.r = (struct et_campaigning){
		.cli = cli, .verb = "doe run", .text = stdout, .interrupt = et_signals_install()
	};
	int rc = cli->engine.engine ? begin(&r, err) : attach(&r, r.path, err);
	if (rc == 0)
		rc = et_campaigning_follow(&r.r, r.again, conclude, &r, &call->status, err);
	et_campaigning_close(&r.r);
	et_experiment_free(r.e);
	et_plan_file_free(&r.plan);
	return rc;
}
