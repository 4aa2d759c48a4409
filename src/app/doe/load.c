/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the stored experiments of a plan, or of an id, a label or a file. */
#include "app/doe/doe.h"
#include "model/design/json.h"
#include "source/input.h"
#include "source/operand.h"
#include "store/central/campaign.h"
#include "store/import/import.h"

static int note(void *ctx, const struct et_summary *s)
{
	struct et_doe_ids *ids = ctx;

	if (!s->design || !s->label || strcmp(s->label, ids->name) ||
		(ids->measured && s->origin != ET_ORIGIN_MEASURED))
		return 0;
	ET_GROW(ids->list, ids->n, ids->cap);
	memcpy(ids->list[ids->n++], s->id, sizeof(s->id));
	return 0;
}

int et_doe_find(struct et_store *store, struct et_doe_ids *ids, struct et_error *err)
{
	return et_store_list(store, 0, note, ids, err);
}

void et_doe_loaded_free(struct et_doe_loaded *l)
{
	for (size_t i = 0; i < l->n; i++)
		et_experiment_free(l->list[i]);
	free(l->list);
	et_campaign_free(l->campaign);
}

/* Takes e. */
static void add(struct et_doe_loaded *l, struct et_experiment *e)
{
	ET_GROW(l->list, l->n, l->cap);
	l->list[l->n++] = e;
}

static void move_all(struct et_doe_loaded *from, struct et_doe_loaded *to)
{
	for (size_t i = 0; i < from->n; i++)
		add(to, from->list[i]);
	from->n = 0;
	to->parts.all += from->parts.all;
	to->parts.missing += from->parts.missing;
	to->parts.missing_runs += from->parts.missing_runs;
}

/* An operand, and the experiments that it means. */
struct search {
	struct et_cli *cli;
	const char *operand;
	const struct et_design *design; /* of a plan file, or NULL */
	struct et_doe_loaded *out;
	bool opened; /* a store */
	/* In one store: */
	struct et_store *store;
	struct et_doe_loaded l; /* what was found so far */
	struct et_error *err;
};

/* Adds the experiments of the done parts. An experiment that was removed is missing. */
static int add_parts(struct search *s, const struct et_campaign *c)
{
	ET_AUTO_FREE bool *there = et_calloc(c->n_parts + 1, sizeof(*there));

	for (size_t i = 0; i < c->n_parts; i++) {
		struct et_experiment *e;
		if (c->parts[i].state != ET_PART_DONE)
			continue;
		int rc = et_store_load_head(s->store, c->parts[i].experiment, &e, s->err);
		if (rc == -ENOENT)
			continue;
		if (rc)
			return rc;
		add(&s->l, e);
		there[i] = true;
	}
	if (!s->l.n)
		return et_hint(s->err,
			et_fail(s->err, ENOENT, ET_EXIT_USAGE, "no part of campaign %s is done yet",
				c->id),
			"see 'etalon doe status %s'", c->id);
	s->l.parts.all += c->n_parts;
	const struct et_experiment *e = s->l.list[0]; /* all parts have its commands */
	for (size_t i = 0; i < c->n_parts; i++) {
		uint64_t rounds = c->parts[i].rounds + e->plan.warmup;
		s->l.parts.missing += !there[i];
		s->l.parts.missing_runs += there[i] ? 0 : rounds * e->n_commands;
	}
	return 0;
}

/* Whether another experiment is of the same part; then the later attempt is kept in its place. */
static bool replaced(struct search *s, struct et_experiment *e)
{
	for (size_t i = 0; i < s->l.n; i++) {
		if (s->l.list[i]->member.part != e->member.part)
			continue;
		bool later = e->member.attempt > s->l.list[i]->member.attempt;
		struct et_experiment *old = later ? s->l.list[i] : e;
		s->l.list[i] = later ? e : s->l.list[i];
		et_experiment_free(old);
		return true;
	}
	return false;
}

/* Parts that were imported, without their campaign: nobody knows how many there are. */
static int add_members(struct search *s, const struct et_experiment *one)
{
	struct et_doe_ids ids = { .name = one->label ? one->label : "" };
	int rc = et_doe_find(s->store, &ids, s->err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		struct et_experiment *e;
		rc = et_store_load_head(s->store, ids.list[i], &e, s->err);
		if (rc)
			break;
		if (strcmp(e->member.campaign, one->member.campaign) != 0)
			et_experiment_free(e);
		else if (!replaced(s, e))
			add(&s->l, e);
	}
	free(ids.list);
	return rc;
}

/* Adds the experiments of the parts that are done. -ENOENT: there is none, or no such campaign. */
static int load_campaign(struct search *s, const char *id)
{
	struct et_campaign *c;
	int rc = et_campaign_load(s->store, id, &c, s->err);

	if (rc)
		return rc;
	rc = add_parts(s, c);
	et_campaign_free(c);
	return rc;
}

/* The same of the campaign of e, which is freed, or of its imported parts if it is not stored. */
static int load_campaign_of(struct search *s, struct et_experiment *e)
{
	int rc = load_campaign(s, e->member.campaign);

	if (rc == -ENOENT)
		rc = add_members(s, e);
	et_experiment_free(e);
	return rc;
}

/* Finds a campaign of that id or label, unless e, the experiment of that name, is newer. */
static bool find_campaign(
	struct search *s, const char *name, const struct et_experiment *e, char id[40])
{
	struct et_error ignored;
	struct et_campaign *c;

	if (!strcmp(name, "last") || et_campaign_find(s->store, name, false, id, &ignored) ||
		et_campaign_load(s->store, id, &c, &ignored))
		return false;
	bool newer = !e || !e->label || strcmp(e->label, name) != 0 ||
		     c->created_wall_ns > e->started_wall_ns;
	et_campaign_free(c);
	return newer;
}

static bool has_machine(const struct search *s, const struct et_experiment *e)
{
	for (size_t i = 0; i < s->l.n; i++) {
		if (et_doe_same_machine(s->l.list[i], e))
			return true;
	}
	return false;
}

/* Takes e if it belongs to the experiments that were loaded; otherwise e is left. */
static bool takes(struct search *s, struct et_experiment *e)
{
	/* Parts of campaigns belong to theirs, not to experiments of single machines. */
	if (s->l.n && (e->member.campaign[0] || has_machine(s, e)))
		return false;
	add(&s->l, e);
	return true;
}

/*
 * Adds the newest experiment of that design, of each machine if they are blocks, with all parts if
 * it has some. *changes becomes the difference to the newest one of another design, or stays NULL.
 */
static int load_design(struct search *s, const struct et_design *d, char **changes, char other[40])
{
	struct et_doe_ids ids = { .name = d->name };
	int rc = et_doe_find(s->store, &ids, s->err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		struct et_experiment *e;
		if (s->l.n && d->blocks != ET_BLOCKS_MACHINE)
			break;
		rc = et_store_load_head(s->store, ids.list[i], &e, s->err);
		if (rc)
			break;
		char *differs = et_design_changes(e->design, d);
		if (!differs && !s->l.n && e->member.campaign[0]) {
			rc = load_campaign_of(s, e);
			break;
		}
		if (!differs && takes(s, e))
			continue;
		if (differs && !*changes) {
			*changes = differs;
			differs = NULL;
			memcpy(other, e->id, 40);
		}
		free(differs);
		et_experiment_free(e);
	}
	free(ids.list);
	return rc;
}

static int load_plan(struct search *s)
{
	const struct et_design *d = s->design;
	ET_AUTO_FREE char *changes = NULL;
	char other[40], id[40];
	int rc = load_design(s, d, &changes, other);

	if (rc || s->l.n)
		return rc;
	if (changes)
		return et_doe_changed(s->operand, other, changes, s->err);
	if (find_campaign(s, d->name, NULL, id))
		return load_campaign(s, id);
	return et_hint(s->err,
		et_fail(s->err, ENOENT, ET_EXIT_USAGE,
			"no experiment of the plan '%s' is stored yet", d->name),
		"run 'etalon doe run %s'", s->operand);
}

static int check_design(const struct et_experiment *e, const char *operand, struct et_error *err)
{
	if (e->design)
		return 0;
	return et_hint(err,
		et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is no experiment of 'etalon doe'",
			operand),
		"run 'etalon show %s' to print it", operand);
}

/* Whether the name means more than the experiment e: not if it is the id of e. */
static bool is_label(const char *name, const struct et_experiment *e)
{
	return !strcmp(name, "last") || (e->label && !strcmp(e->label, name));
}

static int load_found(struct search *s, const char *name, struct et_experiment *e)
{
	ET_AUTO_FREE char *changes = NULL;
	char id[40];
	int rc = check_design(e, name, s->err);

	if (rc == 0 && is_label(name, e) && e->member.campaign[0])
		return load_campaign_of(s, e);
	if (rc == 0 && e->label && !strcmp(e->label, name) &&
		e->design->blocks == ET_BLOCKS_MACHINE) {
		rc = load_design(s, e->design, &changes, id);
	} else if (rc == 0) {
		add(&s->l, e);
		return 0;
	}
	et_experiment_free(e);
	return rc;
}

/* An id means one experiment or one campaign, a label all of its machines or parts. */
static int load_name(struct search *s, const char *name)
{
	struct et_experiment *e = NULL;
	char id[40];
	int rc = et_store_find(s->store, name, id, s->err)
			 ?: et_store_load_head(s->store, id, &e, s->err);

	if ((rc == 0 || rc == -ENOENT) && find_campaign(s, name, e, id)) {
		et_experiment_free(e);
		return load_campaign(s, id);
	}
	return rc ? rc : load_found(s, name, e);
}

static int find(
	void *ctx, struct et_store *store, const char *name, char id[40], struct et_error *err)
{
	struct search *s = ctx;

	s->opened = true;
	s->store = store;
	s->err = err;
	if (s->out->whole && find_campaign(s, name, NULL, id))
		return et_campaign_load(store, id, &s->out->campaign, err);
	int rc = s->design ? load_plan(s) : load_name(s, name);
	/* Until now, only their heads were read. */
	for (size_t i = 0; rc == 0 && i < s->l.n; i++) {
		struct et_experiment *head = s->l.list[i];
		rc = et_store_load(store, head->id, &s->l.list[i], err);
		if (rc == 0)
			et_experiment_free(head);
	}
	if (rc == 0 && s->l.n) {
		memcpy(id, s->l.list[0]->id, sizeof(s->l.list[0]->id));
		move_all(&s->l, s->out);
	}
	et_doe_loaded_free(&s->l);
	s->l = (struct et_doe_loaded){ 0 };
	return rc;
}

static int take_plan(
	struct search *s, char *data, size_t size, const char *name, struct et_error *err)
{
	struct et_plan_file plan = { 0 };
	struct et_store *store = NULL;
	char id[40];
	ET_AUTO_FCLOSE FILE *in = fmemopen(data, size, "r");
	int rc = in ? et_plan_read(in, name, &plan, err)
		    : et_fail_file(err, errno, ET_EXIT_OUTSIDE, name);

	if (rc)
		return rc;
	s->design = plan.design;
	s->out->plan = strcmp(s->operand, "-") ? s->operand : NULL;
	rc = et_stored_search(s->cli, plan.design->name, find, s, &store, id, err);
	et_store_close(store);
	et_plan_file_free(&plan);
	return rc;
}

/* A record is in JSON, a plan in YAML. */
static int read_file(void *ctx, FILE *in, const char *name, struct et_error *err)
{
	struct search *s = ctx;
	ET_AUTO_FREE char *data = NULL;
	struct et_experiment *e;
	size_t size, at = 0;
	int rc = et_input_read_stream(in, name, ET_IMPORT_MOST_BYTES, &data, &size, err);

	if (rc)
		return rc;
	while (at < size && data[at] && strchr(" \n\t\r", data[at]))
		at++;
	if (at == size || data[at] != '{')
		return take_plan(s, data, size, name, err);
	rc = et_input_record(data, size, name, &e, err);
	if (rc)
		return rc;
	add(s->out, e);
	return check_design(e, name, err);
}

int et_doe_load(
	struct et_cli *cli, const char *operand, struct et_doe_loaded *out, struct et_error *err)
{
	static const struct et_operand_use use = { .read = read_file, .find = find };
	struct search s = { .cli = cli, .operand = operand, .out = out };
	int rc = et_operand_open(cli, operand, &use, &s, err);

	if (rc == -ENOENT && !s.opened && (s.design || !et_operand_is_file(operand)))
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE, "nothing is stored yet in this store"),
			"run 'etalon doe run %s'", s.design ? operand : "PLAN");
	return rc;
}
