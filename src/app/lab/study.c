/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/study.h"
#include "source/studies.h"

/* --- finding its experiments --- */

static struct et_lab_part *part_named(struct et_lab_study *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (!strcmp(s->parts[i].name, name))
			return &s->parts[i];
	}
	return NULL;
}

static bool is_part(void *s, const char *part)
{
	return part_named(s, part);
}

static void forget(struct et_lab_study *s)
{
	for (size_t i = 0; i < s->n; i++) {
		et_experiment_free(s->parts[i].e);
		s->parts[i].e = NULL;
		s->parts[i].id[0] = '\0';
	}
	s->n_found = 0;
}

static int load_part(struct et_lab_study *s, struct et_store *store, struct et_lab_part *part,
	const char *id, struct et_error *err)
{
	int rc = part->id[0] ? 0 : et_store_load(store, id, &part->e, err);

	if (rc || part->id[0])
		return rc;
	snprintf(part->id, sizeof(part->id), "%s", id);
	s->found[s->n_found++] = part->e;
	return 0;
}

static int find(
	void *ctx, struct et_store *store, const char *name, char id[40], struct et_error *err)
{
	struct et_lab_study *s = ctx;
	struct et_study_parts all = { .lab = s->lab, .is_part = is_part, .ctx = s };
	int rc = et_studies_find(&all, store, name, id, err);

	if (rc == 0 && all.study) {
		free(s->prefix);
		s->prefix = et_strdup(all.study);
	} else if (rc == 0 && s->single) {
		rc = load_part(s, store, &s->parts[0], id, err);
	} else if (rc == 0) {
		rc = et_fail(err, ENOENT, ET_EXIT_USAGE, "'%s' is no experiment of lab %s", name,
			s->lab);
	}
	for (size_t i = 0; rc == 0 && all.study && i < all.n; i++)
		rc = load_part(s, store, part_named(s, all.list[i].part), all.list[i].id, err);
	et_study_parts_free(&all);
	if (rc)
		forget(s);
	return rc;
}

/* Loads a study by its label (the newest), its prefix, or the id of one of its experiments. */
static int load(struct et_lab_study *s, const char *name, struct et_error *err)
{
	struct et_store *store;
	char id[40];
	int rc = et_stored_search(s->r->cli, name, find, s, &store, id, err);

	if (rc)
		return rc;
	rc = s->loaded(s, store, err);
	et_store_close(store);
	return rc;
}

/* --- measuring --- */

struct et_experiment *et_lab_study_plan(
	const struct et_lab_study *s, const struct et_lab_part *part)
{
	struct et_experiment *e = s->plan(s, part);

	et_study_join(e, s->prefix, s->lab, part->name);
	return e;
}

int et_lab_study_block(struct et_lab_study *s, struct et_lab_part *part, struct et_measuring m,
	struct et_error *err)
{
	struct et_cli quiet = *s->r->cli;

	if (s->r->interrupt->signal)
		return -EINTR;
	quiet.verbosity = -1;
	m.cli = &quiet;
	m.interrupt = s->r->interrupt;
	m.text = stderr;
	m.trust = part->own;
	int rc = *part->id ? et_measuring_resume(&m, part->id, err)
			   : et_measuring_begin(&m, et_lab_study_plan(s, part), err);
	if (rc == 0 && !*part->id) {
		memcpy(part->id, et_session_experiment(m.session)->id, sizeof(part->id));
		part->own = true;
	}
	if (rc == 0)
		rc = et_measuring_drive(&m, err);
	et_measuring_close(&m);
	return rc == -EALREADY ? 0 : rc; /* an earlier session has finished it */
}

int et_lab_study_turns(struct et_lab_study *s, struct et_error *err)
{
	struct et_lab_part *parts[ET_LAB_MOST_PARTS];
	bool more = true;

	for (uint64_t cycle = 0; more; cycle++) {
		size_t n = s->order(s, cycle, parts);
		more = false;
		for (size_t i = 0; i < n; i++) {
			int rc = parts[i]->finished ? 0 : s->block(s, parts[i], err);
			if (rc && rc != -EAGAIN)
				return rc;
			parts[i]->finished = rc == 0;
			more = more || rc;
		}
	}
	return 0;
}

static int measure(struct et_lab_study *s, struct et_error *err)
{
	ET_AUTO_FREE char *usual = et_asprintf("lab %s", s->lab);
	const char *label = s->r->measure.label ? s->r->measure.label : usual;
	int rc = 0;

	if (s->r->given & ET_LAB_RESUME)
		rc = load(s, label, err);
	else
		s->prefix = et_study_name(label);
	return rc ? rc : s->measure(s, err);
}

int et_lab_study_perform(struct et_lab_study *s, struct et_error *err)
{
	const char *from = s->r->measure.from;
	int rc = from ? load(s, from, err) : measure(s, err), rc2 = 0;
	bool has_begun = false;

	for (size_t i = 0; i < s->n; i++)
		has_begun = has_begun || s->parts[i].id[0];
	if (!from && (rc == 0 || rc == -EINTR) && has_begun) {
		ET_AUTO_FREE char *prefix = et_strdup(s->prefix);
		forget(s);
		rc2 = load(s, prefix, err);
	}
	if (rc2 == 0 && (rc == 0 || rc == -EINTR) && s->n_found)
		rc2 = s->print(s, err);
	return et_lab_conclude(s->r, s->n_found ? s->prefix : NULL, true, rc2 ? rc2 : rc);
}

void et_lab_study_free(struct et_lab_study *s)
{
	forget(s);
	free(s->prefix);
}
