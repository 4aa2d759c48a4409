/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SQLite back end. Private to this folder and its tests. */
#pragma once

#include "store/core/backend.h"

#include <sqlite3.h>

/* The longest value and the longest row that a store has. */
enum { ET_SQLITE_MOST_BYTES = 16 << 20 };

struct et_sqlite {
	struct et_database base;
	sqlite3 *db;
	char *path; /* of the file that is open */
	char *name; /* as the user gave it, for messages */
	int claim;  /* the descriptor that locks an experiment, or -1 */
};

extern const struct et_backend et_backend_sqlite;

/* In store/sqlite/database.c, with three of its operations that opening needs. */
extern const struct et_database_ops et_sqlite_ops;
int et_sqlite_script(struct et_database *db, const char *sql, struct et_error *err) ET_CHECK;
int et_sqlite_read_version(struct et_database *db, int64_t *version, struct et_error *err) ET_CHECK;
/* Refuses a schema with tables that compute what they contain. */
int et_sqlite_check_tables(struct et_sqlite *s, struct et_error *err) ET_CHECK;

int et_sqlite_claim(struct et_database *db, const char *id, struct et_error *err) ET_CHECK;
void et_sqlite_release(struct et_database *db);

/*
 * For root: refuses a path where another user could have put the store, and resolves its links. For
 * other users it does nothing.
 */
int et_sqlite_check_owner(char **path, struct et_error *err) ET_CHECK;
/* Whether only this user, or root, could have written the store and what is beside it. */
bool et_sqlite_is_own(const char *path);
/* Whether a user other than root and this one can write the file, what is beside it or a folder
 * above it. */
bool et_sqlite_is_shared(const char *path);

/* Fills err from a result code of SQLite, with a hint where one helps. Returns -errno. */
int et_sqlite_fail(struct et_sqlite *s, int code, struct et_error *err);
