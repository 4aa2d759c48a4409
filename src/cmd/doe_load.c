/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the stored experiments of a plan, or of an id, a label or a file. */
#include "base/alloc.h"
#include "base/clock.h"
#include "cmd/doe.h"
#include "cmd/doe_parts.h"
#include "cmd/input.h"
#include "cmd/stored.h"
#include "model/design_change.h"
#include "stats/doe.h"
#include "store/import.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

struct names {
	const char *name;
	struct et_doe_ids *ids;
};

static int note(void *ctx, const struct et_summary *s)
{
	struct names *n = ctx;

	if (!s->design || !s->label || strcmp(s->label, n->name))
		return 0;
	ET_GROW(n->ids->list, n->ids->n, n->ids->cap);
	memcpy(n->ids->list[n->ids->n++], s->id, sizeof(s->id));
	return 0;
}

int et_doe_find(
	struct et_store *store, const char *name, struct et_doe_ids *out, struct et_error *err)
{
	struct names n = { name, out };

	return et_store_list(store, 0, note, &n, err);
}

static bool has_machine(const struct et_doe_loaded *l, const struct et_experiment *e)
{
	for (size_t i = 0; i < l->n; i++) {
		if (et_doe_same_machine(l->list[i], e))
			return true;
	}
	return false;
}

/* Takes e if it belongs to the experiments that were loaded; otherwise e is left. */
static bool takes(struct et_doe_loaded *l, struct et_experiment *e)
{
	/* Parts of campaigns belong to theirs, not to experiments of single machines. */
	if (l->n && (e->member.campaign[0] || has_machine(l, e)))
		return false;
	et_doe_loaded_add(l, e);
	return true;
}

/*
 * Adds the newest experiment of that name and design; if machines are blocks, the newest of each;
 * if it is part of a campaign, all parts. *changes becomes the difference to the newest experiment
 * of another design, or stays NULL.
 */
static int load_design(struct et_store *store, const struct et_design *d, struct et_doe_loaded *l,
	char **changes, char other[40], struct et_error *err)
{
	struct et_doe_ids ids = { 0 };
	int rc = et_doe_find(store, d->name, &ids, err);

	for (size_t i = 0; rc == 0 && i < ids.n; i++) {
		struct et_experiment *e;
		if (l->n && d->blocks != ET_BLOCKS_MACHINE)
			break;
		rc = et_store_load(store, ids.list[i], &e, err);
		if (rc)
			break;
		char *differs = et_design_changes(e->design, d);
		if (!differs && !l->n && e->member.campaign[0]) {
			rc = et_doe_load_campaign_of(store, e, l, err);
			break;
		}
		if (!differs && takes(l, e))
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

static int load_plan(
	struct et_store *store, const char *path, struct et_doe_loaded *l, struct et_error *err)
{
	struct et_plan_file plan = { 0 };
	ET_AUTO_FREE char *changes = NULL;
	char other[40], id[40];
	int rc = et_doe_read_plan(path, &plan, err);

	if (rc)
		return rc;
	rc = load_design(store, plan.design, l, &changes, other, err);
	if (rc == 0 && !l->n && !changes &&
		et_doe_find_campaign(store, plan.design->name, NULL, id))
		rc = et_doe_load_campaign(store, id, l, err);
	else if (rc == 0 && !l->n)
		rc = changes ? et_doe_changed(path, other, changes, err)
			     : et_hint(err,
				       et_fail(err, ENOENT, ET_EXIT_USAGE,
					       "no experiment of the plan '%s' is stored yet",
					       plan.design->name),
				       "run 'etalon doe run %s'", path);
	et_plan_file_free(&plan);
	return rc;
}

static int check_design(struct et_experiment *e, const char *operand, struct et_error *err)
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

static int load_found(struct et_store *store, const char *name, struct et_experiment *e,
	struct et_doe_loaded *l, struct et_error *err)
{
	ET_AUTO_FREE char *changes = NULL;
	char id[40];
	int rc = check_design(e, name, err);

	if (rc == 0 && is_label(name, e) && e->member.campaign[0])
		return et_doe_load_campaign_of(store, e, l, err);
	if (rc == 0 && e->label && !strcmp(e->label, name) &&
		e->design->blocks == ET_BLOCKS_MACHINE) {
		rc = load_design(store, e->design, l, &changes, id, err);
	} else if (rc == 0) {
		et_doe_loaded_add(l, e);
		return 0;
	}
	et_experiment_free(e);
	return rc;
}

/* An id means one experiment or one campaign, a label all of its machines or parts. */
static int load_name(
	struct et_store *store, const char *name, struct et_doe_loaded *l, struct et_error *err)
{
	struct et_experiment *e = NULL;
	char id[40];
	int rc = et_store_find(store, name, id, err);

	if (rc == 0)
		rc = et_store_load(store, id, &e, err);
	if ((rc == 0 || rc == -ENOENT) && et_doe_find_campaign(store, name, e, id)) {
		et_experiment_free(e);
		return et_doe_load_campaign(store, id, l, err);
	}
	return rc ? rc : load_found(store, name, e, l, err);
}

/* Whether a file has a record in JSON rather than a plan in YAML. */
static bool is_record(const char *path)
{
	ET_AUTO_FCLOSE FILE *f = fopen(path, "re");
	int c = ' ';

	while (f && (c == ' ' || c == '\n' || c == '\t' || c == '\r'))
		c = getc(f);
	return c == '{';
}

static int load_record(const char *path, struct et_doe_loaded *l, struct et_error *err)
{
	struct et_import_options o = { .name = path,
		.format = ET_IMPORT_NATIVE,
		.wall_ns = et_clock_read_ns(CLOCK_REALTIME) };
	ET_AUTO_FREE char *data = NULL;
	struct et_experiment *e;
	size_t size;
	int rc = et_input_read(path, ET_IMPORT_MOST_BYTES, &data, &size, err);

	if (rc == 0)
		rc = et_import(data, size, &o, &e, err);
	if (rc)
		return rc;
	et_doe_loaded_add(l, e);
	return check_design(e, path, err);
}

static int load_stored(struct et_cli *cli, const char *operand, bool plan, struct et_doe_loaded *l,
	struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);

	if (rc == -ENOENT)
		return et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE, "nothing is stored yet in this store"),
			"run 'etalon doe run %s'", plan ? operand : "PLAN");
	if (rc)
		return rc;
	rc = plan ? load_plan(store, operand, l, err) : load_name(store, operand, l, err);
	et_store_close(store);
	return rc;
}

int et_doe_load_parts(struct et_cli *cli, const char *operand, struct et_experiment ***out,
	size_t *n, struct et_doe_parts *parts, struct et_error *err)
{
	bool is_file = !strcmp(operand, "-") || access(operand, F_OK) == 0;
	struct et_doe_loaded l = { 0 };
	int rc = is_file && is_record(operand) ? load_record(operand, &l, err)
					       : load_stored(cli, operand, is_file, &l, err);

	if (rc) {
		et_doe_loaded_free(&l);
		return rc;
	}
	*out = l.list;
	*n = l.n;
	parts->all += l.parts.all;
	parts->missing += l.parts.missing;
	parts->missing_runs += l.parts.missing_runs;
	return 0;
}

int et_doe_load(struct et_cli *cli, const char *operand, struct et_experiment ***out, size_t *n,
	struct et_error *err)
{
	struct et_doe_parts ignored = { 0 };

	return et_doe_load_parts(cli, operand, out, n, &ignored, err);
}
