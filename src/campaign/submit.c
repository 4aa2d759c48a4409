/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Submits the parts of a campaign that have no job, and records those that were lost. */
#include "base/alloc.h"
#include "base/clock.h"
#include "base/memstream.h"
#include "campaign/campaign.h"
#include "campaign/watch.h"

#include <errno.h>
#include <string.h>

/* A submission is tried this often, for about ten minutes. */
enum { MOST_TRIES = 15 };

/* Whether an error of the store is none that passes by itself. */
bool et_campaign_is_final(int rc)
{
	return rc == -EACCES || rc == -EBADMSG || rc == -EINVAL || rc == -ENOTSUP || rc == -ETIME;
}

static char *make_input(const struct et_campaigning *r, uint32_t generation, struct et_error *err)
{
	struct et_memstream s;

	et_campaigning_print_job(r, generation, et_memstream_open(&s));
	char *text = et_memstream_close(&s);
	size_t size = strlen(text);
	if (size < ET_JOB_MOST_BYTES)
		return text;
	free(text);
	et_hint(err,
		et_fail(err, E2BIG, ET_EXIT_USAGE, "the plan is too large for a job: %zu bytes",
			size),
		"use fewer treatments, or a larger --part-rounds");
	return NULL;
}

/* Asks the engine to run the pending parts, and forgets them if it accepts. */
static int submit_pending(struct et_campaigning *r, struct et_error *err)
{
	ET_AUTO_FREE struct et_job *jobs = et_calloc(r->n_pending, sizeof(*jobs));
	ET_AUTO_FREE char *input = make_input(r, r->pending_generation, err), *name = NULL;
	struct et_error ignored = { 0 };

	if (!input)
		return -E2BIG;
	for (size_t i = 0; i < r->n_pending; i++)
		jobs[i] = (struct et_job){ .part = r->pending[i],
			.node = r->c->parts[r->pending[i]].node };
	int rc = r->engine->ops->submit(
		r->engine, jobs, r->n_pending, input, r->pending_generation, &name, err);
	if (rc)
		return rc;
	/* The name is for people; the engine finds its jobs without it. */
	(void)!et_campaign_set_job(r->store, r->c->id, r->pending_generation, r->pending,
		r->n_pending, name, &ignored);
	r->n_pending = 0;
	r->submitted = true;
	return 0;
}

/* A submission that failed may have been accepted: those parts are known to the engine. */
static void drop_known(struct et_campaigning *r, const struct et_job_report *reports)
{
	size_t kept = 0;

	for (size_t i = 0; i < r->n_pending; i++) {
		const struct et_job_report *report = &reports[r->pending[i]];
		bool known = report->state != ET_JOB_UNKNOWN && report->state != ET_JOB_ENDED &&
			     (!report->generation || report->generation == r->pending_generation);
		if (!known)
			r->pending[kept++] = r->pending[i];
	}
	r->n_pending = kept;
}

/* Records losses, and chooses the parts that are to be submitted now. */
static int collect(
	struct et_campaigning *r, const struct et_campaign_decision *d, struct et_error *err)
{
	size_t n = 0;
	int rc = 0;

	free(r->pending);
	r->pending = et_calloc(r->c->n_parts, sizeof(*r->pending));
	for (uint32_t i = 0; rc == 0 && i < r->c->n_parts; i++) {
		const struct et_part_decision *p = &d->parts[i];

		if (p->action == ET_PART_LEAVE)
			continue;
		if (p->action != ET_PART_SUBMIT)
			rc = et_campaign_fail_attempt(r->store, r->c->id, i, p->attempt, p->why,
				p->action == ET_PART_GIVE_UP, err);
		if (rc == 0 && p->action != ET_PART_GIVE_UP)
			r->pending[n++] = i;
		if (rc == -ESTALE) /* it was done, or begun again, since the parts were read */
			rc = 0;
	}
	if (rc == 0 && n)
		rc = et_campaign_submit(r->store, r->c->id, d->generation, r->pending, n, err);
	if (rc == 0) {
		r->n_pending = n;
		r->pending_generation = d->generation;
	}
	return rc;
}

/* Submits, after a pause that grows with every failure. */
static int try_to_submit(struct et_campaigning *r, struct et_error *err)
{
	const uint64_t least = 500000000, most = 60000000000;
	uint64_t now_ns = et_clock_read_ns(CLOCK_MONOTONIC);

	if (r->tries && now_ns < r->try_again_ns)
		return 0;
	int rc = submit_pending(r, err);
	/* Asking again would give the same answer. */
	if (rc && (err->exit != ET_EXIT_OUTSIDE || r->tries + 1 >= MOST_TRIES))
		return rc;
	et_campaign_tell(r, ET_TROUBLE_SUBMITTING, rc ? err : NULL);
	uint64_t pause_ns = least << (r->tries < 10 ? r->tries : 10);
	r->try_again_ns = now_ns + (pause_ns < most ? pause_ns : most);
	r->tries = rc ? r->tries + 1 : 0;
	return 0;
}

/* Returns 0; or -errno if there is no cure. If the store fails, the next step tries again. */
int et_campaign_act(struct et_campaigning *r, const struct et_campaign_decision *d,
	const struct et_job_report *reports, struct et_error *err)
{
	int rc = 0;

	drop_known(r, reports);
	if (!r->n_pending) {
		rc = collect(r, d, err);
		if (et_campaign_is_final(rc))
			return rc;
		if (rc) {
			et_campaign_tell(r, ET_TROUBLE_STORE, err);
			return 0;
		}
		r->tries = 0;
	}
	return r->n_pending ? try_to_submit(r, err) : 0;
}
