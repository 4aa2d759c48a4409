/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The plan of a learning in the store: how an interrupted one is found and continued. */
#include "app/daemons/daemons.h"
#include "base/alloc.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/environment.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* The key of the plan in the store, where --resume finds it. */
static char *plan_key(const char *label)
{
	return et_asprintf("daemons-learn %s", label);
}

char *et_learn_stage(const struct et_learn_options *o, const char *which)
{
	return et_asprintf("%s-%s", o->label, which);
}

int et_learn_fetch(const struct et_cli *cli, const struct et_learn_options *o, const char *which,
	struct et_experiment **out, struct et_error *err)
{
	ET_AUTO_FREE char *name = et_learn_stage(o, which);
	struct et_experiment *e;

	int rc = et_stored_fetch(cli, name, &e, err);
	if (rc)
		return rc;
	if (e->started_wall_ns < o->begun_wall_ns) {
		et_experiment_free(e);
		return -ENOENT;
	}
	*out = e;
	return 0;
}

int et_learn_keep_plan(
	const struct et_cli *cli, const struct et_learn_options *o, struct et_error *err)
{
	const struct et_learning_plan *p = &o->plan;
	ET_AUTO_FREE char *key = plan_key(o->label);
	ET_AUTO_FREE char *text = et_asprintf(
		"%" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " %d %" PRIu64 " %s", p->short_runs,
		p->short_ns, p->long_runs, p->long_ns, o->tuned, o->begun_wall_ns, o->factors);
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	et_host_identity("", machine, sizeof(machine));
	int rc = et_stored_open(cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	rc = et_store_set_fact(store, machine, key, text, err);
	et_store_close(store);
	return rc;
}

/* Earlier versions had four words: they did not change the environment. */
static int read_plan(struct et_learn_options *o, const char *text, struct et_error *err)
{
	enum { LEAST = 4 };
	uint64_t tuned = 0;
	uint64_t *const values[] = { &o->plan.short_runs, &o->plan.short_ns, &o->plan.long_runs,
		&o->plan.long_ns, &tuned, &o->begun_wall_ns };
	char **words;

	int rc = et_split_words(text, &words, err);
	if (rc)
		return rc;
	size_t n = et_strv_length(words);
	if (n == ET_LENGTH(values) + 1)
		snprintf(o->factors, sizeof(o->factors), "%s", words[--n]);
	if (n < LEAST || n > ET_LENGTH(values))
		rc = et_fail(err, EINVAL, ET_EXIT_OUTSIDE, "the plan stored for '%s' is damaged",
			o->label);
	for (size_t i = 0; rc == 0 && i < n; i++)
		rc = et_parse_u64("the stored plan", words[i], 0, UINT64_MAX, values[i], err);
	et_strv_free(words);
	o->tuned = tuned != 0;
	return rc;
}

/* Sets *there to whether the store has a plan under the label of o, and reads it into o. */
static int find_plan(
	const struct et_cli *cli, struct et_learn_options *o, bool *there, struct et_error *err)
{
	ET_AUTO_FREE char *key = plan_key(o->label);
	ET_AUTO_FREE char *text = NULL;
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	et_host_identity("", machine, sizeof(machine));
	*there = false;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);
	if (rc)
		return rc;
	rc = et_store_get_fact(store, machine, key, &text, err);
	et_store_close(store);
	if (rc || !text)
		return rc;
	*there = true;
	return read_plan(o, text, err);
}

int et_learn_load_plan(const struct et_cli *cli, struct et_learn_options *o, struct et_error *err)
{
	bool there, env = o->env;

	int rc = find_plan(cli, o, &there, err);
	if (rc == 0 && !there)
		rc = et_hint(err,
			et_fail(err, ENOENT, ET_EXIT_USAGE,
				"there is nothing to continue under the label '%s'", o->label),
			"omit --resume");
	if (rc == 0 && env && !o->tuned)
		rc = et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--resume continues a learn that began without --env"),
			"omit --env, or omit --resume to begin anew");
	if (rc == 0 && o->tuned && !env && cli->verbosity >= 0)
		et_say(stderr,
			"etalon: the environment is applied again, as when this learn began\n");
	o->env = o->tuned;
	return rc;
}

int et_learn_choose_factors(struct et_learn_options *o, struct et_error *err)
{
	if (!o->env || o->resume)
		return 0;
	ET_AUTO_FREE char *names =
		et_env_names(&(struct et_env_wish){ .only = o->only ? o->only : ET_EMP_FACTORS,
				     .except = o->except },
			err);
	if (!names)
		return -EINVAL;
	snprintf(o->factors, sizeof(o->factors), "%s", names);
	return 0;
}

/* Sets *state to that of the experiment, if it was measured here with this kernel. */
static int find_stage(const struct et_cli *cli, const struct et_learn_options *o, const char *which,
	const struct et_here *here, enum et_state *state, struct et_error *err)
{
	struct et_experiment *e;

	int rc = et_learn_fetch(cli, o, which, &e, err);
	if (rc)
		return rc;
	if (e->origin == ET_ORIGIN_IMPORTED || !et_machine_same(e->machine, here->machine) ||
		strcmp(e->host.kernel, here->host.kernel))
		rc = -ENOENT;
	else
		*state = e->state;
	et_experiment_free(e);
	return rc;
}

/* That there is nothing to find is no error. */
static int forgive(int rc, struct et_error *err)
{
	if (rc != -ENOENT)
		return rc;
	*err = (struct et_error){ 0 };
	return 0;
}

int et_learn_find(const struct et_cli *cli, const char *label, const struct et_here *here,
	struct et_learn_options *out, bool *there, struct et_error *err)
{
	struct et_learn_options o = { .label = label, .resume = true };
	enum et_state first, second = ET_STATE_DONE;
	bool plan = false;

	*there = false;
	int rc = find_plan(cli, &o, &plan, err);
	if (rc || !plan)
		return forgive(rc, err);
	rc = find_stage(cli, &o, "short", here, &first, err);
	if (rc)
		return forgive(rc, err);
	if (first == ET_STATE_DONE && o.plan.long_runs) {
		second = ET_STATE_INTERRUPTED; /* if there is none */
		rc = forgive(find_stage(cli, &o, "long", here, &second, err), err);
	}
	*there = rc == 0 && (first != ET_STATE_DONE || second != ET_STATE_DONE);
	*out = o;
	return rc;
}
