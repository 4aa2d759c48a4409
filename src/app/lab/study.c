/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/study.h"
#include "base/alloc.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "session/removal.h"
#include "source/stored.h"
#include "source/studies.h"
#include "store/core/cutoffs.h"

#include <string.h>

/* --- names --- */

char *et_study_part(enum et_lab_env env, unsigned group)
{
	if (group == 1)
		return et_strdup(et_lab_env_names[env]);
	return et_asprintf("%s/%u", et_lab_env_names[env], group);
}

/* The reverse; false: it is no such part. */
static bool read_part(const char *part, enum et_lab_env *env, unsigned *group)
{
	for (unsigned i = 0; i < ET_STUDY_PARTS; i++) {
		*env = (enum et_lab_env)(i / ET_STUDY_GROUPS);
		*group = 1 + i % ET_STUDY_GROUPS;
		ET_AUTO_FREE char *name = et_study_part(*env, *group);
		if (!strcmp(name, part))
			return true;
	}
	return false;
}

static bool is_part(void *ctx, const char *part)
{
	enum et_lab_env env;
	unsigned group;

	(void)ctx;
	return read_part(part, &env, &group);
}

char *et_study_fact(const char *prefix, enum et_lab_env env)
{
	return et_asprintf("%s/%s: not possible", prefix, et_lab_env_names[env]);
}

/* --- finding them --- */

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

static int load_parts(struct et_study *s, struct et_store *store, const struct et_study_parts *p,
	struct et_error *err)
{
	char machine[ET_MACHINE_SIZE];
	enum et_lab_env env;
	unsigned group;
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < p->n; i++) {
		if (read_part(p->list[i].part, &env, &group) && !has_part(s, env, group))
			rc = load_one(s, store, p->list[i].id, env, group, err);
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
	void *ctx, struct et_store *store, const char *name, char id[40], struct et_error *err)
{
	struct et_study *s = ctx;
	struct et_study_parts parts = { .lab = ET_STUDY_LAB, .is_part = is_part };
	int rc = et_studies_find(&parts, store, name, id, err);

	if (rc == 0 && parts.study) {
		s->prefix = et_strdup(parts.study);
		rc = load_parts(s, store, &parts, err);
	} else if (rc == 0) {
		rc = load_one(s, store, id, ET_ENV_AS_IS, 1, err);
	}
	et_study_parts_free(&parts);
	if (rc)
		et_study_free(s);
	return rc;
}

int et_study_load(struct et_study *s, const char *name, struct et_error *err)
{
	struct et_store *store;
	char id[40];
	int rc = et_stored_search(s->r->cli, name, load_from, s, &store, id, err);

	if (rc)
		return rc;
	if (s->n)
		rc = et_session_cutoffs(store, s->sources[0].e, &s->cutoffs, &s->learned, err);
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
