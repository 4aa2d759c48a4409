/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Stores an experiment with known figures, for tests of commands that read a store. */
#include "fixture.h"
#include "store/core/store.h"

int main(int argc, char **argv)
{
	static const char *const names[] = { "gzip -k -9 -f data", "a|b,\"c\"\n\033[31m" };
	struct et_error err = { 0 };
	struct et_store *store;

	if (argc != 3 || et_store_open(argv[1], ET_STORE_WRITE, &store, &err)) {
		fprintf(stderr, "usage: keep-specimen STORE LABEL %s\n", err.what);
		return 2;
	}
	struct et_experiment *e = fixture_experiment(names, 2);
	e->label = et_strdup(argv[2]);
	int rc = et_store_keep(store, e, &err);
	if (rc)
		fprintf(stderr, "%s\n", err.what);
	et_store_close(store);
	et_experiment_free(e);
	return rc ? 1 : 0;
}
