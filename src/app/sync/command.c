/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon sync`: brings experiments to a central store, and from one. */
#include "app/sync/sync.h"
#include "base/clock.h"
#include "base/display.h"
#include "base/parse.h"
#include "cli/secret.h"
#include "cli/server.h"
#include "model/experiment/field_rows.h"
#include "report/listing.h"
#include "source/stored.h"

#include <time.h>

/* A date as in 2026-11-16, at midnight UTC, or how long ago. */
static int set_since(
	const struct et_option *o, void *ctx, char *const *values, struct et_error *err)
{
	const char *text = values[0];
	uint64_t *since = et_option_target(o, ctx), ago, now = et_clock_read_ns(CLOCK_REALTIME);
	struct tm tm = { 0 };
	const char *end = strptime(text, "%Y-%m-%d", &tm);

	if (end && !*end) {
		*since = (uint64_t)timegm(&tm) * UINT64_C(1000000000);
		return 0;
	}
	if (et_parse_duration("--since", text, &ago, NULL) || ago > now)
		return et_refuse(err,
			"use a date as in 2026-11-16, or how long ago as in 12h or 7d",
			"--since: '%s' is no date", text);
	*since = now - ago;
	return 0;
}

static const struct et_option options[] = {
	{ 0, "status", NULL, "show what waits to be delivered, since when, and the latest error",
		et_set_true, ET_FILLS(et_sync, status), .excludes = "from|all|prune|setup|ID" },
	{ 0, "json", NULL, "print JSON instead of a table", et_set_true, ET_FILLS(et_sync, json),
		.needs = "status" },
	{ 0, "from", "URL",
		"copy experiments that others measured from this store into the local one",
		et_set_url, ET_FILLS(et_sync, from), .excludes = "all|prune|setup" },
	{ 0, "label", "TEXT", "only those with this label", et_set_text,
		ET_FILLS(et_sync, filter.label), .needs = "from" },
	{ 0, "machine", "NAME", "only those of this machine or host name", et_set_text,
		ET_FILLS(et_sync, filter.machine), .needs = "from" },
	{ 0, "since", "DATE", "only those that began at that date or later, or that long ago",
		set_since, ET_FILLS(et_sync, filter.since_wall_ns), .needs = "from" },
	{ 'n', "limit", "N", "only the newest N (all)", et_set_u64, ET_FILLS(et_sync, filter.limit),
		.lo = 1, .hi = INT64_MAX, .needs = "from" },
	{ 0, "all", NULL, "deliver all experiments of the local store", et_set_true,
		ET_FILLS(et_sync, all), .excludes = "prune|setup" },
	{ 0, "prune", NULL, "remove from the spool what the central store has", et_set_true,
		ET_FILLS(et_sync, prune), .excludes = "setup|ID" },
	{ 0, "dry-run", NULL, "print what would be done, and change nothing", et_set_true,
		ET_FILLS(et_sync, dry_run) },
	{ 0, "setup", NULL, "prepare the database of a central store, with its roles", et_set_true,
		ET_FILLS(et_sync, setup), .excludes = "ID" },
	{ 0 },
};

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_sync = {
	.name = "sync",
	.operands = "STORED",
	.summary = "deliver experiments to a central store, or copy them from one",
	.usage = "[options]\n[options] --all|ID…\n--from URL [options] [ID…]\n--setup --store URL",
	.about = "Without operands it delivers what waits in the spool: experiments that were\n"
		 "measured for a central store which could not be reached then.",
	.examples = "  etalon sync\n  etalon sync --status\n"
		    "  etalon sync --store sqlite:other.db --all\n"
		    "  etalon sync --from sqlite:other.db --since 7d\n",
	.options = options,
	.uses_store = true,
	.rights = ET_RIGHTS_NETWORK,
	.run = run,
};

const char *et_sync_central(const struct et_cli *cli)
{
	const char *url = et_cli_store_given(cli);

	return url && (cli->store || et_store_url_is_server(url)) ? url : NULL;
}

int et_sync_open_spool(struct et_store **out, struct et_error *err)
{
	ET_AUTO_FREE char *path = NULL;
	int rc = et_stored_spool_path(&path, err);

	*out = NULL;
	if (rc || access(path, F_OK))
		return rc;
	return et_spool_open(path, ET_STORE_WRITE, NULL, NULL, out, err);
}

/* --- --setup --- */

static int set_up(struct et_store *store, const struct et_cli *cli, struct et_error *err)
{
	bool have_roles = false;
	ET_AUTO_FREE char *name = et_clean(et_store_url(store), "");
	int rc = et_store_setup(store, &have_roles, err);

	if (rc)
		return rc;
	if (!have_roles) {
		fputs(et_setup_roles, stdout);
		return et_fail_hint(err, EPERM, ET_EXIT_OUTSIDE,
			"have an administrator execute the statements above, then run this "
			"command again",
			"%s: the tables are ready, but this user may not create roles", name);
	}
	if (cli->verbosity >= 0)
		printf("%s is ready.\n"
		       "Let a user add experiments:      GRANT etalon_add TO name;\n"
		       "add, and remove their own:       GRANT etalon_edit TO name;\n"
		       "only read:                       GRANT etalon_read TO name;\n",
			name);
	return 0;
}

/* A store that is not there, or has an older schema, cannot be opened for reading. */
static int print_plan(const char *url, struct et_error *err)
{
	ET_AUTO_FREE char *shown = et_store_url_without_secrets(url);
	ET_AUTO_FREE char *name = et_clean(shown, "");
	struct et_store *store = NULL;
	int rc = et_server_open(url, ET_STORE_READ, &store, err);

	et_store_close(store);
	if (rc && rc != -ENOENT && rc != -EUCLEAN)
		return rc;
	printf("%s: would %s, and make the roles and rules again\n", name,
		rc == -ENOENT    ? "make the tables"
		: rc == -EUCLEAN ? "bring the tables up to date"
				 : "keep the tables, which are up to date");
	return 0;
}

/* Prepares the central store that --store or ETALON_STORE names. */
static int prepare_store(const struct et_cli *cli, bool dry_run, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	struct et_store *store = NULL;

	if (!et_store_url_is_server(url))
		return et_refuse(err, "name a central store: --store postgresql://HOST/DATABASE",
			"a store in a file has no roles to set up");
	if (dry_run)
		return print_plan(url, err);
	int rc = et_server_open(url, ET_STORE_SETUP, &store, err);

	if (rc)
		return rc;
	rc = set_up(store, cli, err);
	et_store_close(store);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}

/* --- --status --- */

static const struct et_field entry_fields[] = {
	ET_KEY(et_outbox_entry, "id", experiment),
	ET_KEYS(et_outbox_entry, label),
	ET_KEY_NAME(et_outbox_entry, "state", state, et_state_names),
	ET_KEY(et_outbox_entry, "samples", n_samples),
	ET_KEYS(et_outbox_entry, destination),
	ET_KEY_BY(et_outbox_entry, "queued", queued_wall_ns, et_time_json),
	ET_KEY_BY(et_outbox_entry, "delivered", delivered_wall_ns, et_time_json),
	ET_KEY_BY(et_outbox_entry, "tried", tried_wall_ns, et_time_json),
	ET_KEYS(et_outbox_entry, error),
	{ 0 },
};

static void print_json(const char *path, const struct et_outbox *all)
{
	struct et_json w;
	size_t waiting = 0;

	for (size_t i = 0; i < all->n; i++)
		waiting += !all->list[i].delivered_wall_ns;
	et_json_init(&w, stdout, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "spool", path);
	et_json_u64(&w, "waiting", waiting);
	et_json_array(&w, "experiments");
	for (size_t i = 0; i < all->n; i++)
		et_fields_object(&w, NULL, entry_fields, &all->list[i]);
	et_json_end(&w);
	et_json_end(&w);
}

static void print_entry(const struct et_outbox_entry *entry)
{
	char since[32];
	ET_AUTO_FREE char *label = et_clean(entry->label ? entry->label : "", "");
	ET_AUTO_FREE char *url = et_clean(entry->destination, "");
	ET_AUTO_FREE char *error = entry->error ? et_clean(entry->error, "") : NULL;

	printf("%s%s%s%s: %" PRIu64 " sample%s for %s, since %s\n", entry->experiment,
		*label ? " (" : "", label, *label ? ")" : "", entry->n_samples,
		entry->n_samples == 1 ? "" : "s", url,
		et_format_rfc3339(entry->queued_wall_ns, since));
	if (error)
		printf("  latest attempt: %s: %s\n", et_format_rfc3339(entry->tried_wall_ns, since),
			error);
}

static void print_text(const char *path, const struct et_outbox *all)
{
	size_t waiting = 0, delivered = 0;
	ET_AUTO_FREE char *clean = et_clean(path, "");

	for (size_t i = 0; i < all->n; i++) {
		if (all->list[i].delivered_wall_ns) {
			delivered++;
		} else {
			waiting++;
			print_entry(&all->list[i]);
		}
	}
	printf("%zu wait%s to be delivered, %zu %s delivered; spool: %s\n", waiting,
		waiting == 1 ? "s" : "", delivered, delivered == 1 ? "was" : "were", clean);
}

static int show_status(bool json, struct et_error *err)
{
	ET_AUTO_FREE char *path = NULL;
	struct et_outbox all = { 0 };
	struct et_store *spool = NULL;
	int rc = et_stored_spool_path(&path, err);

	if (!rc && access(path, F_OK) == 0) {
		rc = et_spool_open(path, ET_STORE_READ, NULL, NULL, &spool, err);
		if (!rc)
			rc = et_outbox_read(spool, &all, err);
		et_store_close(spool);
	}
	if (rc)
		return rc;
	(json ? print_json : print_text)(path, &all);
	et_outbox_free(&all);
	return et_cli_close_output(stdout, "-", err);
}

/* --- --from --- */

char *et_sync_local_url(const struct et_sync *o)
{
	const char *url = o->environment;
	ET_AUTO_FREE char *own = et_cli_own_store();

	if (url && *url && !et_store_url_is_server(url))
		return et_strdup(url);
	return et_asprintf("sqlite:%s", own);
}

void et_sync_print_failure(const char *id, const char *lead, const struct et_error *err)
{
	struct et_error named = *err;

	if (*lead || !strstr(err->what, id))
		et_hint(&named, et_fail(&named, EIO, err->exit, "%s: %s%s", id, lead, err->what),
			"%s", err->hint);
	(void)!et_cli_fail(&named);
}

/* The items of the ids that the user named. */
static int list_named(
	struct et_store *central, char *const *names, struct et_pull *out, struct et_error *err)
{
	struct et_pull all = { 0 };
	size_t room = 0;
	int rc = 0;

	for (; !rc && *names; names++) {
		ET_GROW(all.list, all.n, room);
		struct et_pull_item *item = &all.list[all.n];
		memset(item, 0, sizeof(*item));
		rc = et_store_find(central, *names, item->id, err);
		all.n += rc == 0;
	}
	if (rc)
		et_pull_free(&all);
	else
		*out = all;
	return rc;
}

static int pull_item(const struct et_cli *cli, struct et_store *central, struct et_store *local,
	const struct et_pull_item *item, bool dry_run, struct et_error *err)
{
	enum et_delivered how = ET_DELIVERED_NEW;
	int rc = 0;

	if (!dry_run)
		rc = et_pull_one(central, local, item, &how, err);
	else if (local)
		rc = et_pull_check(local, item->id, item->digest, &how, err);
	if (rc || cli->verbosity < 0)
		return rc;
	if (how == ET_DELIVERED_BEFORE) {
		if (cli->verbosity > 0)
			printf("%s: is in the local store\n", item->id);
	} else {
		printf("%s: %s\n", item->id,
			dry_run                     ? "would be copied"
			: how == ET_DELIVERED_GROWN ? "copied a later state"
						    : "copied");
	}
	return 0;
}

/* Errors about one experiment are printed; others end it. Returns the exit status or -errno. */
static int pull_all(const struct et_cli *cli, const struct et_sync *o, struct et_store *central,
	struct et_store *local, char *const *names, struct et_error *err)
{
	struct et_pull all = { 0 };
	int status = ET_EXIT_DONE;
	int rc = *names ? list_named(central, names, &all, err)
			: et_pull_list(central, &o->filter, &all, err);

	for (size_t i = 0; !rc && i < all.n; i++) {
		rc = pull_item(cli, central, local, &all.list[i], o->dry_run, err);
		if (rc == -EEXIST || rc == -EBADMSG) {
			et_sync_print_failure(all.list[i].id, "", err);
			status = ET_EXIT_OUTSIDE;
			rc = 0;
		}
	}
	if (!rc && !all.n && cli->verbosity >= 0)
		printf("no experiment to copy\n");
	et_pull_free(&all);
	return rc ? rc : status;
}

static int pull(
	const struct et_cli *cli, const struct et_sync *o, char *const *names, struct et_error *err)
{
	ET_AUTO_FREE char *url = cli->store ? et_cli_store_url(cli) : et_sync_local_url(o);
	struct et_store *central = NULL, *local = NULL;
	int rc = et_server_open(et_secret_url(o->from), ET_STORE_READ, &central, err);

	if (!rc && o->dry_run) {
		rc = et_server_open(url, ET_STORE_READ, &local, err);
		rc = rc == -ENOENT ? 0 : rc;
	} else if (!rc) {
		rc = et_server_open(
			url, cli->store ? ET_STORE_WRITE : ET_STORE_CREATE_PATH, &local, err);
	}
	if (!rc)
		rc = pull_all(cli, o, central, local, names, err);
	et_store_close(local);
	et_store_close(central);
	return rc;
}

/* --- the command --- */

static int perform(const struct et_cli *cli, const struct et_sync *o, const struct et_operands *ops,
	struct et_error *err)
{
	if (ops->n_after)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "sync takes no words after --");
	if (o->setup)
		return prepare_store(cli, o->dry_run, err);
	if (o->status)
		return show_status(o->json, err);
	if (o->from)
		return pull(cli, o, ops->before, err);
	if (o->prune)
		return et_sync_prune(cli, o, err);
	if (o->all || ops->n_before)
		return et_sync_upload(cli, o, ops->before, err);
	return et_sync_deliver(cli, o, err);
}

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	/* --store replaces the variable, which may name the local store. */
	const char *environment = getenv("ETALON_STORE");
	ET_AUTO_FREE char *copy = environment ? et_strdup(environment) : NULL;
	struct et_sync o = { .environment = copy };
	struct et_error err = { 0 };
	int status = et_cli_parse(cli, &et_verb_sync, argc, argv, &o, &ops);

	if (status >= 0)
		return status;
	int rc = perform(cli, &o, &ops, &err);
	et_operands_free(&ops);
	return rc < 0 ? et_cli_fail(&err) : rc;
}
