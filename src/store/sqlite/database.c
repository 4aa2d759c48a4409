/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements, transactions and errors of SQLite. Opening the file is in store/sqlite/open.c. */
#include "base/folder.h"
#include "store/sqlite/sqlite.h"

#include <fcntl.h>

struct sqlite_statement {
	struct et_statement base;
	sqlite3_stmt *stmt;
	int failed; /* SQLite's code of the first bind that failed, or SQLITE_OK */
};

/* "etal" in the header of the file: file(1) and read_version() know by it that it is a store. */
enum { APPLICATION_ID = 0x6574616c };

static struct et_sqlite *sqlite_of(struct et_database *db)
{
	return (struct et_sqlite *)db;
}

static struct sqlite_statement *statement_of(struct et_statement *st)
{
	return (struct sqlite_statement *)st;
}

/* --- errors --- */

static int fail_full(const char *path, struct et_error *err)
{
	return et_fail_hint(err, ENOSPC, ET_EXIT_OUTSIDE,
		"free some space there, or name another store with --store; "
		"everything that was stored before is safe",
		"%s: no space left for the store", path);
}

/* SQLite does not report the cause. */
static int fail_write(const char *path, struct et_error *err)
{
	return et_fail_hint(err, EIO, ET_EXIT_OUTSIDE,
		"check the quota, the limit of file sizes (ulimit -f) and the disk; "
		"everything that was stored before is safe",
		"%s: the store could not be written", path);
}

static int fail_opening(sqlite3 *db, const char *path, struct et_error *err)
{
	int errnum = sqlite3_system_errno(db);

	return et_hint(err,
		et_fail_errno(err, errnum ? errnum : EACCES, ET_EXIT_OUTSIDE,
			"%s: the store cannot be opened", path),
		"make it and its folder writable, or name another store with --store or "
		"ETALON_STORE");
}

/*
 * SQLite needs files beside the store. If it cannot make them, it reports that they are missing or
 * that the store is read-only.
 */
static bool folder_is_read_only(struct et_sqlite *s)
{
	ET_AUTO_FREE char *folder = et_folder_of(s->path);

	return faccessat(AT_FDCWD, folder, W_OK, AT_EACCESS) < 0 &&
	       (errno == EACCES || errno == EROFS);
}

static int fail_folder(const char *path, struct et_error *err)
{
	return et_fail_hint(err, EROFS, ET_EXIT_OUTSIDE,
		"make the folder writable, or name another store with --store or ETALON_STORE",
		"%s: the folder of the store is read-only", path);
}

static int fail_io(struct et_sqlite *s, int code, struct et_error *err)
{
	switch (code) {
	case SQLITE_IOERR_NOMEM:
		return et_fail(err, ENOMEM, ET_EXIT_OUTSIDE, "%s: out of memory", s->name);
	case SQLITE_IOERR_SHMSIZE: /* also to read a store: its index is a file beside it */
		if (sqlite3_system_errno(s->db) == ENOSPC)
			return fail_full(s->name, err);
		return fail_write(s->name, err);
	case SQLITE_IOERR_WRITE:
		return fail_write(s->name, err);
	}
	return et_fail_hint(err, EIO, ET_EXIT_OUTSIDE,
		"check the disk, and the files beside the store whose names begin with its name",
		"%s: %s", s->name, sqlite3_errmsg(s->db));
}

/* Fills err; its text may have line breaks of a damaged schema, which SQLite quotes. */
static int describe(struct et_sqlite *s, int code, struct et_error *err)
{
	const char *path = s->name;

	switch (code & 0xff) {
	case SQLITE_FULL:
		return fail_full(path, err);
	case SQLITE_READONLY:
		if (code == SQLITE_READONLY_ROLLBACK)
			return et_fail_hint(err, EROFS, ET_EXIT_OUTSIDE,
				"run 'etalon list' as the user of the store to undo that change",
				"%s: a change of the store was interrupted", path);
		if (folder_is_read_only(s))
			return fail_folder(path, err);
		return et_fail_hint(err, EROFS, ET_EXIT_OUTSIDE,
			"name a writable store with --store or ETALON_STORE",
			"%s: the store is read-only", path);
	case SQLITE_CANTOPEN:
		if (folder_is_read_only(s))
			return fail_folder(path, err);
		return fail_opening(s->db, path, err);
	case SQLITE_NOMEM: /* the message of SQLite may name a consequence instead */
		return et_fail(err, ENOMEM, ET_EXIT_OUTSIDE, "%s: out of memory", path);
	case SQLITE_NOTADB:
		return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
			"name another file with --store or ETALON_STORE", "%s: not an etalon store",
			path);
	case SQLITE_CORRUPT:
		return et_hint(err,
			et_fail(err, EBADMSG, ET_EXIT_OUTSIDE, "%s: the store is damaged: %s", path,
				sqlite3_errmsg(s->db)),
			"run sqlite3 '%s' .recover | sqlite3 saved.db to save what can be read",
			path);
	case SQLITE_TOOBIG:
		return et_fail_hint(err, E2BIG, ET_EXIT_OUTSIDE,
			"shorten the command if one was to be stored; otherwise the store was "
			"changed by hand",
			"%s: a value or row is larger than %d MiB", path,
			ET_SQLITE_MOST_BYTES >> 20);
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
	case SQLITE_PROTOCOL:
		return et_hint(err,
			et_fail(err, EBUSY, ET_EXIT_OUTSIDE,
				"%s: another program keeps the store locked", path),
			"run fuser '%s' to see which", path);
	case SQLITE_CONSTRAINT:
		return et_fail(err, EEXIST, ET_EXIT_OUTSIDE, "%s: %s", path, sqlite3_errmsg(s->db));
	case SQLITE_IOERR:
		return fail_io(s, code, err);
	}
	return et_fail(err, EIO, ET_EXIT_OUTSIDE, "%s: %s", path, sqlite3_errmsg(s->db));
}

int et_sqlite_fail(struct et_sqlite *s, int code, struct et_error *err)
{
	int rc = describe(s, code, err);

	for (char *at = err ? strchr(err->what, '\n') : NULL; at; at = strchr(at, '\n'))
		*at = ' ';
	return rc;
}

/* --- statements --- */

static int prepare(
	struct et_database *db, const char *sql, struct et_statement **out, struct et_error *err)
{
	struct et_sqlite *s = sqlite_of(db);
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v3(s->db, sql, -1, SQLITE_PREPARE_PERSISTENT, &stmt, NULL);

	if (code != SQLITE_OK)
		return et_sqlite_fail(s, code, err);
	struct sqlite_statement *st = et_calloc(1, sizeof(*st));
	st->base.db = db;
	st->stmt = stmt;
	*out = &st->base;
	return 0;
}

static int bind(sqlite3_stmt *stmt, int number, const struct et_value *value)
{
	switch (value->kind) {
	case ET_VALUE_INT:
		return sqlite3_bind_int64(stmt, number, value->integer);
	case ET_VALUE_REAL:
		return sqlite3_bind_double(stmt, number, value->real);
	case ET_VALUE_TEXT:
		return sqlite3_bind_text(stmt, number, value->bytes, -1, SQLITE_STATIC);
	case ET_VALUE_BLOB:
		return sqlite3_bind_blob64(stmt, number, value->bytes, value->size, SQLITE_STATIC);
	case ET_VALUE_NULL:
		break;
	}
	return sqlite3_bind_null(stmt, number);
}

static void bind_value(struct et_statement *st, int at, const struct et_value *value)
{
	int code = bind(statement_of(st)->stmt, at + 1, value);

	if (code != SQLITE_OK && statement_of(st)->failed == SQLITE_OK)
		statement_of(st)->failed = code;
}

static int step(struct et_statement *st, struct et_error *err)
{
	struct sqlite_statement *s = statement_of(st);
	int code = s->failed ? s->failed : sqlite3_step(s->stmt);

	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	return et_sqlite_fail(sqlite_of(st->db), code, err);
}

static void column(struct et_statement *st, int at, struct et_value *value)
{
	/* One look-up of the column. Without a mutex the result is safe in one thread only. */
	sqlite3_value *v = sqlite3_column_value(statement_of(st)->stmt, at);

	switch (sqlite3_value_type(v)) {
	case SQLITE_INTEGER:
		value->kind = ET_VALUE_INT;
		value->integer = sqlite3_value_int64(v);
		break;
	case SQLITE_FLOAT:
		value->kind = ET_VALUE_REAL;
		value->real = sqlite3_value_double(v);
		break;
	case SQLITE_TEXT:
		value->kind = ET_VALUE_TEXT;
		value->bytes = (const char *)sqlite3_value_text(v);
		value->size = (size_t)sqlite3_value_bytes(v);
		break;
	case SQLITE_BLOB:
		value->kind = ET_VALUE_BLOB;
		value->bytes = sqlite3_value_blob(v);
		value->size = (size_t)sqlite3_value_bytes(v);
		break;
	default:
		value->kind = ET_VALUE_NULL;
	}
}

static int64_t changes(struct et_statement *st)
{
	return sqlite3_changes64(sqlite_of(st->db)->db);
}

static void reset(struct et_statement *st)
{
	/* It returns the error of the last step, which was reported then. */
	(void)sqlite3_reset(statement_of(st)->stmt);
	(void)sqlite3_clear_bindings(statement_of(st)->stmt);
	statement_of(st)->failed = SQLITE_OK;
}

static void finalize(struct et_statement *st)
{
	if (st)
		sqlite3_finalize(statement_of(st)->stmt);
	free(st);
}

int et_sqlite_script(struct et_database *db, const char *sql, struct et_error *err)
{
	struct et_sqlite *s = sqlite_of(db);
	int code = sqlite3_exec(s->db, sql, NULL, NULL, NULL);

	return code == SQLITE_OK ? 0 : et_sqlite_fail(s, code, err);
}

/* --- transactions --- */

static int begin(struct et_database *db, enum et_transaction kind, struct et_error *err)
{
	return et_sqlite_script(
		db, kind == ET_TRANSACTION_WRITE ? "BEGIN IMMEDIATE" : "BEGIN", err);
}

static int commit(struct et_database *db, struct et_error *err)
{
	return et_sqlite_script(db, "COMMIT", err);
}

static void rollback(struct et_database *db)
{
	/* It fails only without a transaction, and then there is nothing to roll back. */
	(void)sqlite3_exec(sqlite_of(db)->db, "ROLLBACK", NULL, NULL, NULL);
}

static bool in_transaction(struct et_database *db)
{
	return !sqlite3_get_autocommit(sqlite_of(db)->db);
}

/* --- the version of the schema --- */

static int read_int(struct et_sqlite *s, const char *sql, int64_t *out, struct et_error *err)
{
	sqlite3_stmt *stmt = NULL;
	int code = sqlite3_prepare_v2(s->db, sql, -1, &stmt, NULL);

	if (code == SQLITE_OK && (code = sqlite3_step(stmt)) == SQLITE_ROW) {
		*out = sqlite3_column_int64(stmt, 0);
		code = SQLITE_OK;
	}
	sqlite3_finalize(stmt);
	return code == SQLITE_OK ? 0 : et_sqlite_fail(s, code, err);
}

int et_sqlite_read_version(struct et_database *db, int64_t *version, struct et_error *err)
{
	struct et_sqlite *s = sqlite_of(db);
	int64_t application = 0, tables = 0, found = 0;
	int rc = read_int(s, "PRAGMA application_id", &application, err);

	if (!rc)
		rc = read_int(s, "PRAGMA user_version", &found, err);
	if (!rc)
		rc = read_int(s, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (rc)
		return rc;
	bool empty = application == 0 && tables == 0 && found == 0;
	if (!empty && (application != APPLICATION_ID || found < 1))
		return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
			"name another file with --store or ETALON_STORE",
			"%s: a database of another program, not an etalon store", s->name);
	*version = found;
	return 0;
}

int et_sqlite_check_tables(struct et_sqlite *s, struct et_error *err)
{
	int64_t computed = 0;
	/* Of SQLite's own answers, because the texts in sqlite_schema may be forged. */
	int rc = read_int(s,
		"SELECT count(*) FROM pragma_table_list AS t"
		" LEFT JOIN pragma_table_xinfo(t.name, t.schema) AS c"
		" WHERE t.type IN ('virtual', 'shadow') OR c.hidden",
		&computed, err);

	if (rc || !computed)
		return rc;
	return et_fail_hint(err, EINVAL, ET_EXIT_OUTSIDE,
		"name another store with --store or ETALON_STORE",
		"%s: a table has computed contents: the store is not as etalon writes it", s->path);
}

static int write_version(struct et_database *db, int version, struct et_error *err)
{
	char sql[80];

	snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d",
		APPLICATION_ID, version);
	return et_sqlite_script(db, sql, err);
}

/* --- the back end --- */

static void close_sqlite(struct et_database *db)
{
	struct et_sqlite *s = sqlite_of(db);

	et_sqlite_release(db); /* while the path is known */
	sqlite3_close(s->db);  /* rolls back an open transaction */
	free(s->path);
	free(s->name);
	free(s);
}

static const struct et_sql_word words[] = {
	{ "key", "INTEGER PRIMARY KEY" },
	{ "int", "INTEGER" },
	{ "real", "REAL" },
	{ "blob", "BLOB" },
	{ "text", "TEXT" },
	{ "table", "STRICT" },
	{ "table_by_key", "STRICT, WITHOUT ROWID" },
	{ "me", "NULL" },
	{ "lock_row", "" }, /* a transaction that writes has the database alone */
	{ "many", "" },
	{ "soon", "9223372036854775807" }, /* the clock of the user was right, or is now */
	{ 0 },
};

static const struct et_dialect dialect = { ET_PLACEHOLDER_QUESTION, words };

const struct et_database_ops et_sqlite_ops = {
	.dialect = &dialect,
	.close = close_sqlite,
	.prepare = prepare,
	.bind = bind_value,
	.step = step,
	.column = column,
	.changes = changes,
	.reset = reset,
	.finalize = finalize,
	.script = et_sqlite_script,
	.begin = begin,
	.commit = commit,
	.rollback = rollback,
	.in_transaction = in_transaction,
	.read_version = et_sqlite_read_version,
	.write_version = write_version,
	.claim = et_sqlite_claim,
	.release = et_sqlite_release,
};
