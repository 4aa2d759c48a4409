/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds a study of profilers in the store, and loads its parts. */
#include "base/alloc.h"
#include "cmd/lab_profile.h"
#include "cmd/labels.h"
#include "cmd/stored.h"

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

/* Returns the length of the prefix of a label of a part; 0: it is no such label. */
static size_t prefix_of(struct et_profiling *p, const char *label)
{
	const char *slash = strrchr(label, '/');

	/* "LABEL/20261116-112233/PART" */
	if (!slash || !part_named(p, slash + 1) || slash - label < 17 || slash[-16] != '/' ||
		slash[-7] != '-')
		return 0;
	return (size_t)(slash - label);
}

static bool is_named(const char *label, size_t prefix, const char *name)
{
	size_t n = strlen(name);

	return (n == prefix || n + 16 == prefix) && !strncmp(label, name, n);
}

static char *find_prefix(
	struct et_profiling *p, const struct et_labels *l, const char *name, const char *id)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *label = l->list[i].label;
		size_t n = prefix_of(p, label);
		if (n && (id ? !strcmp(l->list[i].id, id) : is_named(label, n, name)))
			return et_strndup(label, n);
	}
	return NULL;
}

static void note_ids(struct et_profiling *p, const struct et_labels *l)
{
	for (size_t i = 0; i < l->n; i++) {
		const char *label = l->list[i].label;
		size_t n = prefix_of(p, label);
		if (n != strlen(p->prefix) || strncmp(label, p->prefix, n))
			continue;
		struct et_lab_part *part = part_named(p, label + n + 1);
		if (!part->id[0])
			memcpy(part->id, l->list[i].id, sizeof(part->id));
	}
}

int et_profiling_find(struct et_profiling *p, const char *name, struct et_error *err)
{
	struct et_labels all = { 0 };
	struct et_store *store;
	char id[40];
	int rc = et_stored_open(p->r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	rc = et_labels_read(&all, store, err);
	char *prefix = rc ? NULL : find_prefix(p, &all, name, NULL);
	if (rc == 0 && !prefix) {
		rc = et_store_find(store, name, id, err);
		prefix = rc ? NULL : find_prefix(p, &all, name, id);
	}
	if (rc == 0 && !prefix)
		rc = et_fail(err, ENOENT, ET_EXIT_USAGE, "'%s' is no experiment of lab %s", name,
			p->lab->name);
	if (prefix) {
		free(p->prefix);
		p->prefix = prefix;
		note_ids(p, &all);
	}
	et_labels_free(&all);
	et_store_close(store);
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

int et_profiling_load(struct et_profiling *p, struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(p->r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
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
