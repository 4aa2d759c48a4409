/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The SQLite back end's own parts: the handle, its statements (each prepared once), and moving
 * fields between structs and rows. Private to the sqlite_*.c files and their tests.
 */
#ifndef ET_STORE_SQLITE_H
#define ET_STORE_SQLITE_H

#include "model/field.h"
#include "store/backend.h"

#include <sqlite3.h>

enum et_sql {
	ET_SQL_BEGIN,
	ET_SQL_BEGIN_READ,
	ET_SQL_COMMIT,
	ET_SQL_ROLLBACK,
	ET_SQL_ADD_EXPERIMENT,
	ET_SQL_ADD_COMMAND,
	ET_SQL_ADD_PARAMETER,
	ET_SQL_ADD_FACTOR,
	ET_SQL_ADD_SAMPLE,
	ET_SQL_ADD_INTERFERENCE,
	ET_SQL_ADD_PROCESS,
	ET_SQL_FIND_PROCESS,
	ET_SQL_COUNT_SAMPLES,
	ET_SQL_DROP_SAMPLE,
	ET_SQL_DROP_EXPERIMENT,
	ET_SQL_SET_STATE,
	ET_SQL_SET_REMOVAL,
	ET_SQL_FIND_KEY,
	ET_SQL_FIND_LAST,
	ET_SQL_FIND_LABEL,
	ET_SQL_FIND_PREFIX,
	ET_SQL_FIND_UNFINISHED,
	ET_SQL_GET_EXPERIMENT,
	ET_SQL_GET_COMMANDS,
	ET_SQL_GET_PARAMETERS,
	ET_SQL_GET_FACTORS,
	ET_SQL_GET_SAMPLES,
	ET_SQL_GET_INTERFERENCE,
	ET_SQL_LIST,
	ET_SQL_GET_FACT,
	ET_SQL_SET_FACT,
	ET_SQL_LENGTH,
};

struct et_sqlite {
	struct et_store base;
	sqlite3 *db;
	char *path;
	int claim; /* socket that locks an experiment, or -1 */
	sqlite3_stmt *statements[ET_SQL_LENGTH];
	bool in_group;     /* a write transaction is open */
	char id[40];       /* the experiment added to last … */
	int64_t key;       /* … its key, 0 when there is none … */
	int64_t uncounted; /* … and its samples in this group that its row does not count yet */
};

/* --- statements --- */

/* A prepared statement, ready for binding; NULL with err filled on failure. */
sqlite3_stmt *et_sqlite_prepare(struct et_sqlite *s, enum et_sql which, struct et_error *err);
/* 1 with a row, 0 at the end, below 0 on failure. */
int et_sqlite_step(struct et_sqlite *s, sqlite3_stmt *st, struct et_error *err);
/* Prepares and steps a statement that has nothing to bind and no rows. */
int et_sqlite_run(struct et_sqlite *s, enum et_sql which, struct et_error *err);
/* Turns what SQLite says into an error with a cure; returns -errno. */
int et_sqlite_fail(sqlite3 *db, const char *path, int rc, struct et_error *err);
void et_sqlite_release(sqlite3_stmt **st);
#define ET_AUTO_STMT ET_CLEANUP(et_sqlite_release)

/* Copies an id; false when it is NULL or too long to be one. */
bool et_sqlite_copy_id(char id[40], const char *text);

/* A place in the statement's parameters or in the row's columns; each call moves it on. */
struct et_cursor {
	sqlite3_stmt *stmt;
	int at;
};

void et_bind_int(struct et_cursor *c, int64_t value);
void et_bind_text(struct et_cursor *c, const char *text); /* must outlive the step; NULL is NULL */
void et_bind_fields(struct et_cursor *c, const struct et_field *fields, const void *base);

/* NULL, or the field that the row has no sane value for. */
const struct et_field *et_row_fields(
	struct et_cursor *c, const struct et_field *fields, void *base);
/* A whole number from lo to hi; false when it is anything else. */
bool et_row_int(struct et_cursor *c, int64_t lo, int64_t hi, int64_t *out);
/* A copy of the text, NULL for NULL; false when it is no text or absurdly long. */
bool et_row_text(struct et_cursor *c, char **out);

/* --- schema --- */

/* Step i makes a store of version i into one of version i + 1. */
struct et_schema {
	const char *const *steps;
	int version; /* the newest: how many steps there are */
};

extern const struct et_schema et_sqlite_schema;

/*
 * Checks whose file it is and brings an older schema forward, in one transaction. An empty
 * database gets all steps. A store of a newer etalon, or another program's, is an error.
 */
int et_sqlite_migrate(
	sqlite3 *db, const char *path, const struct et_schema *schema, struct et_error *err);

/* --- the operations --- */

int et_sqlite_begin(struct et_store *s, const struct et_experiment *e, struct et_error *err);
int et_sqlite_keep(struct et_store *s, const struct et_experiment *e, struct et_error *err);
int et_sqlite_add(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err);
int et_sqlite_flush(struct et_store *s, struct et_error *err);
int et_sqlite_set_state(struct et_store *s, const char *id, enum et_state state, uint64_t wall_ns,
	struct et_error *err);
int et_sqlite_set_removal(
	struct et_store *s, const char *id, const struct et_sample *sample, struct et_error *err);
int et_sqlite_remove(struct et_store *s, const char *id, struct et_error *err);
int et_sqlite_set_fact(
	struct et_store *s, const char *key, const char *value, struct et_error *err);

int et_sqlite_claim(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;
void et_sqlite_release_claim(struct et_store *s);

int et_sqlite_find(struct et_store *s, const char *name, char id[40], struct et_error *err);
int et_sqlite_find_unfinished(struct et_store *s, char id[40], struct et_error *err);
int et_sqlite_load(
	struct et_store *s, const char *id, struct et_experiment **out, struct et_error *err);
int et_sqlite_list(
	struct et_store *s, size_t limit, et_store_entry_fn fn, void *ctx, struct et_error *err);
int et_sqlite_get_fact(struct et_store *s, const char *key, char **value, struct et_error *err);

#endif
