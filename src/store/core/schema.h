/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The tables of a store, and the migration of older stores. Private to src/store and its tests. */
#pragma once

#include "store/core/backend.h"

struct et_schema {
	const char *const *steps; /* step i turns a store of version i into one of version i + 1 */
	int version;              /* the newest: the number of steps */
};

extern const struct et_schema et_store_schema;

/*
 * Brings an empty database or an older store to the newest version, in one transaction. Fails if a
 * newer etalon made the store.
 */
int et_schema_migrate(
	struct et_database *db, const struct et_schema *schema, struct et_error *err) ET_CHECK;
