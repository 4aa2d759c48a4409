/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/lab_study.h"
#include "base/alloc.h"
#include "cmd/labels.h"
#include "cmd/stored.h"
#include "host/host.h"
#include "model/machine_id.h"
#include "store/cutoffs.h"

#include <string.h>

/* --- labels --- */

char *et_study_label(const char *prefix, enum et_lab_env env, unsigned group)
{
	if (group == 1)
		return et_asprintf("%s/%s", prefix, et_lab_env_names[env]);
	return et_asprintf("%s/%s/%u", prefix, et_lab_env_names[env], group);
}

char *et_study_fact(const char *prefix, enum et_lab_env env)
{
	return et_asprintf("%s/%s: not possible", prefix, et_lab_env_names[env]);
}

/* A time such as 20261116-075012. */
static bool is_stamp(const char *text, size_t n)
{
	return n == 15 && strspn(text, "0123456789") == 8 && text[8] == '-' &&
	       strspn(text + 9, "0123456789") >= 6;
}

/* Returns the length of the prefix of a label of a study, and the part; 0: it is no such label. */
static size_t parse_label(const char *label, enum et_lab_env *env, unsigned *group)
{
	for (const char *at = label; at && (at = strchr(at, '/')); at++) {
		for (int i = 0; i < ET_ENVS; i++) {
			size_t n = strlen(et_lab_env_names[i]);
			const char *end = at + 1 + n, *stamp = at - 15;
			if (stamp <= label || !is_stamp(stamp, 15) || stamp[-1] != '/' ||
				strncmp(at + 1, et_lab_env_names[i], n))
				continue;
			bool grouped = end[0] == '/' && end[1] > '1' &&
				       end[1] <= '0' + ET_STUDY_GROUPS && !end[2];
			if (*end && !grouped)
				continue;
			*env = (enum et_lab_env)i;
			*group = grouped ? (unsigned)(end[1] - '0') : 1;
			return (size_t)(at - label);
		}
	}
	return 0;
}

bool et_study_has(const char *label)
{
	enum et_lab_env env;
	unsigned group;

	return label && parse_label(label, &env, &group);
}

/* --- finding them --- */

/* Whether a label belongs to the study of that prefix, or to one of that label. */
static bool is_named(const char *label, size_t prefix, const char *name)
{
	size_t n = strlen(name);

	return (n == prefix || n + 16 == prefix) && !strncmp(label, name, n);
}

/* Returns the prefix of the study that a name means, or NULL. Caller frees. */
static char *find_prefix(const struct et_labels *l, const char *name, const char *id)
{
	enum et_lab_env env;
	unsigned group;

	for (size_t i = 0; i < l->n; i++) {
		size_t n = parse_label(l->list[i].label, &env, &group);
		if (n && (id ? !strcmp(l->list[i].id, id) : is_named(l->list[i].label, n, name)))
			return et_strndup(l->list[i].label, n);
	}
	return NULL;
}

static int load_one(struct et_study *s, struct et_store *store, const char *id, enum et_lab_env env,
	unsigned group, struct et_error *err)
{
	int rc = et_store_load(store, id, &s->sources[s->n].e, err);

	if (rc)
		return rc;
	s->groups[s->n] = group;
	s->sources[s->n++].env = env;
	return 0;
}

static bool has_part(const struct et_study *s, enum et_lab_env env, unsigned group)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->sources[i].env == env && s->groups[i] == group)
			return true;
	}
	return false;
}

static int load_parts(
	struct et_study *s, struct et_store *store, const struct et_labels *l, struct et_error *err)
{
	char machine[ET_MACHINE_SIZE];
	enum et_lab_env env;
	unsigned group;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < l->n; i++) {
		size_t n = parse_label(l->list[i].label, &env, &group);
		if (n && n == strlen(s->prefix) && !strncmp(l->list[i].label, s->prefix, n) &&
			!has_part(s, env, group))
			rc = load_one(s, store, l->list[i].id, env, group, err);
	}
	et_host_identity("", machine, sizeof(machine));
	if (s->n) /* it may have been measured on another machine */
		memcpy(machine, s->sources[0].e->machine, sizeof(machine));
	for (int i = 0; rc == 0 && i < ET_ENVS; i++) {
		ET_AUTO_FREE char *key = et_study_fact(s->prefix, (enum et_lab_env)i);
		rc = et_store_get_fact(store, machine, key, &s->why_not[i], err);
	}
	return rc;
}

static int load_from(
	struct et_study *s, struct et_store *store, const char *name, struct et_error *err)
{
	struct et_labels all = { 0 };
	char id[40];
	int rc = et_labels_read(&all, store, err);

	if (rc == 0)
		s->prefix = find_prefix(&all, name, NULL);
	if (rc == 0 && !s->prefix) {
		rc = et_store_find(store, name, id, err);
		if (rc == 0)
			s->prefix = find_prefix(&all, name, id);
	}
	if (rc == 0)
		rc = s->prefix ? load_parts(s, store, &all, err)
			       : load_one(s, store, id, ET_ENV_AS_IS, 1, err);
	et_labels_free(&all);
	return rc;
}

int et_study_load(struct et_study *s, const char *name, struct et_error *err)
{
	struct et_store *store;
	int rc = et_stored_open(s->r->cli, ET_STORE_READ, &store, err);

	if (rc)
		return rc;
	rc = load_from(s, store, name, err);
	if (rc == 0 && s->n)
		rc = et_cutoffs_load(store, s->sources[0].e->machine, s->sources[0].e->host.name,
			&s->cutoffs, &s->learned, err);
	et_store_close(store);
	return rc;
}

void et_study_free(struct et_study *s)
{
	for (size_t i = 0; i < s->n; i++)
		et_experiment_free(s->sources[i].e);
	for (int i = 0; i < ET_ENVS; i++)
		free(s->why_not[i]);
	if (s->learned)
		et_cutoffs_free(&s->cutoffs);
	free(s->prefix);
	*s = (struct et_study){ .r = s->r };
}
