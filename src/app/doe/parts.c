/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/doe/parts.h"
#include "app/doe/doe.h"
#include "base/alloc.h"
#include "store/central/campaign.h"

#include <errno.h>
#include <string.h>

void et_doe_loaded_free(struct et_doe_loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		et_experiment_free(l->list[i]);
	free(l->list);
	et_campaign_free(l->campaign);
}

void et_doe_loaded_move(struct et_doe_loaded *from, struct et_doe_loaded *to)
{
	for (size_t i = 0; i < from->n; i++)
		et_doe_loaded_add(to, from->list[i]);
	from->n = 0;
	to->parts.all += from->parts.all;
	to->parts.missing += from->parts.missing;
	to->parts.missing_runs += from->parts.missing_runs;
}

void et_doe_loaded_add(struct et_doe_loaded *l, struct et_experiment *e)
{
	ET_GROW(l->list, l->n, l->cap);
	l->list[l->n++] = e;
}

int et_doe_loaded_complete(
	struct et_store *store, struct et_doe_loaded *l, size_t from, struct et_error *err)
{
	int rc = 0;

	for (size_t i = from; rc == 0 && i < l->n; i++) {
		struct et_experiment *e;
		rc = et_store_load(store, l->list[i]->id, &e, err);
		if (rc)
			break;
		et_experiment_free(l->list[i]);
		l->list[i] = e;
	}
	return rc;
}

/* Counts a part that is not done; all parts have the commands of the first that is. */
static void note_missing(
	const struct et_part *p, const struct et_experiment *e, struct et_doe_loaded *l)
{
	l->parts.missing++;
	l->parts.missing_runs += (uint64_t)(p->rounds + e->plan.warmup) * e->n_commands;
}

static int none_done(const struct et_campaign *c, struct et_error *err)
{
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE, "no part of campaign %s is done yet", c->id),
		"see 'etalon doe status %s'", c->id);
}

/* Adds the experiments of the done parts. An experiment that was removed is missing. */
static int add_parts(struct et_store *store, const struct et_campaign *c, struct et_doe_loaded *l,
	struct et_error *err)
{
	ET_AUTO_FREE bool *there = et_calloc(c->n_parts + 1, sizeof(*there));
	size_t before = l->n;

	for (size_t i = 0; i < c->n_parts; i++) {
		struct et_experiment *e;
		if (c->parts[i].state != ET_PART_DONE)
			continue;
		int rc = et_store_load(store, c->parts[i].experiment, &e, err);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		et_doe_loaded_add(l, e);
		there[i] = true;
	}
	if (l->n == before)
		return none_done(c, err);
	l->parts.all += c->n_parts;
	for (size_t i = 0; i < c->n_parts; i++) {
		if (!there[i])
			note_missing(&c->parts[i], l->list[before], l);
	}
	return 0;
}

/* Whether another experiment is of the same part; then the later attempt is kept in its place. */
static bool replaced(struct et_doe_loaded *l, size_t from, struct et_experiment *e)
{
	for (size_t i = from; i < l->n; i++) {
		if (l->list[i]->member.part != e->member.part)
			continue;
		bool later = e->member.attempt > l->list[i]->member.attempt;
		struct et_experiment *old = later ? l->list[i] : e;
		l->list[i] = later ? e : l->list[i];
		et_experiment_free(old);
		return true;
	}
	return false;
}

/* Parts that were imported, without their campaign: nobody knows how many there are. */
static int add_members(struct et_store *store, const struct et_experiment *one,
	struct et_doe_loaded *l, struct et_error *err)
{
	struct et_doe_ids ids = { 0 };
	size_t before = l->n;
	int rc = et_doe_find(store, one->label ? one->label : "", &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		struct et_experiment *e;
		rc = et_store_load_head(store, ids.list[i], &e, err);
		if (rc)
			break;
		if (strcmp(e->member.campaign, one->member.campaign) != 0)
			et_experiment_free(e);
		else if (!replaced(l, before, e))
			et_doe_loaded_add(l, e);
	}
	free(ids.list);
	return rc ? rc : et_doe_loaded_complete(store, l, before, err);
}

int et_doe_load_campaign(
	struct et_store *store, const char *id, struct et_doe_loaded *l, struct et_error *err)
{
	struct et_campaign *c;
	int rc = et_campaign_load(store, id, &c, err);

	if (rc)
		return rc;
	rc = add_parts(store, c, l, err);
	et_campaign_free(c);
	return rc;
}

int et_doe_load_campaign_of(struct et_store *store, struct et_experiment *e,
	struct et_doe_loaded *l, struct et_error *err)
{
	int rc = et_doe_load_campaign(store, e->member.campaign, l, err);

	if (rc == -ENOENT)
		rc = add_members(store, e, l, err);
	et_experiment_free(e);
	return rc;
}

bool et_doe_find_campaign(
	struct et_store *store, const char *name, const struct et_experiment *e, char id[40])
{
	struct et_error ignored;
	struct et_campaign *c;

	if (!strcmp(name, "last") || et_campaign_find(store, name, id, &ignored) ||
		et_campaign_load(store, id, &c, &ignored))
		return false;
	bool newer = !e || !e->label || strcmp(e->label, name) != 0 ||
		     c->created_wall_ns > e->started_wall_ns;
	et_campaign_free(c);
	return newer;
}
