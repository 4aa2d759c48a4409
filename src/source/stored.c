/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "source/stored.h"
#include "base/display.h"
#include "base/folder.h"
#include "cli/server.h"
#include "source/operand.h"
#include "stats/compare/judge.h"
#include "store/central/campaign.h"
#include "store/central/spool.h"

/* The experiments of this process, which delivers them when its command ends. */
static struct et_queued queued;

bool et_stored_is_spooled(const struct et_cli *cli)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);

	return cli->measures && et_store_url_is_server(url) && et_store_has_server();
}

int et_stored_spool_path(char **out, struct et_error *err)
{
	ET_AUTO_FREE char *own = et_cli_own_store();
	ET_AUTO_FREE char *folder = et_folder_of(own);

	return et_spool_path(getenv("ETALON_SPOOL"), folder, out, err);
}

const struct et_queued *et_stored_queued(void)
{
	return &queued;
}

int et_stored_open_spool(
	const char *url, enum et_store_mode mode, struct et_store **out, struct et_error *err)
{
	ET_AUTO_FREE char *path = NULL;
	int rc = et_stored_spool_path(&path, err);

	if (rc)
		return rc;
	if (mode == ET_STORE_WRITE)
		mode = ET_STORE_CREATE_PATH;
	return et_spool_open(path, mode, url, &queued, out, err);
}

int et_stored_open(const struct et_cli *cli, enum et_store_mode mode, struct et_store **out,
	struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);

	if (et_stored_is_spooled(cli))
		return et_stored_open_spool(url, mode, out, err);
	if (mode == ET_STORE_WRITE && !et_cli_store_given(cli))
		mode = ET_STORE_CREATE_PATH;
	return et_server_open(url, mode, out, err);
}

/*
 * Looks into the spool for what the server does not have, or if it cannot be reached. Returns rc,
 * of which err has the reason, if it is not there.
 */
static int fall_back(const struct et_cli *cli, const char *name, et_stored_find_fn *find, void *ctx,
	int rc, struct et_store **out, char id[40], const struct et_error *err)
{
	ET_AUTO_FREE char *path = NULL;
	struct et_store *spool = NULL;
	struct et_error ignored = { 0 };

	if (et_stored_spool_path(&path, NULL) || access(path, F_OK) ||
		et_spool_open(path, ET_STORE_READ, NULL, NULL, &spool, NULL))
		return rc;
	if (find(ctx, spool, name, id, &ignored)) {
		et_store_close(spool);
		return rc;
	}
	et_store_close(*out);
	*out = spool;
	if (cli->verbosity >= 0 && rc == -ENOENT)
		et_say(stderr, "etalon: %s is in the spool only\n", id);
	else if (cli->verbosity >= 0)
		et_say(stderr, "etalon: %s is read from the spool: %s\n", id, err ? err->what : "");
	return 0;
}

int et_stored_search(const struct et_cli *cli, const char *name, et_stored_find_fn *find, void *ctx,
	struct et_store **out, char id[40], struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	struct et_store *store = NULL;
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);

	if (!rc)
		rc = find(ctx, store, name, id, err);
	if (rc == -ENOENT && et_stored_is_spooled(cli)) {
		et_store_close(store);
		store = NULL;
		rc = et_server_open(url, ET_STORE_READ, &store, err);
		if (!rc)
			rc = find(ctx, store, name, id, err);
	}
	if (rc && rc != -EINVAL && et_store_url_is_server(url) && !cli->measures)
		rc = fall_back(cli, name, find, ctx, rc, &store, id, err);
	if (rc)
		et_store_close(store);
	else
		*out = store;
	return rc;
}

/* A campaign is no experiment, but has some. */
static int find_one(ET_UNUSED void *ctx, struct et_store *store, const char *name, char id[40],
	struct et_error *err)
{
	int rc = et_store_find(store, name, id, err);

	if (rc != -ENOENT || et_campaign_find(store, name, false, id, NULL))
		return rc;
	return et_hint(err,
		et_fail(err, ENOENT, ET_EXIT_USAGE,
			"%s is a campaign: each of its machines has an experiment", id),
		"use 'etalon compare --by machine %s'; 'etalon doe status --json %s' lists its "
		"experiments",
		id, id);
}

int et_stored_locate(const struct et_cli *cli, const char *name, struct et_store **out, char id[40],
	struct et_error *err)
{
	return et_stored_search(cli, name, find_one, NULL, out, id, err);
}

int et_stored_hint(const struct et_cli *cli, int rc, struct et_error *err)
{
	if (rc != -ENOENT || !et_stored_is_spooled(cli))
		return rc;
	return et_hint(err, rc,
		"continue it on the machine that began it, whose spool has its samples; 'etalon "
		"sync --status' prints the path of the spool");
}

int et_stored_keep(const struct et_cli *cli, const struct et_experiment *e, struct et_error *err)
{
	struct et_store *store = NULL;
	int rc = et_stored_open(cli, ET_STORE_WRITE, &store, err);

	if (rc)
		return rc;
	rc = et_store_keep(store, e, err);
	et_store_close(store);
	return rc;
}

int et_stored_load(
	const struct et_cli *cli, const char *name, struct et_stored *out, struct et_error *err)
{
	char id[40];

	err->exit = ET_EXIT_DONE;
	int rc = et_stored_locate(cli, name, &out->store, id, err);
	/* There is no file. */
	if (rc == -ENOENT && err->exit == ET_EXIT_OUTSIDE) {
		ET_AUTO_FREE char *url = et_cli_store_shown(cli);
		et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "nothing is stored yet in %s", url);
		ET_AUTO_FREE char *cure = et_server_cure_missing(cli, url);
		et_hint(err, rc, "%s", cure);
	}
	return rc ? rc : et_store_load(out->store, id, &out->experiment, err);
}

void et_stored_free(struct et_stored *s)
{
	et_judgement_free(&s->judgement);
	et_warnings_free(&s->notes);
	et_experiment_free(s->experiment);
	et_store_close(s->store);
}

int et_stored_fetch(const struct et_cli *cli, const char *name, struct et_experiment **out,
	struct et_error *err)
{
	struct et_stored s = { 0 };
	int rc = et_stored_load(cli, name, &s, err);

	if (rc == 0)
		*out = s.experiment;
	et_store_close(s.store);
	return rc;
}

static int load(const struct et_cli *cli, const struct et_operands *ops, struct et_stored *out,
	struct et_error *err)
{
	size_t n = ops->n_before + ops->n_after;
	char **names = ops->n_before ? ops->before : ops->after;

	if (n > 1)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "'%s': name one experiment only",
			ops->n_before > 1 ? ops->before[1] : ops->after[n - 1 - ops->n_before]);
	return n ? et_operand_load(cli, names[0], out, err) : et_stored_load(cli, "last", out, err);
}

int et_stored_run(struct et_cli *cli, const struct et_verb *verb, int argc, char **argv, void *ctx,
	et_stored_change_fn *change, et_stored_write_fn *write)
{
	struct et_operands ops;
	struct et_error err = { 0 };
	struct et_stored s = { 0 };

	int status = et_cli_parse(cli, verb, argc, argv, ctx, &ops);
	if (status >= 0)
		return status;
	int rc = load(cli, &ops, &s, &err);
	et_operands_free(&ops);
	if (rc == 0 && change)
		rc = change(cli, &s, ctx, &err);
	if (rc == 0) {
		et_judge(s.experiment, &s.judgement);
		et_warnings_append(&s.judgement.warnings, &s.notes);
		rc = write(cli, &s, ctx, &err);
	}
	et_stored_free(&s);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
