/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cmd/sync_setup.h"
#include "base/alloc.h"
#include "report/terminal.h"
#include "store/setup.h"

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

int et_sync_setup(const struct et_cli *cli, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	struct et_store *store = NULL;
	int rc = et_store_open(url, ET_STORE_SETUP, &store, err);

	if (rc)
		return rc;
	rc = set_up(store, cli, err);
	et_store_close(store);
	return rc ? rc : et_cli_close_output(stdout, "-", err);
}
