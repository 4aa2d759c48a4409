/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Talks to the central store about a part of a campaign; the server may be away at any time. */
#include "app/task/task.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "cli/server.h"
#include "cli/signals.h"
#include "conduct/delivery.h"
#include "store/central/campaign.h"
#include "store/central/spool.h"

#include <errno.h>

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
	int rc = et_server_open(t->job.store, ET_STORE_WRITE, &central, err);

	if (rc == 0)
		rc = et_campaign_begin_attempt(
			central, t->job.campaign, t->part->number, t->attempt, t->node, job, err);
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
	int rc = et_server_open(t->job.store, ET_STORE_WRITE, &central, err);

	if (rc == 0)
		rc = et_campaign_fail_attempt(central, t->job.campaign, t->part->number, t->attempt,
			t->failure, t->failure_final, err);
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
	int rc = et_task_open_spool(t, &spool, err);

	if (rc == 0)
		rc = et_delivery_run(spool, &d, err);
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
