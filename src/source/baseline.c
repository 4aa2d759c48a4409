/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/baseline.h"
#include "source/stored.h"
#include "source/trusted.h"

static int check_trust(const struct et_cli *cli, const struct et_store *store, const char *name,
	bool given, const struct et_experiment *e, struct et_error *err)
{
	struct et_trust trust = et_trusted(cli, given);

	trust.named = name;
	trust.way = "etalon run --baseline";
	return et_trust_experiment(&trust, store, e, err);
}

static bool same(const char *a, const char *b)
{
	return !strcmp(a ? a : "", b ? b : "");
}

/* The two commands must find the same files, and run as the same user. */
static int check_child(
	const struct et_experiment *kept, const struct et_experiment *e, struct et_error *err)
{
	ET_AUTO_FREE char *here = get_current_dir_name();

	if (kept->child.directory && here && strcmp(kept->child.directory, here))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--baseline: experiment %s ran in another folder", kept->id),
			"run this in %s", kept->child.directory);
	if (!same(kept->child.input, e->child.input))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--baseline: experiment %s had another --input", kept->id),
			"use --input %s", kept->child.input ? kept->child.input : "null");
	if (!same(kept->child.user, e->child.user))
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--baseline: experiment %s ran as another --user", kept->id);
	return 0;
}

static int check_command(const struct et_experiment *kept, const char *name, struct et_error *err)
{
	if (kept->n_commands != 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"--baseline: experiment %s has %zu commands, not one", kept->id,
				kept->n_commands),
			"measure the baseline alone: etalon run --label %s COMMAND", name);
	if (!kept->commands[0].argv || !kept->commands[0].argv[0])
		return et_fail(err, EINVAL, ET_EXIT_USAGE,
			"--baseline: the record %s does not say how its command is run", kept->id);
	return 0;
}

/* Moves the command out of the record. */
static void move_command(struct et_experiment *kept, const char *name, struct et_experiment *e)
{
	struct et_command c = kept->commands[0];

	memset(&kept->commands[0], 0, sizeof(c));
	char *full = et_asprintf("%s (%s)", c.name, name);
	free(c.name);
	c.name = full;
	e->commands = et_realloc(e->commands, e->n_commands + 1, sizeof(c));
	memmove(&e->commands[1], &e->commands[0], e->n_commands * sizeof(c));
	e->commands[0] = c;
	e->n_commands++;
	e->plan.reference = 0;
}

int et_baseline_add(const struct et_cli *cli, const char *name, bool trust, struct et_experiment *e,
	struct et_error *err)
{
	struct et_experiment *kept = NULL;
	struct et_store *store;
	char id[40];

	int rc = et_stored_locate(cli, name, &store, id, err);
	if (rc)
		return rc;
	rc = et_store_load_head(store, id, &kept, err);
	if (rc == 0)
		rc = check_command(kept, name, err);
	if (rc == 0)
		rc = check_child(kept, e, err);
	if (rc == 0)
		rc = check_trust(cli, store, name, trust, kept, err);
	if (rc == 0)
		move_command(kept, name, e);
	et_experiment_free(kept);
	et_store_close(store);
	return rc;
}
