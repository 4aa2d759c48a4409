/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Talks to the central store about a part of a campaign; the server may be away at any time. */
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/server.h"
#include "cmd/task.h"
#include "report/units.h"
#include "store/campaign.h"
#include "store/spool.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

/* --- trying again --- */

static const uint64_t FIRST_PAUSE_NS = 500000000, LONGEST_PAUSE_NS = 30000000000;

/* Failures that no later attempt would mend. */
static bool is_final(int rc)
{
	static const int all[] = { ESTALE, EEXIST, EPROTO, EBADMSG, EACCES, EINVAL, ENOTSUP, ENXIO,
		EUCLEAN };
	bool found = false;

	for (size_t i = 0; i < ET_LENGTH(all); i++)
		found = found || rc == -all[i];
	return found;
}

/* Pauses are random within a factor of three, so that many machines do not come back together. */
static uint64_t vary(uint64_t pause_ns)
{
	uint32_t random = 0;

	(void)!getrandom(&random, sizeof(random), 0);
	return pause_ns / 2 + (uint64_t)((double)pause_ns * ((double)random / UINT32_MAX));
}

/* Sleeps; a signal ends it. */
static void pause_for(const struct et_task *t, uint64_t ns)
{
	struct timespec left = { (time_t)(ns / 1000000000), (long)(ns % 1000000000) };

	while (!t->interrupt->signal && nanosleep(&left, &left) && errno == EINTR)
		continue;
}

typedef int action_fn(struct et_task *t, struct et_store *central, struct et_error *err);

static int try_once(struct et_task *t, action_fn *action, struct et_error *err)
{
	struct et_store *central;
	int rc = et_server_open(t->job.store, ET_STORE_WRITE, &central, err);

	if (rc)
		return rc;
	rc = action(t, central, err);
	et_store_close(central);
	return rc;
}

/* Tries until it succeeds, cannot succeed, takes too long, or a signal arrives. */
static int persist(struct et_task *t, action_fn *action, struct et_error *err)
{
	uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC), pause_ns = FIRST_PAUSE_NS;

	for (bool told = false;; told = true) {
		int rc = try_once(t, action, err);
		uint64_t waited_ns = et_clock_read_ns(CLOCK_MONOTONIC) - began_ns;

		if (rc == 0 || is_final(rc) || t->interrupt->signal ||
			waited_ns + pause_ns > t->deliver_ns)
			return rc;
		if (!told)
			et_task_log(t, "cannot deliver yet, trying again: %s", err->what);
		pause_for(t, vary(pause_ns));
		pause_ns = 2 * pause_ns < LONGEST_PAUSE_NS ? 2 * pause_ns : LONGEST_PAUSE_NS;
	}
}

/* --- what is done there --- */

static int announce(struct et_task *t, struct et_store *central, struct et_error *err)
{
	const char *array = getenv("SLURM_ARRAY_JOB_ID");
	ET_AUTO_FREE char *job = array ? et_asprintf("%s_%u", array, t->part->number) : NULL;

	return et_campaign_begin_attempt(
		central, t->job.campaign, t->part->number, t->attempt, t->node, job, err);
}

int et_task_announce(struct et_task *t, struct et_error *err)
{
	int rc = try_once(t, announce, err);

	if (rc && rc != -ESTALE)
		et_task_log(
			t, "the store is not reached now, measuring nevertheless: %s", err->what);
	return rc == -ESTALE ? rc : 0;
}

static int report(struct et_task *t, struct et_store *central, struct et_error *err)
{
	return et_campaign_fail_attempt(central, t->job.campaign, t->part->number, t->attempt,
		t->failure, t->failure_final, err);
}

int et_task_report_failure(struct et_task *t, int rc, struct et_error *err)
{
	struct et_error ignored = { 0 };

	if (!t->failure[0])
		snprintf(t->failure, sizeof(t->failure), "%s", err->what);
	/* A full disk or a lost node may be better elsewhere or later; a program is the same. */
	t->failure_final = err->exit != ET_EXIT_OUTSIDE;
	if (persist(t, report, &ignored) && ignored.what[0])
		et_task_log(t, "the store does not know of this failure: %s", ignored.what);
	return rc;
}

/* Finds the experiment of the part in the outbox. The caller frees *all. */
static const struct et_outbox_entry *find_entry(
	const struct et_task *t, const struct et_outbox *all)
{
	ET_AUTO_FREE char *destination = et_spool_destination(t->job.store);

	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->list[i].experiment, t->id) &&
			!strcmp(all->list[i].destination, destination))
			return &all->list[i];
	}
	return NULL;
}

static int deliver(struct et_task *t, struct et_store *central, struct et_error *err)
{
	struct et_store *spool = NULL;
	struct et_outbox all = { 0 };
	enum et_delivered how = ET_DELIVERED_NEW;
	int rc = et_task_open_spool(t, &spool, err);

	if (rc == 0)
		rc = et_outbox_read(spool, &all, err);
	const struct et_outbox_entry *entry = rc ? NULL : find_entry(t, &all);
	if (rc == 0 && !entry)
		rc = et_fail(err, EBADMSG, ET_EXIT_OUTSIDE,
			"the outbox of the spool does not have experiment %s", t->id);
	if (rc == 0)
		rc = et_outbox_deliver(spool, central, entry, &how, err);
	if (rc == 0 && how == ET_DELIVERED_STALE)
		rc = et_fail(err, ESTALE, ET_EXIT_OUTSIDE, "another attempt did the part");
	et_outbox_free(&all);
	et_store_close(spool);
	return rc;
}

int et_task_deliver(struct et_task *t, struct et_error *err)
{
	int rc = persist(t, deliver, err);

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
