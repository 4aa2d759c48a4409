/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The operations of a back end (backend.h) as the rest of the store uses them: values, rows,
 * transactions, COPY. ET_TEST_STORE names the store to test; without it the test makes a SQLite
 * file.
 */
#include "base/base.h"
#include "fresh_store.h"
#include "store/core/cursor.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static struct et_database *db;
static const struct et_database_ops *ops;

static void run(const char *text)
{
	ET_AUTO_FREE char *sql = et_sql_expand(text, ops->dialect);

	if (ops->script(db, sql, &err))
		tap_bail("%s: %s", sql, err.what);
}

static struct et_statement *prepared(const char *text)
{
	ET_AUTO_FREE char *sql = et_sql_expand(text, ops->dialect);
	struct et_statement *st = NULL;

	if (ops->prepare(db, sql, &st, &err))
		tap_bail("%s: %s", sql, err.what);
	return st;
}

static int64_t number(const char *text)
{
	struct et_statement *st = prepared(text);
	struct et_value value = { 0 };

	if (ops->step(st, &err) == 1)
		ops->column(st, 0, &value);
	ops->finalize(st);
	return value.kind == ET_VALUE_INT ? value.integer : -1;
}

static bool same_value(const struct et_value *a, const struct et_value *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case ET_VALUE_INT:
		return a->integer == b->integer;
	case ET_VALUE_REAL: /* SQLite keeps -0.0 as 0 */
		return a->real == b->real;
	case ET_VALUE_TEXT:
		return !strcmp(a->bytes, b->bytes) && b->size == strlen(a->bytes);
	case ET_VALUE_BLOB:
		return a->size == b->size && (!a->size || !memcmp(a->bytes, b->bytes, a->size));
	default:
		return true;
	}
}

#define INT(x)                                                                                     \
	{                                                                                          \
		.kind = ET_VALUE_INT, .integer = (x)                                               \
	}
#define REAL(x)                                                                                    \
	{                                                                                          \
		.kind = ET_VALUE_REAL, .real = (x)                                                 \
	}
#define TEXT(x)                                                                                    \
	{                                                                                          \
		.kind = ET_VALUE_TEXT, .bytes = (x)                                                \
	}
#define BLOB(x)                                                                                    \
	{                                                                                          \
		.kind = ET_VALUE_BLOB, .bytes = (x), .size = sizeof(x) - 1                         \
	}
#define NONE                                                                                       \
	{                                                                                          \
		.kind = ET_VALUE_NULL                                                              \
	}

static const struct et_value rows[][4] = {
	{ INT(INT64_MIN), REAL(0.1), TEXT(""), BLOB("") },
	{ INT(INT64_MAX), REAL(-0.0), TEXT("größe"), BLOB("\0a\0\xff\n") },
	{ INT(0), REAL(5e-324), TEXT("\x80\xff\xf4\x8f\xba\x80\\'\""), BLOB("\\x41'") },
	{ INT(-1), REAL(1.7976931348623157e308), TEXT("a\tb\nc\r\x1b[0m\x7f"), BLOB("\xe2\x82") },
	{ INT(1), REAL(1.0 / 3), TEXT("\\N"), BLOB("x") },
	{ INT(INT64_C(1) << 53), REAL(9007199254740993.0), TEXT("{\"a\":\"\\u0000\"}"), BLOB("y") },
	{ INT(7), REAL(INFINITY), TEXT("inf"), BLOB("") },
	{ INT(8), REAL(-INFINITY), TEXT("$1 ?1 '' ;--"), BLOB("") },
	{ NONE, NONE, NONE, NONE },
};

/* Reads the rows of the table and compares them. */
static bool has_rows(const char *table)
{
	ET_AUTO_FREE char *sql = et_asprintf("SELECT i, r, t, b FROM %s ORDER BY n", table);
	struct et_statement *st = prepared(sql);
	bool same = true;

	for (size_t i = 0; i < ET_LENGTH(rows); i++) {
		if (ops->step(st, &err) != 1) {
			same = false;
			break;
		}
		for (int j = 0; j < 4; j++) {
			struct et_value value;
			ops->column(st, j, &value);
			if (!same_value(&rows[i][j], &value)) {
				printf("# row %zu, column %d of %s\n", i, j, table);
				same = false;
			}
		}
	}
	same = same && ops->step(st, &err) == 0;
	ops->finalize(st);
	return same;
}

static void bind_row(struct et_statement *st, size_t i)
{
	ops->bind(st, 0, &(struct et_value)INT((int64_t)i));
	for (int j = 0; j < 4; j++)
		ops->bind(st, j + 1, &rows[i][j]);
}

static void values(void)
{
	run("CREATE TABLE odd (n $int, i $int, r $real, t $text, b $blob) $table;"
	    "CREATE TABLE copied (n $int PRIMARY KEY, i $int, r $real, t $text, b $blob) $table;");
	struct et_statement *st =
		prepared("INSERT INTO odd (n, i, r, t, b) VALUES (?, ?, ?, ?, ?)");
	int rc = 0;

	for (size_t i = 0; !rc && i < ET_LENGTH(rows); i++) {
		bind_row(st, i);
		rc = ops->step(st, &err);
		if (!rc && ops->changes(st) != 1)
			rc = -1;
		ops->reset(st);
	}
	ops->finalize(st);
	ok(rc == 0, "values: all are inserted");
	ok(has_rows("odd"), "values: integers, doubles, texts and blobs come back as they were");
	st = prepared("SELECT n FROM odd WHERE t = ?");
	ops->bind(st, 0, &rows[2][2]);
	struct et_value value = { 0 };
	if (ops->step(st, &err) == 1)
		ops->column(st, 0, &value);
	ok(value.kind == ET_VALUE_INT && value.integer == 2,
		"values: a text that is not UTF-8 is found by its bytes");
	ops->finalize(st);
	ok(number("SELECT sum(n) FROM odd") == 36, "values: a sum of integers is an integer");
	ok(number("SELECT count(*) FROM odd WHERE n > 5") == 3, "values: so is a count");
	ok(number("SELECT n IS NOT NULL FROM odd WHERE n = 3") == 1,
		"values: a condition is the integer 0 or 1");
}

static void copies(void)
{
	if (!ops->copy_begin) {
		ok(true, "copy: this database has none # SKIP SQLite");
		return;
	}
	struct et_statement *st = NULL;
	int rc = ops->begin(db, ET_TRANSACTION_WRITE, &err);

	rc = rc ? rc : ops->copy_begin(db, "copied", "n, i, r, t, b", &st, &err);
	for (size_t i = 0; !rc && i < ET_LENGTH(rows); i++) {
		bind_row(st, i);
		rc = ops->step(st, &err);
		ops->reset(st);
	}
	rc = rc ? rc : ops->copy_end(st, &err);
	rc = rc ? rc : ops->commit(db, &err);
	ok(rc == 0 && has_rows("copied"), "copy: the same values come back");

	rc = ops->begin(db, ET_TRANSACTION_WRITE, &err);
	rc = rc ? rc : ops->copy_begin(db, "copied", "n, i, r, t, b", &st, &err);
	bind_row(st, 0);
	rc = rc ? rc : ops->step(st, &err);
	ok(rc == 0 && ops->copy_end(st, &err) == -EEXIST && !ops->in_transaction(db),
		"copy: a row that is there already fails, and the transaction is over");

	rc = ops->begin(db, ET_TRANSACTION_WRITE, &err);
	rc = rc ? rc : ops->copy_begin(db, "copied", "n, i, r, t, b", &st, &err);
	ops->bind(st, 0, &(struct et_value)TEXT("seven"));
	for (int j = 1; j < 5; j++)
		ops->bind(st, j, &(struct et_value)NONE);
	ok(rc == 0 && ops->step(st, &err) == -EINVAL, "copy: a value of another type is refused");
	ops->finalize(st);
	ok(!ops->in_transaction(db) && number("SELECT count(*) FROM copied") == ET_LENGTH(rows),
		"copy: after finalize nothing was added, and statements work again");
}

static void transactions(void)
{
	run("CREATE TABLE t (n $int PRIMARY KEY) $table");
	ok(!ops->in_transaction(db), "transaction: none is open at first");
	ok(ops->begin(db, ET_TRANSACTION_WRITE, &err) == 0 && ops->in_transaction(db),
		"transaction: begin opens one");
	run("INSERT INTO t (n) VALUES (1)");
	ops->rollback(db);
	ok(!ops->in_transaction(db) && number("SELECT count(*) FROM t") == 0,
		"transaction: rollback leaves nothing");
	ok(ops->begin(db, ET_TRANSACTION_WRITE, &err) == 0, "transaction: another begins");
	run("INSERT INTO t (n) VALUES (1)");
	ok(ops->commit(db, &err) == 0 && !ops->in_transaction(db) &&
			number("SELECT count(*) FROM t") == 1,
		"transaction: commit keeps the row");
	ok(ops->begin(db, ET_TRANSACTION_WRITE, &err) == 0, "transaction: a third begins");
	run("INSERT INTO t (n) VALUES (2)");
	ok(ops->script(db, "INSERT INTO t (n) VALUES (1)", &err) == -EEXIST &&
			err.exit == ET_EXIT_OUTSIDE,
		"transaction: a duplicate fails");
	if (ops->in_transaction(db))
		ok(ops->commit(db, &err) == 0 && number("SELECT count(*) FROM t") == 2,
			"transaction: one that is still open can be committed");
	else
		ok(number("SELECT count(*) FROM t") == 1,
			"transaction: one that is not open has left nothing");
	ok(ops->script(db, "SELECT nonsense", &err) < 0 && err.what[0],
		"transaction: an error outside of one is reported");
	ok(number("SELECT count(*) FROM t") > 0, "transaction: statements work after it");
}

/* Two queries of many rows are read in turn, and within a snapshot. */
static void many_rows(void)
{
	enum { N = 30000 };
	struct et_store *other = open_store();

	run("CREATE TABLE m (n $int PRIMARY KEY, t $text) $table");
	int rc = ops->begin(db, ET_TRANSACTION_WRITE, &err);
	struct et_statement *st = prepared("INSERT INTO m (n, t) VALUES (?, ?)");
	for (int i = 0; !rc && i < N; i++) {
		ops->bind(st, 0, &(struct et_value)INT(i));
		ops->bind(st, 1, &(struct et_value)TEXT("some text"));
		rc = ops->step(st, &err);
		ops->reset(st);
	}
	ops->finalize(st);
	ok(rc == 0 && ops->commit(db, &err) == 0, "many: the rows are inserted");
	rc = ops->begin(db, ET_TRANSACTION_READ, &err);
	struct et_statement *a = prepared("$many SELECT n, t FROM m ORDER BY n");
	struct et_statement *b = prepared("$many SELECT n FROM m WHERE n >= ? ORDER BY n DESC");
	ops->bind(b, 0, &(struct et_value)INT(N / 2));
	int64_t n = 0, downward = 0;
	bool good = rc == 0;
	while (good && (rc = ops->step(a, &err)) == 1) {
		struct et_value value;
		ops->column(a, 0, &value);
		good = value.integer == n++;
		if (n == 100 && other->db->ops->script(other->db, "DELETE FROM m", &err))
			good = !strcmp("another handle cannot write", err.what);
		if (good && n <= N / 2 && ops->step(b, &err) == 1) {
			ops->column(b, 0, &value);
			good = value.integer == N - ++downward;
		}
	}
	ok(good && rc == 0 && n == N && downward == N / 2,
		"many: two queries are read in turn, as of one moment");
	ok(ops->step(b, &err) == 0, "many: the other ends after its last row");
	ops->reset(b);
	ops->bind(b, 0, &(struct et_value)INT(N - 2));
	for (n = 0; (rc = ops->step(b, &err)) == 1;)
		n++;
	ok(rc == 0 && n == 2, "many: the same statement is executed again with another parameter");
	ops->reset(b);
	ops->rollback(db);
	ops->finalize(a);
	ops->finalize(b);
	ok(number("SELECT count(*) FROM m") == 0, "many: the deletion is visible afterwards");
	et_store_close(other);
}

/* Several processes create or migrate the same store at the same time. */
static void creation(void)
{
	enum { N = 6 };
	bool server = et_store_url_is_server(path);
	pid_t pids[N];
	int failed = 0;

	if (server)
		run("DROP SCHEMA etalon CASCADE");
	et_store_close(NULL);
	for (int i = 0; i < N; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			struct et_store *s = NULL;
			int rc = et_store_open(path, ET_STORE_WRITE, &s, &err);
			if (rc)
				printf("# %s\n", err.what);
			fflush(stdout);
			et_store_close(s);
			_exit(rc != 0);
		}
	}
	for (int i = 0; i < N; i++) {
		int status = 0;
		waitpid(pids[i], &status, 0);
		failed += status != 0;
	}
	ok(failed == 0, "creation: %d processes make the same store at the same time", N);
}

static void refusals(void)
{
	if (!et_store_url_is_server(path))
		return;
	struct et_store *s = NULL;
	run("DROP SCHEMA etalon CASCADE");
	ok(et_store_open(path, ET_STORE_READ, &s, &err) == -ENOENT && err.exit == ET_EXIT_OUTSIDE,
		"read: a database without a store has nothing to read");
	run("CREATE TABLE public.of_others (n int)");
	ok(et_store_open(path, ET_STORE_WRITE, &s, &err) == -EINVAL && strstr(err.hint, "--setup"),
		"write: a database with tables of another program is refused");
	ok(number("SELECT count(*) FROM pg_namespace WHERE nspname = 'etalon'") == 0,
		"write: and it is not changed");
	run("CREATE SCHEMA etalon; CREATE TABLE etalon.x (n int)");
	ok(et_store_open(path, ET_STORE_SETUP, &s, &err) == -EINVAL,
		"setup: a schema of our name with other tables is refused");
	run("DROP SCHEMA etalon CASCADE");
	ok(et_store_open(path, ET_STORE_SETUP, &s, &err) == 0,
		"setup: a database with other tables gets a store");
	et_store_close(s);
	s = NULL;
	ok(et_store_open(path, ET_STORE_WRITE, &s, &err) == 0, "write: that store is opened");
	et_store_close(s);
	run("UPDATE etalon.store SET version = 1000000");
	ok(et_store_open(path, ET_STORE_READ, &s, &err) == -EPROTO && strstr(err.hint, "newer"),
		"read: a store of a newer etalon is refused");
	run("DROP SCHEMA etalon CASCADE; DROP TABLE public.of_others");
}

/* The server ends the session in the middle. */
static void lost_connection(void)
{
	if (!et_store_url_is_server(path))
		return;
	struct et_store *s = open_store();
	struct et_database *other = s->db;
	int rc = other->ops->begin(other, ET_TRANSACTION_WRITE, &err);
	run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
	    " WHERE pid <> pg_backend_pid() AND datname = current_database()");
	ok(rc == 0 && other->ops->script(other, "SELECT 1", &err) == -ECONNRESET && err.hint[0] &&
			err.exit == ET_EXIT_OUTSIDE,
		"lost: the first statement fails with a hint: %s", err.what);
	ok(!other->ops->in_transaction(other), "lost: no transaction is open afterwards");
	ok(other->ops->begin(other, ET_TRANSACTION_READ, &err) < 0, "lost: nor does one begin");
	et_store_close(s);
}

int main(void)
{
	make_folder();
	struct et_store *s = open_store();

	db = s->db;
	ops = db->ops;
	values();
	copies();
	transactions();
	many_rows();
	creation();
	refusals();
	lost_connection();
	et_store_close(s);
	ET_AUTO_FREE char *clean = et_asprintf("rm -rf '%s'", folder);
	ok(system(clean) == 0, "the test's folder is removed");
	return tap_done();
}
