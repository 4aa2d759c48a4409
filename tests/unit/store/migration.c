/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Migrations: a store of every older version, with rows in all of its tables, becomes one of the
 * newest version without losing a value, and a migration that fails changes nothing. ET_TEST_STORE
 * names a database of PostgreSQL whose store is removed; without it the test makes SQLite files.
 */
#include "specimen.h"
#include "store/core/backend.h"
#include "store/core/cursor.h"

#include <errno.h>
#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char url[600], source_path[300];
static const char id[] = "20251115-085506-aaaaaa";
static bool server; /* the store is in PostgreSQL */

/* --- the tables of a version, as its steps state them --- */

enum { MOST_TABLES = 32, MOST_COLUMNS = 96 };

struct table {
	char name[40];
	char columns[MOST_COLUMNS][40]; /* without quotes */
	size_t n;
};

struct tables {
	struct table list[MOST_TABLES];
	size_t n;
};

static void add_column(struct table *t, const char *text)
{
	if (t->n == MOST_COLUMNS || sscanf(text, " %39[a-z_\"]", t->columns[t->n]) != 1)
		tap_bail("a column of %s cannot be read", t->name);
	char *name = t->columns[t->n++], *end = strrchr(name, '"');
	if (end) {
		*end = '\0';
		memmove(name, name + 1, strlen(name));
	}
}

/* Reads the list of columns between the outer parentheses; keys and references are no columns. */
static void read_columns(struct table *t, const char *text)
{
	const char *begin = text;
	int depth = 0;

	for (const char *p = text;; p++) {
		depth += *p == '(';
		if (depth == 0 && (*p == ',' || *p == ')')) {
			begin += strspn(begin, " ");
			if (strncmp(begin, "PRIMARY KEY", 11) && strncmp(begin, "FOREIGN KEY", 11))
				add_column(t, begin);
			begin = p + 1;
			if (*p == ')')
				return;
		}
		depth -= *p == ')';
	}
}

static struct table *table_of(struct tables *all, const char *name)
{
	for (size_t i = 0; i < all->n; i++) {
		if (!strcmp(all->list[i].name, name))
			return &all->list[i];
	}
	tap_bail("no table %s", name);
}

static void read_step(struct tables *all, const char *step)
{
	char name[40], column[40];

	for (const char *at = step; (at = strstr(at, "CREATE TABLE ")); at++) {
		struct table *t = &all->list[all->n++];
		if (all->n > MOST_TABLES || sscanf(at, "CREATE TABLE %39[a-z_]", t->name) != 1)
			tap_bail("a table cannot be read");
		read_columns(t, strchr(at, '(') + 1);
	}
	for (const char *at = step; (at = strstr(at, "ALTER TABLE ")); at++) {
		if (sscanf(at, "ALTER TABLE %39s ADD COLUMN %39s", name, column) == 2)
			add_column(table_of(all, name), column);
	}
}

/* --- rows --- */

static char *column_list(const struct table *t)
{
	char *list = et_strdup("");

	for (size_t i = 0; i < t->n; i++) {
		char *longer = et_asprintf("%s%s\"%s\"", list, i ? ", " : "", t->columns[i]);
		free(list);
		list = longer;
	}
	return list;
}

/* The rows in the order of their key, which the first columns are. */
static struct et_statement *select_rows(struct et_database *db, const struct table *t)
{
	static const char *const orders[] = { "1", "1, 2", "1, 2, 3", "1, 2, 3, 4" };
	ET_AUTO_FREE char *list = column_list(t);
	ET_AUTO_FREE char *sql = et_asprintf(
		"SELECT %s FROM %s ORDER BY %s", list, t->name, orders[(t->n < 4 ? t->n : 4) - 1]);
	struct et_statement *st = NULL;
	struct et_error err = { 0 };

	if (db->ops->prepare(db, sql, &st, &err))
		tap_bail("%s", err.what);
	return st;
}

static bool same_value(const struct et_value *a, const struct et_value *b)
{
	if (a->kind != b->kind)
		return false;
	switch (a->kind) {
	case ET_VALUE_INT:
		return a->integer == b->integer;
	case ET_VALUE_REAL:
		return memcmp(&a->real, &b->real, sizeof(a->real)) == 0;
	case ET_VALUE_TEXT:
	case ET_VALUE_BLOB:
		return a->size == b->size && !memcmp(a->bytes, b->bytes, a->size);
	default:
		return true;
	}
}

static int step(struct et_statement *st)
{
	struct et_error err = { 0 };
	int rc = st->db->ops->step(st, &err);

	if (rc < 0)
		tap_bail("%s", err.what);
	return rc;
}

static bool same_rows(struct et_database *a, struct et_database *b, const struct table *t)
{
	struct et_statement *x = select_rows(a, t), *y = select_rows(b, t);
	size_t rows = 0;
	bool same = true, more = true;

	while (same && more) {
		int from = step(x);
		same = from == step(y);
		more = same && from;
		rows += more;
		for (size_t i = 0; more && i < t->n; i++) {
			struct et_value v = { 0 }, w = { 0 };
			a->ops->column(x, (int)i, &v);
			b->ops->column(y, (int)i, &w);
			if (!same_value(&v, &w)) {
				printf("# %s, row %zu: %s differs\n", t->name, rows, t->columns[i]);
				same = false;
			}
		}
	}
	if (same && !rows)
		printf("# %s has no rows\n", t->name);
	a->ops->finalize(x);
	b->ops->finalize(y);
	return same && rows;
}

static void copy_rows(struct et_database *from, struct et_database *to, const struct table *t)
{
	ET_AUTO_FREE char *list = column_list(t), *marks = et_strdup("?");
	struct et_statement *rows = select_rows(from, t), *add = NULL;
	struct et_error err = { 0 };

	for (size_t i = 1; i < t->n; i++) {
		char *longer = et_asprintf("%s, ?", marks);
		free(marks);
		marks = longer;
	}
	ET_AUTO_FREE char *text =
		et_asprintf("INSERT INTO %s (%s) VALUES (%s)", t->name, list, marks);
	ET_AUTO_FREE char *sql = et_sql_expand(text, to->ops->dialect);
	if (to->ops->prepare(to, sql, &add, &err))
		tap_bail("%s", err.what);
	while (step(rows)) {
		struct et_value values[MOST_COLUMNS];

		memset(values, 0, sizeof(values));
		for (size_t i = 0; i < t->n; i++) {
			from->ops->column(rows, (int)i, &values[i]);
			to->ops->bind(add, (int)i, &values[i]);
		}
		if (to->ops->step(add, &err) < 0)
			tap_bail("%s: %s", t->name, err.what);
		to->ops->reset(add);
	}
	to->ops->finalize(add);
	from->ops->finalize(rows);
}

/* --- stores --- */

static const char other_rows[] =
	"INSERT INTO campaign (id, label, kind, engine, created_ns, record)"
	" VALUES ('c', 'l', 'doe', 'ssh', 1, '{}');"
	"INSERT INTO part (campaign, number, first_round, rounds, state, attempt, generation,"
	" failures, changed_ns) SELECT key, 1, 0, 2, 'todo', 0, 0, 0, 3 FROM campaign;"
	"INSERT INTO machine (id, first_ns, last_ns) VALUES ('m', 1, 2);"
	"INSERT INTO outbox (experiment, destination, queued_ns, generation)"
	" VALUES ('x', 'd', 1, 1);";

/* A store of the newest version with a row in every table. */
static struct et_store *make_source(void)
{
	struct et_store *s = NULL;
	struct et_error err = { 0 };
	struct et_experiment *e = specimen(id);

	specimen_profile(e);
	for (uint32_t order = 1; order <= 4; order++) {
		struct et_sample sample = specimen_sample(order % 2, order);
		specimen_culprits(&sample, 3);
		specimen_profile_run(e, &sample);
		et_experiment_add(e, &sample);
		et_profile_run_free(sample.measured.profile);
	}
	et_profile_set_calls(e->profile, 0, 1, 1e6);
	if (et_store_open(source_path, ET_STORE_WRITE, &s, &err) || et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_experiment_free(e);
	if (s->db->ops->script(s->db, other_rows, &err))
		tap_bail("%s", err.what);
	return s;
}

/* The last version in which facts have no machine; the next one renames the new table. */
enum { FACTS_ALONE = 13 };

static bool is_fact(const struct table *t)
{
	return !strncmp(t->name, "fact", 4) && strcmp(t->name, "factor") != 0;
}

static struct et_database *open_empty(void);

/* Makes a store of the version, whose rows are those of the source. */
static struct et_database *make_old(struct et_database *from, struct tables *all, int version)
{
	struct et_database *db = open_empty();
	struct et_schema old = { et_store_schema.steps, version };
	struct et_error err = { 0 };

	if (et_schema_migrate(db, &old, &err) || db->ops->begin(db, ET_TRANSACTION_WRITE, &err))
		tap_bail("version %d: %s", version, err.what);
	memset(all, 0, sizeof(*all));
	for (int i = 0; i < version; i++)
		read_step(all, et_store_schema.steps[i]);
	for (size_t i = 0; i < all->n; i++) {
		if (!is_fact(&all->list[i]))
			copy_rows(from, db, &all->list[i]);
	}
	if (db->ops->script(db,
		    version <= FACTS_ALONE
			    ? "INSERT INTO fact (key, value) VALUES ('a key', 'a value')"
			    : "INSERT INTO fact (machine, key, value, changed_ns)"
			      " VALUES ('', 'a key', 'a value', 0)",
		    &err) ||
		db->ops->commit(db, &err))
		tap_bail("version %d: %s", version, err.what);
	return db;
}

static bool same_store(struct et_database *from, struct et_database *db, const struct tables *all)
{
	bool same = true;

	for (size_t i = 0; i < all->n; i++) {
		if (!is_fact(&all->list[i]))
			same &= same_rows(from, db, &all->list[i]);
	}
	return same;
}

static int64_t version_of(struct et_database *db)
{
	struct et_error err = { 0 };
	int64_t version = -1;

	if (db->ops->read_version(db, &version, &err))
		printf("# %s\n", err.what);
	return version;
}

/* The last step does its work and then fails. */
static bool fails_halfway(struct et_database *db, int version)
{
	const char *steps[64];
	ET_AUTO_FREE char *wrong = NULL;
	struct et_error err = { 0 };
	int last = et_store_schema.version - 1;

	memcpy(steps, et_store_schema.steps, sizeof(*steps) * (size_t)et_store_schema.version);
	wrong = et_asprintf("%s;SELECT nothing FROM nowhere", steps[last]);
	steps[last] = wrong;
	return et_schema_migrate(db, &(struct et_schema){ steps, et_store_schema.version }, &err) <
		       0 &&
	       err.exit == ET_EXIT_OUTSIDE && !db->ops->in_transaction(db) &&
	       version_of(db) == version;
}

static bool loads(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	struct et_error err = { 0 };
	char *fact = NULL;
	bool good = et_store_open(url, ET_STORE_READ, &s, &err) == 0 &&
		    et_store_load(s, id, &e, &err) == 0 &&
		    et_store_get_fact(s, "n1", "a key", &fact, &err) == 0;

	if (!good)
		printf("# %s\n", err.what);
	good = good && e->n_commands == 2 && fact && !strcmp(fact, "a value");
	free(fact);
	et_experiment_free(e);
	et_store_close(s);
	return good;
}

/* The owner of a central store decides when it is migrated, because older etalons cannot use it
 * then. */
static bool is_refused(void)
{
	struct et_store *s = NULL;
	struct et_error err = { 0 };

	return et_store_open(url, ET_STORE_WRITE, &s, &err) < 0 && err.exit == ET_EXIT_OUTSIDE &&
	       strstr(err.hint, "etalon sync --setup");
}

static void from_version(struct et_database *from, int version)
{
	struct tables all;
	struct et_error err = { 0 };
	struct et_database *db = make_old(from, &all, version);

	ok(fails_halfway(db, version) && same_store(from, db, &all),
		"version %d: a migration that fails in its last step changes nothing", version);
	if (server)
		ok(is_refused(), "version %d: a central store is not migrated unasked", version);
	ok(et_schema_migrate(db, &et_store_schema, &err) == 0 &&
			version_of(db) == et_store_schema.version,
		"version %d: the store becomes one of version %d", version,
		et_store_schema.version);
	ok(same_store(from, db, &all), "version %d: the migration keeps every value of every table",
		version);
	db->ops->close(db);
	ok(loads(), "version %d: the experiment and the fact are read from the migrated store",
		version);
}

/* Several processes open an old store at the same moment; one of them migrates it. */
static void at_once(struct et_database *from)
{
	struct tables all;
	struct et_database *db = make_old(from, &all, 1);
	pid_t children[4];
	int failed = 0;

	db->ops->close(db);
	for (size_t i = 0; i < ET_LENGTH(children); i++) {
		children[i] = fork();
		if (children[i] == 0) {
			struct et_store *s = NULL;
			struct et_error err = { 0 };
			int rc = et_store_open(
				url, server ? ET_STORE_SETUP : ET_STORE_WRITE, &s, &err);
			if (rc)
				printf("# %s\n", err.what);
			et_store_close(s);
			fflush(stdout);
			_exit(rc != 0);
		}
	}
	for (size_t i = 0; i < ET_LENGTH(children); i++) {
		int status = -1;
		waitpid(children[i], &status, 0);
		failed += status != 0;
	}
	ok(!failed && loads(), "migration: of four processes at once, one migrates and all open");
}

/* --- parts of studies, which versions below 15 know by their labels --- */

static const struct labelled {
	const char *label, *command;
	bool profile;
	const char *study, *lab, *part; /* as the migration finds them */
} labelled[] = {
	{ "lab emp-versions/20261116-112233/v1", "/bin/etalon put inc --seconds 1000ns", false,
		"lab emp-versions/20261116-112233", "emp-versions", "v1" },
	{ "a/b/20261116-112233/as-is/3", "etalon put inc --seconds 1000ns", false,
		"a/b/20261116-112233", "emp-versions", "as-is/3" },
	{ "lab triangle/20261116-112233/perf", "perf record -- etalon put triangle --inner 1", true,
		"lab triangle/20261116-112233", "triangle", "perf" },
	{ "mine/20261116-112233/gprof, no load", "/s/lab/20261116-112233/fragment 10 1 0", true,
		"mine/20261116-112233", NULL, "gprof, no load" },
	{ "ci/20261116-112233/random", "make test", true, NULL, NULL, NULL },
	{ "ci/20261116-112233/main", "etalon put triangle --inner 1", true, NULL, NULL, NULL },
	{ "ci/v1", "etalon put inc --seconds 1000ns", false, NULL, NULL, NULL },
};

static void name_of_labelled(size_t i, char name[40])
{
	snprintf(name, 40, "20261116-112233-00000%zu", i);
}

static void keep_labelled(struct et_store *s, size_t i)
{
	const struct labelled *l = &labelled[i];
	struct et_experiment *e = et_experiment_new();
	struct et_error err = { 0 };

	name_of_labelled(i, e->id);
	e->label = et_strdup(l->label);
	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = l->profile ? ET_ORDER_ROUND_ROBIN : ET_ORDER_RANDOM;
	e->plan.warmup = 0;
	et_experiment_add_command(e, et_strdup("a"), et_strv_of("a", NULL));
	free(e->commands[0].text);
	e->commands[0].text = et_strdup(l->command);
	if (l->profile)
		specimen_profile(e);
	if (et_store_begin(s, e, &err))
		tap_bail("%s", err.what);
	et_experiment_free(e);
}

static void studies(void)
{
	char path[320];
	struct et_store *s = NULL;
	struct tables all;
	struct et_error err = { 0 };

	snprintf(path, sizeof(path), "%s/studies.db", folder);
	if (et_store_open(path, ET_STORE_WRITE, &s, &err))
		tap_bail("%s", err.what);
	for (size_t i = 0; i < ET_LENGTH(labelled); i++)
		keep_labelled(s, i);
	struct et_database *db = make_old(s->db, &all, 14);
	et_store_close(s);
	if (et_schema_migrate(db, &et_store_schema, &err))
		tap_bail("%s", err.what);
	db->ops->close(db);
	if (et_store_open(url, ET_STORE_READ, &s, &err))
		tap_bail("%s", err.what);
	for (size_t i = 0; i < ET_LENGTH(labelled); i++) {
		struct et_experiment *e = NULL;
		char name[40];

		name_of_labelled(i, name);
		if (et_store_load(s, name, &e, &err))
			tap_bail("%s", err.what);
		ok(same_text(e->member.study, labelled[i].study) &&
				same_text(e->member.study_lab, labelled[i].lab) &&
				same_text(e->member.study_part, labelled[i].part),
			"version 14: '%s' is %s", labelled[i].label,
			labelled[i].study ? "a part of its study" : "a label and no study");
		et_experiment_free(e);
	}
	et_store_close(s);
}

static void newer(struct et_database *from)
{
	struct et_store *s = NULL;
	struct tables all;
	struct et_error err = { 0 };
	struct et_database *db = make_old(from, &all, et_store_schema.version - 1);

	if (et_schema_migrate(db, &et_store_schema, &err) ||
		db->ops->begin(db, ET_TRANSACTION_WRITE, &err) ||
		db->ops->write_version(db, et_store_schema.version + 1, &err) ||
		db->ops->commit(db, &err))
		tap_bail("%s", err.what);
	db->ops->close(db);
	ok(et_store_open(url, ET_STORE_WRITE, &s, &err) < 0 && err.exit == ET_EXIT_OUTSIDE &&
			strstr(err.hint, "use a newer etalon"),
		"version: a store of a newer etalon is refused");
}

extern const struct et_backend et_backend_sqlite;
extern const struct et_backend et_backend_postgresql
	__attribute__((weak)); /* missing without libpq */

static struct et_database *open_server(void)
{
	struct et_database *db = NULL;
	struct et_error err = { 0 };

	if (et_backend_postgresql.open(url + strlen("postgresql://"), ET_STORE_SETUP,
		    &(struct et_patience){ 0 }, &db, &err) ||
		db->ops->script(db, "DROP SCHEMA IF EXISTS etalon CASCADE", &err))
		tap_bail("%s", err.what);
	return db;
}

static struct et_database *open_empty(void)
{
	struct et_database *db = NULL;
	struct et_error err = { 0 };

	if (server)
		return open_server();
	unlink(url);
	if (et_backend_sqlite.open(url, ET_STORE_WRITE, &(struct et_patience){ 0 }, &db, &err))
		tap_bail("%s", err.what);
	return db;
}

int main(void)
{
	if (!mkdtemp(folder))
		tap_bail("no temporary folder");
	snprintf(source_path, sizeof(source_path), "%s/source.db", folder);
	const char *given = getenv("ET_TEST_STORE");
	server = given != NULL;
	if (server)
		snprintf(url, sizeof(url), "%s", given);
	else
		snprintf(url, sizeof(url), "%s/old.db", folder);
	struct et_store *source = make_source();
	for (int version = 1; version < et_store_schema.version; version++)
		from_version(source->db, version);
	at_once(source->db);
	studies();
	newer(source->db);
	et_store_close(source);
	ET_AUTO_FREE char *remove = et_asprintf("rm -rf %s", folder);
	if (system(remove))
		printf("# %s stays\n", folder);
	return tap_done();
}
