/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon rm ID…`: removes stored experiments; finds all of them before it removes one. */
#include "cli/cli.h"
#include "cli/server.h"
#include "store/core/store.h"

typedef char experiment_id[40];

static bool is_among(const experiment_id *ids, size_t n, const char *id)
{
	for (size_t i = 0; i < n; i++) {
		if (!strcmp(ids[i], id))
			return true;
	}
	return false;
}

/* Finds the id of each name, without duplicates. Opens for reading, which creates no store. */
static int find_all(
	const char *url, char *const *names, experiment_id *ids, size_t *n, struct et_error *err)
{
	struct et_store *store = NULL;
	int rc = et_server_open(url, ET_STORE_READ, &store, err);

	*n = 0;
	for (; !rc && *names; names++) {
		rc = et_store_find(store, *names, ids[*n], err);
		if (!rc && !is_among(ids, *n, ids[*n]))
			++*n;
	}
	et_store_close(store);
	return rc;
}

static int remove_all(const struct et_cli *cli, char *const *names, size_t n, struct et_error *err)
{
	ET_AUTO_FREE char *url = et_cli_store_url(cli);
	ET_AUTO_FREE experiment_id *ids = et_calloc(n, sizeof(*ids));
	struct et_store *store = NULL;
	int rc = find_all(url, names, ids, &n, err);

	if (!rc)
		rc = et_server_open(url, ET_STORE_WRITE, &store, err);
	for (size_t i = 0; !rc && i < n; i++) {
		rc = et_store_claim(store, ids[i], err);
		if (!rc)
			rc = et_store_remove(store, ids[i], err);
		et_store_release(store);
		if (!rc && cli->verbosity >= 0)
			printf("removed %s\n", ids[i]);
	}
	et_store_close(store);
	return rc;
}

static int run(struct et_cli *cli, int argc, char **argv);

const struct et_verb et_verb_rm = {
	.name = "rm",
	.operands = "STORED",
	.summary = "remove stored experiments",
	.usage = "[options] ID|LABEL|last…",
	.about = "ID may be shortened as long as it is unambiguous; a LABEL means the newest\n"
		 "experiment with that label. Nothing is removed unless all of them are found.",
	.examples = "  etalon rm last\n",
	.uses_store = true,
	.rights = ET_RIGHTS_FILES,
	.run = run,
};

static int run(struct et_cli *cli, int argc, char **argv)
{
	struct et_operands ops;
	struct et_error err;
	int rc, status = et_cli_parse(cli, &et_verb_rm, argc, argv, NULL, &ops);

	if (status >= 0)
		return status;
	if (!ops.n_before || ops.n_after)
		rc = et_refuse(&err, "use 'etalon rm ID'; run 'etalon list' to see the ids",
			"rm: no experiment given");
	else
		rc = remove_all(cli, ops.before, ops.n_before, &err);
	et_operands_free(&ops);
	return rc ? et_cli_fail(&err) : ET_EXIT_DONE;
}
