/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Measures a part of a campaign into the spool of this machine, and delivers it. */
#include "app/run/options.h"
#include "app/task/task.h"
#include "base/clock.h"
#include "base/parse.h"
#include "build/build.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "conduct/delivery.h"
#include "conduct/measuring.h"
#include "source/stored.h"
#include "store/central/campaign.h"
#include "store/central/spool.h"

/* --- the experiment of the part --- */

/* Builds of a campaign have other folders than where it was begun: see et_doe_build_folder. */
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
		rc = et_doe_fill(e, i, p->command, &text, err)
			     ?: et_run_make_argv(e->child.shell, text, &argv, err);
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
	const char *directory = t->job.e->child.directory;
	enum et_state state = ET_STATE_RUNNING;
	bool found = false;
	int rc = et_stored_open_spool(t->job.store, ET_STORE_WRITE, &m.store, err)
			 ?: find_earlier(t, m.store, &found, &state, err);

	bool done = found && state == ET_STATE_DONE;
	if (rc == 0 && !done && directory && chdir(directory))
		rc = et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, directory);
	if (rc || done) {
		et_store_close(m.store);
		return rc;
	}
	if (found)
		et_task_log(t, "continues %s", t->id);
	rc = begin(t, &m, found, err) ?: drive(t, &m, err);
	et_measuring_close(&m);
	return rc;
}

/* Talks to the central store about a part of a campaign; the server may be away at any time. */

/* --- trying again --- */

static void say_waiting(void *ctx, const struct et_error *why)
{
	et_task_log(ctx, "cannot deliver yet, trying again: %s", why->what);
}

static void pause_for(void *ctx, uint64_t ns)
{
	et_signals_pause(((const struct et_task *)ctx)->interrupt, ns);
}

static struct et_persistence persistence_of(struct et_task *t)
{
	return (struct et_persistence){ t->deliver_ns, &et_clock_real, t->interrupt, pause_for,
		say_waiting, t };
}

/* --- what is done there --- */

int et_task_announce(struct et_task *t, struct et_error *err)
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID");
	ET_AUTO_FREE char *job = array ? et_asprintf("%s_%u", array, t->part->number) : NULL;
	struct et_store *central = NULL;
	int rc = et_server_open(t->job.store, ET_STORE_WRITE, &central, err)
			 ?: et_campaign_begin_attempt(central, t->job.campaign, t->part->number,
				    t->attempt, t->node, job, err);

	et_store_close(central);
	/* A login that continues in a thread (-ETIME) would disturb the measurement. */
	if (rc == -ESTALE || rc == -ETIME)
		return rc;
	if (rc)
		et_task_log(
			t, "the store is not reached now, measuring nevertheless: %s", err->what);
	return 0;
}

static int report(void *ctx, struct et_error *err)
{
	const struct et_task *t = ctx;
	struct et_store *central = NULL;
	int rc = et_server_open(t->job.store, ET_STORE_WRITE, &central, err)
			 ?: et_campaign_fail_attempt(central, t->job.campaign, t->part->number,
				    t->attempt, t->failure, t->failure_final, err);

	et_store_close(central);
	return rc;
}

int et_task_report_failure(struct et_task *t, int rc, struct et_error *err)
{
	const struct et_persistence p = persistence_of(t);
	struct et_error ignored = { 0 };

	if (!t->failure[0])
		snprintf(t->failure, sizeof(t->failure), "%s", err->what);
	/* A full disk or a lost node may be better elsewhere or later; a program is the same. */
	t->failure_final = err->exit != ET_EXIT_OUTSIDE;
	if (et_persist(&p, report, t, &ignored) && ignored.what[0])
		et_task_log(t, "the store does not know of this failure: %s", ignored.what);
	return rc;
}

/* How the delivery of the part ended. */
struct outcome {
	int rc;
	struct et_error err;
};

static void note(void *ctx, const struct et_outbox_entry *entry, int rc, enum et_delivered how,
	const struct et_error *err)
{
	struct outcome *out = ctx;

	(void)entry;
	*out = (struct outcome){ rc, *err };
	if (rc == 0 && how == ET_DELIVERED_STALE)
		out->rc =
			et_fail(&out->err, ESTALE, ET_EXIT_OUTSIDE, "another attempt did the part");
}

static int deliver(struct et_task *t, struct et_error *err)
{
	ET_AUTO_FREE char *destination = et_spool_destination(t->job.store);
	const struct et_persistence p = persistence_of(t);
	struct outcome out = { 0 };
	struct et_delivery d = { destination, .url = t->job.store, .experiment = t->id,
		.persistence = &p, .done = note, .ctx = &out };
	struct et_store *spool = NULL;
	int rc = et_stored_open_spool(t->job.store, ET_STORE_WRITE, &spool, err)
			 ?: et_delivery_run(spool, &d, err);

	et_store_close(spool);
	if (rc == 0 && !(d.delivered + d.failed + d.busy))
		return et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"the outbox of the spool does not have experiment %s", t->id);
	if (rc || !out.rc)
		return rc;
	*err = out.err;
	return out.rc;
}

int et_task_deliver(struct et_task *t, struct et_error *err)
{
	int rc = deliver(t, err);

	if (rc == 0)
		et_task_log(t, "delivered %s", t->id);
	if (rc && t->interrupt->signal && rc != -ESTALE)
		return -EINTR;
	if (rc && rc != -ESTALE)
		return et_hint(err, rc,
			"the result %s is in the spool of %s: run 'etalon sync' there, or try the "
			"part again",
			t->id, t->node);
	return rc;
}
