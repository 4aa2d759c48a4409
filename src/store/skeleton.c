/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template to copy: a back end of the store. It is compiled and tested, and no part of etalon.
 *
 * To make one of it: copy this file to NAME/open.c in a room of its own, list it in
 * src/store/meson.build, add its row to the table of core/store.c, and its URLs to the hints there,
 * and its room to README.md; name its URLs in man/etalon.1.scd and in the help of --store
 * (src/cli/cli.c), and how long etalon waits for a server in SECURITY.md. All tests of
 * store_tests_on_server in tests/unit/store/meson.build must pass on it; a script such as
 * on-postgresql.sh there starts a server for them, and a row at the end of tests/unit/meson.build
 * runs it.
 *
 * backend.h states what each operation promises. A function that is to be written fails here and
 * says so; those that only end something do nothing.
 */
#include "store/core/backend.h"

/* The database of the back end begins with the part that the store knows. */
struct skeleton {
	struct et_database base;
	char *name; /* without passwords, for messages */
};

static int to_write(const char *what, struct et_error *err)
{
	return et_fail_hint(
		err, ENOTSUP, ET_EXIT_OUTSIDE, "use another store", "no back end can %s yet", what);
}

/* *out begins with struct et_statement. Errors become errno, a sentence and a hint. */
static int prepare(ET_UNUSED struct et_database *db, ET_UNUSED const char *sql,
	ET_UNUSED struct et_statement **out, struct et_error *err)
{
	return to_write("prepare a statement", err);
}

/* It cannot fail: keep an error of the library for the next step. */
static void bind(
	ET_UNUSED struct et_statement *st, ET_UNUSED int at, ET_UNUSED const struct et_value *value)
{
}

static int step(ET_UNUSED struct et_statement *st, struct et_error *err)
{
	return to_write("execute a statement", err);
}

static void column(ET_UNUSED struct et_statement *st, ET_UNUSED int at, struct et_value *value)
{
	*value = (struct et_value){ .kind = ET_VALUE_NULL };
}

static int64_t changes(ET_UNUSED struct et_statement *st)
{
	return 0;
}

/* Reset keeps what was prepared; finalize frees it, and NULL is fine. */
static void end_statement(ET_UNUSED struct et_statement *st)
{
}

static int script(ET_UNUSED struct et_database *db, ET_UNUSED const char *sql, struct et_error *err)
{
	return to_write("execute statements", err);
}

static int begin(
	ET_UNUSED struct et_database *db, ET_UNUSED enum et_transaction kind, struct et_error *err)
{
	return to_write("begin a transaction", err);
}

/* A commit survives a power cut. */
static int commit(ET_UNUSED struct et_database *db, struct et_error *err)
{
	return to_write("commit", err);
}

/* Rollback, and release of a claim. */
static void do_nothing(ET_UNUSED struct et_database *db)
{
}

static bool in_transaction(ET_UNUSED struct et_database *db)
{
	return false;
}

/* Tell an empty database, which becomes a store, from one of another program, which is refused. */
static int read_version(
	ET_UNUSED struct et_database *db, ET_UNUSED int64_t *version, struct et_error *err)
{
	return to_write("read the version of the schema", err);
}

static int write_version(
	ET_UNUSED struct et_database *db, ET_UNUSED int version, struct et_error *err)
{
	return to_write("write the version of the schema", err);
}

/* A lock that ends with the process, also after kill -9. */
static int claim(ET_UNUSED struct et_database *db, ET_UNUSED const char *id, struct et_error *err)
{
	return to_write("lock an experiment", err);
}

static void close_skeleton(struct et_database *db)
{
	struct skeleton *s = (struct skeleton *)db;

	free(s->name);
	free(s);
}

/* All words that struct et_dialect lists; those of PostgreSQL are in postgresql/text.c. */
static const struct et_sql_word words[] = { { "key", "INTEGER PRIMARY KEY" }, { "int", "INTEGER" },
	{ "real", "REAL" }, { "blob", "BLOB" }, { "text", "TEXT" }, { "table", "" },
	{ "table_by_key", "" }, { "me", "NULL" }, { "lock_row", "" }, { "many", "" },
	{ "soon", "9223372036854775807" }, { 0 } };

static const struct et_dialect dialect = { ET_PLACEHOLDER_QUESTION, words };

static const struct et_database_ops ops = {
	.dialect = &dialect,
	.close = close_skeleton,
	.prepare = prepare,
	.bind = bind,
	.step = step,
	.column = column,
	.changes = changes,
	.reset = end_statement,
	.finalize = end_statement,
	.script = script,
	.begin = begin,
	.commit = commit,
	.rollback = do_nothing,
	.in_transaction = in_transaction,
	/* copy_begin, copy_end and begin_migration may stay NULL. */
	.read_version = read_version,
	.write_version = write_version,
	.claim = claim,
	.release = do_nothing,
};

/* Look at mode before you create anything: only some modes may. A server obeys patience. */
static int open_skeleton(const char *rest, enum et_store_mode mode,
	ET_UNUSED const struct et_patience *patience, struct et_database **out,
	struct et_error *err)
{
	if (mode == ET_STORE_READ && !*rest)
		return et_fail(err, ENOENT, ET_EXIT_OUTSIDE, "%s: there is no store", rest);
	struct skeleton *s = et_calloc(1, sizeof(*s));
	s->name = et_strdup(rest);
	s->base = (struct et_database){ .ops = &ops, .name = s->name };
	*out = &s->base;
	return 0;
}

static const char *version(void)
{
	return "0"; /* of its library, for etalon --version */
}

static const char *const schemes[] = { "skeleton:", NULL };

extern const struct et_backend et_backend_skeleton; /* declared in core/store.c, if it is yours */

const struct et_backend et_backend_skeleton = {
	.name = "skeleton",
	.schemes = schemes,
	.version = version,
	.open = open_skeleton,
};
