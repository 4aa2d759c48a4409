/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A store in a temporary folder, and an error, for the tests that need no more. ET_TEST_STORE names
 * an empty store to be used instead.
 */
#pragma once

#include "store/core/store.h"
#include "tap.h"

#include <stdlib.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char path[300]; /* of the store's file, or its URL */
static struct et_error err;

static inline void make_folder(void)
{
	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	const char *given = getenv("ET_TEST_STORE");
	snprintf(path, sizeof(path), given ? "%s" : "%s/store.db", given ? given : folder);
}

static inline struct et_store *open_store(void)
{
	struct et_store *s = NULL;

	if (et_store_open(path, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	return s;
}

/* Loads an experiment through a new handle, which sees only what is durable. NULL: err says why. */
static inline struct et_experiment *load_afresh(const char *id)
{
	struct et_store *s = open_store();
	struct et_experiment *e = NULL;

	err = (struct et_error){ 0 };
	if (et_store_load(s, id, &e, &err))
		e = NULL;
	et_store_close(s);
	return e;
}
