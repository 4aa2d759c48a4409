/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon daemons forget`: removes the cutoffs of this machine, and says how to get them back. */
#include "app/daemons/daemons.h"
#include "base/alloc.h"
#include "cli/ask.h"
#include "host/host.h"
#include "model/experiment/machine_id.h"
#include "source/stored.h"
#include "store/core/cutoffs.h"

#include <errno.h>
#include <string.h>

static bool is_kept(struct et_store *s, const char *id)
{
	char found[40];

	return *id && et_store_find(s, id, found, NULL) == 0;
}

/* The samples are experiments like others, and have not been removed with the cutoffs. */
static void print_way_back(struct et_store *s, const struct et_cutoffs *c)
{
	bool second = is_kept(s, c->long_id);

	if (is_kept(s, c->short_id) && (second || !*c->long_id))
		printf("to get it back, run 'etalon daemons analyse %s%s%s --keep'\n", c->short_id,
			second ? " " : "", c->long_id);
	else
		printf("its samples are not stored any more; run 'etalon daemons learn' to learn "
		       "again\n");
}

static int forget(const struct et_cli *cli, const struct et_host *host, const struct et_cutoffs *c,
	struct et_error *err)
{
	ET_AUTO_FREE char *what = c ? et_learned_describe(c) : et_strdup("damaged");
	char machine[ET_MACHINE_SIZE];
	struct et_store *store;

	int rc = et_stored_open(cli, ET_STORE_WRITE, &store, err);
	if (rc)
		return rc;
	et_host_identity("", machine, sizeof(machine));
	rc = et_cutoffs_forget(store, machine, host->name, err);
	if (rc == 0 && cli->verbosity >= 0) {
		printf("removed the cutoffs of this machine: %s\n", what);
		if (c)
			print_way_back(store, c);
	}
	et_store_close(store);
	return rc;
}

/* Without a terminal nobody can answer, so --yes is needed. */
static int confirm(bool yes, const char *what, bool *agreed, struct et_error *err)
{
	*agreed = yes;
	if (yes)
		return 0;
	if (!et_can_ask())
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_USAGE,
				"daemons forget cannot ask: there is no terminal"),
			"add --yes");
	ET_AUTO_FREE char *about = et_asprintf("The cutoffs of this machine %s.", what);
	*agreed = et_ask(about, "Remove them?");
	return 0;
}

int et_daemons_forget(const struct et_cli *cli, bool yes, struct et_error *err)
{
	struct et_cutoffs c = { 0 };
	struct et_store *store;
	struct et_host host;
	char machine[ET_MACHINE_SIZE];
	bool there = false, agreed;

	et_host_read("", &host);
	et_host_identity("", machine, sizeof(machine));
	int rc = et_stored_open(cli, ET_STORE_READ, &store, err);
	if (rc && rc != -ENOENT)
		return rc;
	if (rc == 0) {
		rc = et_cutoffs_load(store, machine, host.name, &c, &there, err);
		et_store_close(store);
	}
	bool damaged = rc == -EINVAL && there;
	if (!there) {
		if (cli->verbosity >= 0)
			printf("nothing is learned on this machine\n");
		return rc == -ENOENT ? 0 : rc;
	}
	ET_AUTO_FREE char *learned = damaged ? NULL : et_learned_describe(&c);
	ET_AUTO_FREE char *what =
		damaged ? et_strdup("cannot be read") : et_asprintf("were %s", learned);
	rc = confirm(yes, what, &agreed, err);
	if (rc == 0 && agreed)
		rc = forget(cli, &host, damaged ? NULL : &c, err);
	if (!damaged)
		et_cutoffs_free(&c);
	return rc;
}
