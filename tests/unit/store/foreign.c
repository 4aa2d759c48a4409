/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of store files that somebody else made in order to harm the reader: computed columns,
 * values and rows without end, ids that a shell or a terminal would obey.
 */
#include "specimen.h"
#include "store/core/store.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char path[300];
static struct et_error err;

static const char id[] = "20251115-085506-aaaaaa";

/* A new store with one experiment of n samples. */
static void make_store(uint32_t n)
{
	struct et_store *s = NULL;
	struct et_experiment *e = specimen(id);

	snprintf(path, sizeof(path), "%s/store.db", folder);
	unlink(path);
	for (uint32_t order = 1; order <= n; order++) {
		struct et_sample sample = specimen_sample(0, order);
		specimen_culprits(&sample, 3);
		et_experiment_add(e, &sample);
	}
	if (et_store_open(path, ET_STORE_WRITE, &s, &err) || et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

static void run_sql(const char *sql)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(path, &db) ||
		sqlite3_exec(db, "PRAGMA synchronous=OFF", NULL, NULL, NULL) ||
		sqlite3_exec(db, sql, NULL, NULL, NULL))
		tap_bail("%s: %s", sql, sqlite3_errmsg(db));
	sqlite3_close(db);
}

static int open_store(struct et_store **s)
{
	memset(&err, 0, sizeof(err));
	return et_store_open(path, ET_STORE_READ, s, &err);
}

static int try_load(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	int rc = open_store(&s);

	if (!rc)
		rc = et_store_load(s, id, &e, &err);
	et_experiment_free(e);
	et_store_close(s);
	return rc;
}

/* The entries of a list. */
struct seen {
	size_t n, bytes;
	char id[40];
};

static int see(void *ctx, const struct et_summary *entry)
{
	struct seen *seen = ctx;

	seen->n++;
	seen->bytes += entry->label ? strlen(entry->label) : 0;
	memcpy(seen->id, entry->id, sizeof(seen->id));
	return 0;
}

static int try_list(struct seen *seen)
{
	struct et_store *s = NULL;
	int rc = open_store(&s);

	memset(seen, 0, sizeof(*seen));
	if (!rc)
		rc = et_store_list(s, 0, see, seen, &err);
	et_store_close(s);
	return rc;
}

/* --- computed columns --- */

static void computed_columns(void)
{
	/* Each replaces a column by an expression that the reader would compute. */
	static const char *const edits[] = {
		"ALTER TABLE command DROP COLUMN argv;"
		"ALTER TABLE command ADD COLUMN argv BLOB AS (zeroblob(300000000))",
		"DROP INDEX experiment_label; ALTER TABLE experiment DROP COLUMN label;"
		"ALTER TABLE experiment ADD COLUMN label TEXT AS (hex(zeroblob(450000000)))",
		"ALTER TABLE sample DROP COLUMN et_ns;"
		"ALTER TABLE sample ADD COLUMN et_ns INTEGER AS (length(zeroblob(round)))",
	};
	struct seen seen;

	for (size_t i = 0; i < ET_LENGTH(edits); i++) {
		make_store(2);
		run_sql(edits[i]);
		ok(try_load() == -EINVAL && strstr(err.what, "not as etalon writes it") &&
				err.hint[0],
			"computed columns: loading is refused after %.40s…: %s", edits[i],
			err.what);
		ok(try_list(&seen) == -EINVAL && !seen.n, "computed columns: listing is refused");
	}
	make_store(2);
	run_sql("ALTER TABLE fact RENAME TO fact2; CREATE VIRTUAL TABLE fact USING fts5(key, "
		"value)");
	ok(try_load() == -EINVAL, "virtual tables: loading is refused: %s", err.what);
	make_store(2);
	run_sql("ALTER TABLE sample RENAME TO sample2; CREATE VIEW sample AS SELECT * FROM "
		"sample2");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE, "views: none is read: %s", err.what);
	make_store(2);
	run_sql("CREATE VIEW mine AS SELECT id, label FROM experiment");
	ok(try_load() == 0, "views: one that etalon does not read does no harm");
}

/* --- sizes --- */

static void large_values(void)
{
	struct seen seen;

	make_store(2);
	run_sql("UPDATE command SET argv = zeroblob(7000000)");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE, "sizes: a long argv is refused: %s",
		err.what);
	make_store(2);
	run_sql("UPDATE command SET argv = zeroblob(1000000)");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE,
		"sizes: an argv of a million words is refused: %s", err.what);
	make_store(2);
	run_sql("UPDATE experiment SET label = hex(zeroblob(20000000))");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE && err.hint[0],
		"sizes: a label of 40 MB is refused: %s", err.what);
	ok(try_list(&seen) < 0 && err.exit == ET_EXIT_OUTSIDE,
		"sizes: SQLite hands out no value of 40 MB");
	make_store(2);
	run_sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 40)"
		" INSERT INTO command SELECT experiment, i, name, hex(zeroblob(1000000)), argv,"
		" NULL, NULL, NULL, NULL, NULL FROM command, n WHERE number = 0;"
		"UPDATE experiment SET commands = 41");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE,
		"sizes: many long texts of one experiment are refused: %s", err.what);
	make_store(2);
	run_sql("WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)"
		" INSERT INTO factor SELECT experiment, i, NULL, NULL, NULL, 1"
		" FROM factor, n WHERE number = 0");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE, "sizes: 5000 factors are refused: %s",
		err.what);
}

/* An experiment that the reader would refuse is refused by the writer. */
static void large_experiment(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = specimen("20251115-085506-bbbbbb");
	size_t size = 3 << 20;

	make_store(2);
	for (size_t i = 0; i < 12; i++) {
		char *text = et_alloc(size + 1);
		memset(text, 'x', size);
		text[size] = '\0';
		et_experiment_add_command(e, et_strdup("long"), et_calloc(1, sizeof(char *)));
		free(e->commands[e->n_commands - 1].text);
		e->commands[e->n_commands - 1].text = text;
		e->commands[e->n_commands - 1].setup = et_strdup(text);
	}
	if (et_store_open(path, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	ok(et_store_keep(s, e, &err) == -E2BIG && err.hint[0],
		"sizes: an experiment that could not be read back is not kept: %s", err.what);
	et_store_close(s);
	ok(try_load() == 0, "sizes: the refused experiment left the store as it was");
	et_experiment_free(e);
}

/* --- a tree whose branches all lead to the same leaf --- */

static uint32_t be32(const unsigned char *p)
{
	return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static uint32_t root_of(const char *table)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	uint32_t root = 0;

	sqlite3_open(path, &db);
	sqlite3_prepare_v2(db,
		"SELECT rootpage FROM sqlite_schema WHERE type = 'table' AND name = ?", -1, &st,
		NULL);
	sqlite3_bind_text(st, 1, table, -1, SQLITE_STATIC);
	if (sqlite3_step(st) == SQLITE_ROW)
		root = (uint32_t)sqlite3_column_int(st, 0);
	sqlite3_finalize(st);
	sqlite3_close(db);
	return root;
}

/* Makes all children of the table's root page the same one (SQLite's file format, section 1.6). */
static void fold_tree(const char *table)
{
	enum { PAGE = 4096, INTERIOR_INDEX = 2, INTERIOR_TABLE = 5 };
	unsigned char page[PAGE];
	off_t at = (off_t)(root_of(table) - 1) * PAGE;
	int fd = open(path, O_RDWR | O_CLOEXEC);

	if (pread(fd, page, PAGE, at) != PAGE ||
		(page[0] != INTERIOR_INDEX && page[0] != INTERIOR_TABLE))
		tap_bail("the root of %s has no children", table);
	uint32_t n = (uint32_t)page[3] << 8 | page[4];
	unsigned char first[4];
	memcpy(first, page + ((uint32_t)page[12] << 8 | page[13]), 4);
	for (uint32_t i = 0; i < n; i++)
		memcpy(page + ((uint32_t)page[12 + 2 * i] << 8 | page[13 + 2 * i]), first, 4);
	memcpy(page + 8, first, 4);
	if (pwrite(fd, page, PAGE, at) != PAGE || be32(page + 8) != be32(first))
		tap_bail("cannot write %s", path);
	close(fd);
}

static void folded_trees(void)
{
	static const char *const tables[] = { "sample", "interference" };

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		make_store(1000);
		fold_tree(tables[i]);
		ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE,
			"trees: rows of %s that come again are damage: %s", tables[i], err.what);
	}
	struct seen seen;
	make_store(1);
	run_sql("WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 2000)"
		" INSERT INTO experiment (id, started_ns, finished_ns, state, protocol, metric,"
		" \"order\", seed, commands)"
		" SELECT 'x' || i, 5, 5, state, protocol, metric, \"order\", 1, 1"
		" FROM experiment, n WHERE id LIKE '2025%'; DROP INDEX experiment_started;"
		"CREATE INDEX experiment_started ON experiment (started_ns)");
	ok(try_list(&seen) == 0 && seen.n == 2000,
		"trees: 2000 experiments of one time are listed");
}

/* --- ids --- */

static void bad_ids(void)
{
	static const char *const ids[] = { "x;touch P", "-rf", "\033]0;owned\007", "$(id)", "a b",
		"", "2025\n", "`id`",
		"\xc2\x9b"
		"31m",
		"x\xe2\x80\xae"
		"y",
		"a/b", "café" };
	char sql[200], found[40];

	make_store(2);
	for (size_t i = 0; i < ET_LENGTH(ids); i++) {
		struct et_store *s = NULL;
		struct seen seen;

		snprintf(sql, sizeof(sql),
			"UPDATE experiment SET id = '%s', label = 'lab', state = 'interrupted',"
			" origin = 'measured', machine = 'm'",
			ids[i]);
		run_sql(sql);
		if (open_store(&s))
			tap_bail("%s", err.what);
		ok(et_store_find(s, "last", found, &err) == -EBADMSG,
			"ids: the newest experiment is not found by id %zu: %s", i, err.what);
		ok(et_store_find(s, "lab", found, &err) == -EBADMSG &&
				et_store_find_unfinished(s, "m", found, &err) == -EBADMSG,
			"ids: neither a label nor the state leads to id %zu", i);
		if (*ids[i])
			ok(et_store_find(s, ids[i], found, &err) < 0, "ids: id %zu is not found",
				i);
		struct et_experiment *e = NULL;
		ok(et_store_load(s, ids[i], &e, &err) < 0 && !strstr(err.hint, "etalon rm"),
			"ids: id %zu is not loaded", i);
		et_store_close(s);
		ok(try_list(&seen) == 0 && seen.n == 1 && !strcmp(seen.id, "?"),
			"ids: the list shows an experiment, but not id %zu", i);
	}
	ok(et_experiment_is_id(id) && et_experiment_is_id("a.b_c-1") && !et_experiment_is_id(".a"),
		"ids: letters, digits, dots, dashes and underscores are one");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	computed_columns();
	large_values();
	large_experiment();
	folded_trees();
	bad_ids();
	char command[400];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ok(system(command) == 0, "the test's folder is removed");
	return tap_done();
}
