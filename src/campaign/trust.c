/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which campaigns are the user's own. A row of the central store decides what runs on this machine
 * and on all others, and each machine of a campaign can write such rows.
 */
#include "base/alloc.h"
#include "campaign/campaign.h"
#include "report/review.h"
#include "source/trusted.h"

#include <string.h>

char *et_campaigning_etalon(const struct et_campaigning *r, const char *engine)
{
	const char *given = r->cli->engine.etalon_path;
	char own[4096];

	/* Machines of a cluster share folders, hosts of ssh need not. */
	if (given || strcmp(engine, "slurm") != 0 || et_cli_own_path(own, sizeof(own), NULL))
		return et_strdup(given ? given : "etalon");
	return et_strdup(own);
}

void et_campaigning_own(const struct et_campaigning *r)
{
	ET_AUTO_FREE char *words = et_campaign_words_write(&r->options);

	et_trust_begin_campaign(et_trusted_list(), r->c, words);
}

/* Returns whether the summary is one of that name that was begun here. */
static bool is_own(const struct et_campaign_summary *s, const char *name)
{
	bool named = !strcmp(name, "last") || (s->label && !strcmp(s->label, name));

	return named && et_trust_knows_campaign(et_trusted_list(), s->id);
}

int et_campaigning_find(
	struct et_campaigning *r, const char *name, char id[40], struct et_error *err)
{
	struct et_campaign_summary *list = NULL;
	size_t n = 0, i = 0;
	int rc = et_campaign_find_own(r->store, name, id, err);

	if (rc || !strcmp(name, id) || et_trust_knows_campaign(et_trusted_list(), id))
		return rc;
	if (et_campaign_list(r->store, &list, &n, NULL))
		return 0;
	while (i < n && !is_own(&list[i], name))
		i++;
	if (i < n)
		memcpy(id, list[i].id, sizeof(list[i].id));
	et_campaign_list_free(list, n);
	return 0;
}

/* On stderr: standard output may be read by a program. */
static void review(void *ctx, const struct et_experiment *none)
{
	const struct et_campaigning *r = ctx;
	struct et_page page = { .out = stderr, .width = r->cli->columns };
	struct et_review_words words = { r->options.extra, r->options.etalon };
	struct et_experiment *e = NULL;

	(void)none;
	if (et_campaign_read_record(r->c->record, &e, NULL))
		e = NULL;
	et_review_campaign(r->c, e, &words, &page);
	et_experiment_free(e);
}

int et_campaigning_trust(struct et_campaigning *r, const char *name, struct et_error *err)
{
	const struct et_engine_wish *w = &r->cli->engine;
	ET_AUTO_FREE char *way = et_asprintf(
		"etalon %s --%s", r->verb ? r->verb : "doe run", w->cancel ? "cancel" : "attach");
	struct et_trust trust = et_trusted(r->cli, w->trust);

	trust.named = name;
	trust.way = way;
	trust.review = review;
	trust.ctx = r;
	free(r->options.extra);
	free(r->options.etalon);
	r->options.extra = w->extra ? et_strdup(w->extra) : NULL;
	r->options.etalon = et_campaigning_etalon(r, r->c->engine);
	ET_AUTO_FREE char *words = et_campaign_words_write(&r->options);
	int rc = et_trust_campaign(&trust, r->c, &words, err);
	return rc ? rc : et_campaign_words_read(words, &r->options, err);
}
