/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --from`: copies what others measured. */
#include "app/sync/sync.h"
#include "base/alloc.h"
#include "cli/secret.h"
#include "cli/server.h"

#include <errno.h>
#include <string.h>

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
		rc = et_pull_check(local, item, &how, err);
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

int et_sync_pull(
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
