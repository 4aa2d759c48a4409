/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `sync --setup`: prepares the database of a central store. */
#include "app/sync/sync.h"
#include "base/alloc.h"
#include "cli/server.h"
#include "draw/terminal.h"

#include <errno.h>

static int set_up(struct et_store *store, const struct et_cli *cli, struct et_error *err)
{
	bool have_roles = false;
	ET_AUTO_FREE char *name = et_clean(et_store_url(store), "");
	int rc = et_store_setup(store, &have_roles, err);

	if (rc)
		return rc;
	if (!have_roles) {
		fputs(et_setup_roles, stdout);
		return et_hint(err,
			et_fail(err, EPERM, ET_EXIT_OUTSIDE,
				"%s: the tables are ready, but this user may not create roles",
				name),
			"have an administrator execute the statements above, then run this "
			"command again");
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

int et_sync_setup(const struct et_cli *cli, bool dry_run, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	struct et_store *store = NULL;

	if (!et_store_url_is_server(url))
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"a store in a file has no roles to set up"),
			"name a central store: --store postgresql://HOST/DATABASE");
	if (dry_run)
		return print_plan(url, err);
	int rc = et_server_open(url, ET_STORE_SETUP, &store, err);

	if (rc)
		return rc;
	rc = set_up(store, cli, err);
	et_store_close(store);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
