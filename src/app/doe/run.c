/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon doe run PLAN`: begins the experiment of a plan, or continues it. */
#include "app/doe/run.h"
#include "app/doe/function.h"
#include "app/doe/parts.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "build/build.h"
#include "campaign/campaign.h"
#include "cli/ask.h"
#include "cli/signals.h"
#include "host/host.h"
#include "model/design/change.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int et_doe_changed(const char *path, const char *id, const char *changes, struct et_error *err)
{
	int rc = et_fail(
		err, EINVAL, ET_EXIT_USAGE, "%s differs from the plan of experiment %s:", path, id);

	et_quote(err, rc, changes);
	return et_hint(err, rc,
		"undo the change to continue; 'etalon doe run --new %s' begins anew", path);
}

/*
 * Finds the newest experiment of this plan that was measured on this machine, because nothing else
 * is continued: of the same plan, or else the newest of its name, with the difference. *out stays
 * NULL if there is none.
 */
static int find_earlier(struct et_doe_running *r, struct et_store *store,
	struct et_experiment **out, char **changes, struct et_error *err)
{
	struct et_doe_ids ids = { .measured = true };
	struct et_experiment *newest = NULL, *same = NULL;
	char machine[ET_MACHINE_SIZE];
	int rc = et_doe_find(store, r->e->label, &ids, err);

	et_host_identity("", machine, sizeof(machine));
	for (size_t i = 0; rc == 0 && !same && i < ids.n; i++) {
		struct et_experiment *e;
		rc = et_store_load_head(store, ids.list[i], &e, err);
		if (rc)
			break;
		bool own = et_machine_same(e->machine, machine);
		char *differs = own ? et_plan_changes(e, r->e, r->plan.has_seed) : NULL;
		if (own && !differs) {
			same = e;
		} else if (differs && !newest) {
			newest = e;
			*changes = differs;
			continue;
		} else {
			et_experiment_free(e);
		}
		free(differs);
	}
	free(ids.list);
	if (same || rc) {
		et_experiment_free(newest);
		free(*changes);
		*changes = NULL;
	}
	if (rc)
		et_experiment_free(same);
	else
		*out = same ? same : newest;
	return rc;
}

/* The record of an experiment that is done is written with its samples. */
static int complete(const struct et_doe_running *r, struct et_store *store,
	struct et_experiment **e, struct et_error *err)
{
	struct et_doe_loaded l = { .list = e, .n = 1 };

	if (!r->outputs.n || (*e)->state != ET_STATE_DONE)
		return 0;
	return et_doe_loaded_complete(store, &l, 0, err);
}

/* Decides whether to begin or to continue; r->earlier is set to continue or if it is done. */
static int decide(struct et_doe_running *r, struct et_error *err)
{
	ET_AUTO_FREE char *changes = NULL;
	struct et_experiment *found = NULL;
	struct et_store *store;
	int rc = et_stored_open(r->cli, ET_STORE_READ, &store, err);

	if (rc == -ENOENT) { /* a first experiment, not a failure that could be printed later */
		*err = (struct et_error){ 0 };
		return 0;
	}
	if (rc)
		return rc;
	if (!r->request->fresh)
		rc = find_earlier(r, store, &found, &changes, err);
	if (rc == 0 && found && !changes)
		rc = complete(r, store, &found, err);
	et_store_close(store);
	if (rc == 0 && changes)
		rc = et_doe_changed(r->path, found->id, changes, err);
	if (rc)
		et_experiment_free(found);
	else
		r->earlier = found;
	return rc;
}

/* Asks before a large experiment begins. */
static int ask(const struct et_doe_running *r, struct et_error *err)
{
	const struct et_design *d = r->e->design;
	int rc = et_plan_check_size(d, r->request->yes, err);

	if (rc == 0 || !et_can_ask())
		return rc;
	if (et_ask(err->what, "run it?"))
		return 0;
	return et_fail(err, ECANCELED, ET_EXIT_USAGE, "nothing was run");
}

static int prepare(struct et_doe_running *r, struct et_error *err)
{
	int rc = et_doe_read_plan(r->path, &r->plan, err);

	if (rc == 0)
		rc = et_doe_set_measuring(&r->plan, &r->m, err);
	if (rc == 0)
		rc = et_doe_make(r->cli, &r->plan, false, &r->e, err);
	if (rc == 0)
		rc = et_doe_check_levels(&r->plan, r->e, err);
	if (rc == 0 && r->request->json_file)
		rc = et_outputs_add(
			&r->outputs, et_format_find("json"), r->request->json_file, err);
	if (rc == 0)
		rc = et_outputs_open(&r->outputs, err);
	r->m.text = r->outputs.stdout_taken ? stderr : stdout;
	return rc ? rc : decide(r, err);
}

/* A plan with the hook `reboot` has a session per treatment. */
static int before_command(void *ctx, uint32_t command, struct et_error *err)
{
	struct et_measuring *m = ctx;
	struct et_doe_running *r = m->owner;

	return et_doe_reboot_before(&r->reboot, command, err);
}

static int begin(struct et_doe_running *r, struct et_error *err)
{
	struct et_experiment *e = r->e;
	int rc = et_doe_reboot_check(r->earlier, err);

	if (rc == 0 && !r->earlier)
		rc = ask(r, err);
	/* A new experiment measures the sources as they are now, not what was built earlier. */
	if (rc == 0)
		rc = et_doe_build(r->cli, e, r->earlier != NULL, err);
	if (rc)
		return rc;
	if (et_doe_function(e))
		r->m.noted = et_doe_run_noted;
	if (e->design->reboot) {
		r->reboot = (struct et_doe_reboot){ .m = &r->m, .plan = r->path };
		r->m.hooks.before_command = before_command;
	}
	if (r->earlier) {
		if (!e->child.directory)
			e->child.directory = get_current_dir_name();
		/* A record that runs what the plan file says is as good as the file. */
		et_trust_digest(e, r->m.planned);
		rc = et_measuring_resume(&r->m, r->earlier->id, err);
		if (rc == 0)
			et_doe_run_announce(r);
		return rc;
	}
	r->e = NULL; /* the session owns it */
	return et_measuring_begin(&r->m, e, err);
}

/* The command line that continues the experiment. */
static char *resumption(const struct et_doe_running *r)
{
	const char *store = r->cli->store;
	char **words =
		et_strv_of("etalon", "doe", "run", r->path, store ? "--store" : NULL, store, NULL);
	char *line = et_join_words(words);

	et_strv_free(words);
	return line;
}

int et_doe_run(struct et_call *call, struct et_error *err)
{
	struct et_cli *cli = call->cli;
	const struct et_doe_request *request = call->ctx;
	struct et_doe_running r = { .cli = cli, .request = request, .path = call->operands[0] };

	cli->engine.trust = request->trust;
	int rc = et_engine_check(&cli->engine, err);
	if (rc || cli->engine.given)
		return rc ? rc : et_doe_campaign(call, err);
	cli->measures = true;
	r.m = (struct et_measuring){ .cli = cli,
		.interrupt = et_signals_install(),
		.hooks.failed = et_doe_run_failed,
		.owner = &r };
	ET_AUTO_FREE char *line = resumption(&r);
	r.m.resumption = line;
	rc = prepare(&r, err);
	if (rc == 0 && r.earlier && r.earlier->state == ET_STATE_DONE) {
		call->status = et_doe_run_done(&r);
	} else if (rc == 0) {
		rc = begin(&r, err);
		if (rc == 0)
			rc = et_measuring_drive(&r.m, err);
		if (r.m.session)
			call->status = et_doe_run_conclude(&r, &rc, err);
		if (r.reboot.refused)
			rc = -EAGAIN; /* err says why */
	}
	/* The machine restarts when all is stored and restored. */
	struct et_experiment *done = r.reboot.due ? et_session_take_experiment(r.m.session) : NULL;
	et_measuring_close(&r.m);
	if (done && rc == 0)
		rc = et_doe_reboot_now(&r.reboot, done, r.m.text, err);
	et_experiment_free(done);
	et_outputs_close(&r.outputs);
	et_experiment_free(r.earlier);
	et_experiment_free(r.e);
	et_plan_file_free(&r.plan);
	return rc;
}
