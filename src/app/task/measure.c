/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a part of a campaign into the spool of this machine. */
#include "app/run/options.h"
#include "app/task/task.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "build/build.h"
#include "conduct/measuring.h"
#include "source/stored.h"
#include "store/central/campaign.h"
#include "store/central/spool.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

int et_task_open_spool(const struct et_task *t, struct et_store **out, struct et_error *err)
{
	return et_stored_open_spool(t->job.store, ET_STORE_WRITE, out, err);
}

/* --- the experiment of the part --- */

/*
 * Builds of a campaign are in folders of the campaign and the node, which may share a home with
 * others: et_doe_build_folder reads the member. So the commands name other files than where the
 * campaign was begun.
 */
static int name_builds(struct et_experiment *e, struct et_error *err)
{
	const struct et_design *d = e->design;
	int rc = 0;

	for (uint32_t i = 0; d && rc == 0 && i < e->n_commands; i++) {
		const struct et_design_program *p = &d->programs[et_design_program_of(d, i)];
		struct et_command *c = &e->commands[i];
		char *text = NULL, **argv = NULL;

		if (!p->build)
			continue;
		rc = et_doe_fill(e, i, p->command, &text, err);
		if (rc == 0)
			rc = et_run_make_argv(e->child.shell, text, &argv, err);
		if (rc) {
			free(text);
			break;
		}
		free(c->text);
		et_strv_free(c->argv);
		c->text = text;
		c->argv = argv;
		rc = et_doe_build_use(e, i, c->argv, err);
	}
	return rc;
}

/* Takes the experiment of the job and makes it that of the part. */
static int make_part(struct et_task *t, struct et_experiment **out, struct et_error *err)
{
	struct et_experiment *e = t->job.e;

	t->job.e = NULL;
	e->member = (struct et_member){ .part = t->part->number, .attempt = t->attempt };
	memcpy(e->member.campaign, t->job.campaign, sizeof(e->member.campaign));
	memcpy(e->member.node, t->node, sizeof(e->member.node));
	if (t->job.kind == ET_CAMPAIGN_DOE) {
		e->plan.first_round = t->part->first_round;
		e->plan.runs = t->part->rounds;
	}
	if (t->job.options.choose_metronome)
		e->plan.metronome_ns = ET_METRONOME_AUTO;
	int rc = name_builds(e, err);
	if (rc)
		et_experiment_free(e);
	else
		*out = e;
	return rc;
}

/* --- measuring --- */

/* A program that fails ends the part: its treatment would be missing in the analysis. */
static void failed(void *ctx, uint32_t command, const struct et_error *why)
{
	struct et_measuring *m = ctx;
	struct et_task *t = m->owner;

	(void)command;
	if (!t->failure[0])
		snprintf(t->failure, sizeof(t->failure), "%s", why->what);
	(void)!et_cli_fail(why);
}

/* Whether the spool has the part: sets *state. An attempt that still runs is left alone. */
static int find_earlier(struct et_task *t, struct et_store *spool, bool *found,
	enum et_state *state, struct et_error *err)
{
	struct et_experiment *e;
	int rc = et_campaign_find_member(
		spool, t->job.campaign, t->part->number, t->machine, t->id, err);

	*found = rc == 0;
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	rc = et_store_claim(spool, t->id, err);
	if (rc == -EBUSY) {
		*found = false;
		*err = (struct et_error){ 0 };
		return 0;
	}
	if (rc == 0)
		rc = et_store_load_head(spool, t->id, &e, err);
	if (rc == 0) {
		*state = e->state;
		et_experiment_free(e);
		rc = et_campaign_set_attempt(spool, t->id, t->attempt, t->node, err);
	}
	et_store_release(spool);
	return rc;
}

static int begin(struct et_task *t, struct et_measuring *m, bool earlier, struct et_error *err)
{
	struct et_experiment *e = NULL;
	int rc = make_part(t, &e, err);

	/* The first part on a machine builds; the others and later attempts measure the same. */
	if (rc == 0 && e->design)
		rc = et_doe_build(t->cli, e, true, err);
	if (rc == 0 && !earlier) {
		rc = et_measuring_begin(m, e, err);
		e = NULL;
	} else if (rc == 0) {
		/* The job decides what runs, and the spool only how much of it is done. */
		et_trust_digest(e, m->planned);
		rc = et_measuring_resume(m, t->id, err);
	}
	et_experiment_free(e);
	return rc;
}

static int drive(struct et_task *t, struct et_measuring *m, struct et_error *err)
{
	const struct et_experiment *e = et_session_experiment(m->session);

	memcpy(t->id, e->id, sizeof(t->id));
	int rc = et_measuring_drive(m, err);
	if (rc == 0 && e->state != ET_STATE_DONE)
		rc = et_fail(err, ECHILD, ET_EXIT_PROGRAM, "%s",
			t->failure[0] ? t->failure : "a program failed");
	return rc;
}

int et_task_measure(struct et_task *t, struct et_error *err)
{
	struct et_measuring m = { .cli = t->cli,
		.interrupt = t->interrupt,
		.env = { t->job.options.env, t->job.options.env_only, t->job.options.env_except },
		.no_ledger = t->job.options.no_ledger,
		.hooks.failed = t->job.kind == ET_CAMPAIGN_DOE ? failed : NULL,
		.owner = t,
		.text = stderr };
	enum et_state state = ET_STATE_RUNNING;
	bool found = false;
	int rc = et_task_open_spool(t, &m.store, err);

	if (rc == 0)
		rc = find_earlier(t, m.store, &found, &state, err);
	if (rc || (found && state == ET_STATE_DONE)) {
		et_store_close(m.store);
		return rc;
	}
	if (t->job.e->child.directory && chdir(t->job.e->child.directory)) {
		et_store_close(m.store);
		return et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, t->job.e->child.directory);
	}
	if (found)
		et_task_log(t, "continues %s", t->id);
	rc = begin(t, &m, found, err);
	if (rc == 0)
		rc = drive(t, &m, err);
	et_measuring_close(&m);
	return rc;
}
