/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The environments of a study: what each of them changes, and which ones this machine can have. */
#include "app/lab/study.h"
#include "base/alloc.h"
#include "base/display.h"
#include "conduct/tuning.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"

#include <string.h>

/* The factors that each environment changes; NULL: none. */
#define QUIET "daemons,timers,irqbalance"
#define V1 QUIET ",time-daemon"
#define V2 QUIET ",time-sync"
#define V3 V2 ",turbo,frequency-limits,frequency-governor"
static const char *const changes[ET_ENVS] = {
	[ET_ENV_V1] = V1, [ET_ENV_V2] = V2, [ET_ENV_V3] = V3
};

struct et_env_wish et_study_wish(enum et_lab_env env)
{
	return (struct et_env_wish){ .apply = changes[env] != NULL, .only = changes[env] };
}

static const struct et_finding *find(const struct et_findings *f, const char *name)
{
	for (size_t i = 0; i < f->n; i++) {
		if (!strcmp(f->list[i].factor, name))
			return &f->list[i];
	}
	return NULL;
}

/* Returns what is wrong with a factor that must be as wanted, or NULL. Caller frees. */
static char *not_as_wanted(const struct et_findings *now, const char *name)
{
	const struct et_finding *f = find(now, name);

	return f && f->verdict == ET_VERDICT_FINE
		       ? NULL
		       : et_asprintf("%s: %s", name, f && f->state ? f->state : "not known");
}

/* Returns why the applied environment is not that of the version, or NULL. Caller frees. */
static char *objection(
	enum et_lab_env env, const struct et_findings *before, const struct et_findings *now)
{
	const struct et_finding *was = find(before, "daemons"), *is = find(now, "daemons");

	/* Some daemons cannot be stopped; the rule of the version names them. */
	if (was && is && is->verdict == ET_VERDICT_DISTURBS && !strcmp(was->state, is->state))
		return et_asprintf("no daemon could be stopped: %s", is->state);
	if (env == ET_ENV_V1)
		return not_as_wanted(now, "time-daemon");
	if (env == ET_ENV_V2)
		return not_as_wanted(now, "time-sync");
	char *why = not_as_wanted(now, "turbo");
	return why ? why : not_as_wanted(now, "frequency-limits");
}

static void look(
	const struct et_machine *m, const struct et_env_wish *wish, struct et_findings *out)
{
	struct et_error never; /* the names are ours */
	ET_AUTO_FREE bool *selected = et_env_select(wish, false, &never);

	et_factors_check(m, selected, out);
}

/* The error of `run --env` without the name of that option. */
static const char *without_option(const char *what)
{
	static const char option[] = "--env: ";

	return strncmp(what, option, strlen(option)) ? what : what + strlen(option);
}

/* Applies an environment, looks at the machine and restores it. Returns what is wrong, or NULL. */
static char *rehearse(const struct et_study *s, enum et_lab_env env)
{
	struct et_findings before = { 0 }, now = { 0 };
	struct et_env_wish wish = et_study_wish(env);
	struct et_tuning tuning = { 0 };
	struct et_error why = { 0 };
	struct et_machine m;

	et_cli_machine(&m);
	look(&m, &wish, &before);
	et_machine_free(&m);
	int rc = et_tuning_begin(&tuning, s->r->cli, &wish, NULL, stderr, &why);
	if (rc == 0)
		look(&tuning.machine, &wish, &now);
	char *text = rc ? et_strdup(without_option(why.what)) : objection(env, &before, &now);
	et_tuning_end(&tuning, s->r->cli);
	et_findings_free(&before);
	et_findings_free(&now);
	return text;
}

static int store_reason(const struct et_study *s, enum et_lab_env env, struct et_error *err)
{
	ET_AUTO_FREE char *key = et_study_fact(s->prefix, env);
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	et_host_identity("", machine, sizeof(machine));
	int rc = et_stored_open(s->r->cli, ET_STORE_WRITE, &store, err);

	if (rc)
		return rc;
	rc = et_store_set_fact(store, machine, key, s->why_not[env], err);
	et_store_close(store);
	return rc;
}

/* Each version includes the one before it, so one that is not possible ends the list. */
int et_study_choose(struct et_study *s, bool measured[ET_ENVS], struct et_error *err)
{
	int rc = 0;

	measured[ET_ENV_AS_IS] = true;
	measured[ET_ENV_PACED] = s->r->given & ET_LAB_PACE;
	for (int env = ET_ENV_V1; rc == 0 && env <= ET_ENV_V3; env++) {
		if (s->why_not[env])
			continue; /* as when the study began */
		if (env > ET_ENV_V1 && !measured[env - 1])
			s->why_not[env] =
				et_asprintf("%s is not possible", et_lab_env_names[env - 1]);
		else
			s->why_not[env] = rehearse(s, (enum et_lab_env)env);
		measured[env] = !s->why_not[env];
		if (s->why_not[env])
			rc = store_reason(s, (enum et_lab_env)env, err);
		if (s->why_not[env] && s->r->cli->verbosity >= 0)
			et_say(stderr, "etalon: %s is left empty: %s\n", et_lab_env_names[env],
				s->why_not[env]);
	}
	return rc;
}
