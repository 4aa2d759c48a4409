/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The store of a campaign: which one can be used, and its parts when all is cancelled. */
#include "base/alloc.h"
#include "campaign/campaign.h"
#include "cli/server.h"

#include <errno.h>
#include <string.h>

/* Jobs and records would spread a password; every machine has a file for it. */
static bool has_secret(const char *url)
{
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);

	return strcmp(shown, url) != 0;
}

int et_campaigning_open(struct et_campaigning *r, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(r->cli);

	if (!et_store_url_is_server(url) && !r->any_store)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"an experiment on other machines needs a store that they reach, "
				"and a file is not one"),
			"use --store postgresql://HOST/DATABASE; 'man etalon-doe' explains how to "
			"make one");
	if (has_secret(url))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"a password in the URL of the store would be sent to all machines"),
			"put it into ~/.pgpass or a service file on each machine, and omit it");
	free(r->url);
	r->url = et_strdup(url);
	return et_server_open(url, ET_STORE_WRITE, &r->store, err);
}

/* The fence of all parts is raised: an attempt that the engine cannot end delivers nothing. */
static int fail_all(struct et_campaigning *r, const char *why, struct et_error *err)
{
	struct et_campaign_decision d;
	ET_AUTO_FREE struct et_job_report *none = et_calloc(r->c->n_parts, sizeof(*none));
	int rc = 0;

	et_campaign_decide(r->c, none, 0, &d);
	for (uint32_t i = 0; rc == 0 && i < r->c->n_parts; i++) {
		if (r->c->parts[i].state == ET_PART_DONE)
			continue;
		rc = et_campaign_fail_attempt(
			r->store, r->c->id, i, et_attempt_number(d.generation, 0), why, true, err);
		if (rc == -ESTALE)
			rc = 0;
	}
	et_campaign_decision_free(&d);
	return rc;
}

void et_campaigning_discard(struct et_campaigning *r, const char *why)
{
	struct et_error ignored = { 0 };

	/* Of several arrays, some may have been accepted. */
	(void)!r->engine->ops->cancel(r->engine, &ignored);
	/* A user who may only add rows keeps a campaign that has failed. */
	if (r->store && et_campaign_remove(r->store, r->c->id, &ignored))
		(void)!fail_all(r, why, &ignored);
}

int et_campaigning_cancel(struct et_campaigning *r, struct et_error *err)
{
	int rc = fail_all(r, "cancelled", err);

	if (rc == 0)
		rc = r->engine->ops->cancel(r->engine, err);
	return rc ? rc : et_campaign_refresh(r->store, r->c, err);
}

int et_campaigning_reset(struct et_campaigning *r, struct et_error *err)
{
	struct et_campaign *c = r->c;
	ET_AUTO_FREE uint32_t *failed = et_calloc(c->n_parts, sizeof(*failed));
	size_t n = 0;

	for (size_t i = 0; i < c->n_parts; i++) {
		if (c->parts[i].state == ET_PART_FAILED)
			failed[n++] = c->parts[i].number;
	}
	return n ? et_campaign_reset(r->store, c->id, failed, n, err) : 0;
}
