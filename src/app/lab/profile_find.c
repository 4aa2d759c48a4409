/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a study of profilers in the store, and loads its parts. */
#include "app/lab/profile.h"
#include "base/alloc.h"
#include "source/stored.h"
#include "source/studies.h"

#include <errno.h>
#include <string.h>

static struct et_lab_part *part_named(struct et_profiling *p, const char *name)
{
	for (size_t i = 0; i < p->n; i++) {
		if (!strcmp(p->parts[i].name, name))
			return &p->parts[i];
	}
	return NULL;
}

static bool is_part(void *p, const char *part)
{
	return part_named(p, part);
}

static void note_ids(struct et_profiling *p, const struct et_study_parts *l)
{
	for (size_t i = 0; i < l->n; i++) {
		struct et_lab_part *part = part_named(p, l->list[i].part);
		if (!part->id[0])
			memcpy(part->id, l->list[i].id, sizeof(part->id));
	}
}

static int find(
	void *ctx, struct et_store *store, const char *name, char id[40], struct et_error *err)
{
	struct et_profiling *p = ctx;
	struct et_study_parts all = { .lab = p->lab->name, .is_part = is_part, .ctx = p };
	int rc = et_studies_find(&all, store, name, id, err);

	if (rc == 0 && !all.study)
		rc = et_fail(err, ENOENT, ET_EXIT_USAGE, "'%s' is no experiment of lab %s", name,
			p->lab->name);
	if (all.study) {
		free(p->prefix);
		p->prefix = et_strdup(all.study);
		note_ids(p, &all);
	}
	et_study_parts_free(&all);
	return rc;
}

/* Parts of different experiments may have the same name, but their treatments differ. */
static int check_part(
	const struct et_profiling *p, const struct et_lab_part *part, struct et_error *err)
{
	struct et_experiment *planned = et_profiling_plan(p, part);
	const struct et_experiment *e = part->e;
	bool same = e->profile && e->n_commands == planned->n_commands;

	for (size_t i = 0; same && i < e->n_commands; i++)
		same = !strcmp(e->commands[i].name, planned->commands[i].name);
	et_experiment_free(planned);
	return same ? 0
		    : et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s' is no experiment of lab %s",
			      p->prefix, p->lab->name);
}

/* Loads the parts from the store, which it closes. */
static int load(struct et_profiling *p, struct et_store *store, struct et_error *err)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		struct et_lab_part *part = &p->parts[i];
		if (part->id[0])
			rc = et_store_load(store, part->id, &part->e, err);
		if (rc == 0 && part->e)
			rc = check_part(p, part, err);
	}
	et_store_close(store);
	return rc;
}

int et_profiling_find(struct et_profiling *p, const char *name, struct et_error *err)
{
	struct et_store *store;
	char id[40];
	int rc = et_stored_search(p->r->cli, name, find, p, &store, id, err);

	return rc ? rc : load(p, store, err);
}

int et_profiling_load(struct et_profiling *p, struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(p->r->cli, ET_STORE_READ, &store, err);

	return rc ? rc : load(p, store, err);
}
