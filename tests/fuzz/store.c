/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Targets: stores. A database may be damaged, and may come from somebody else. */
#include "store/core/store.h"
#include "base/base.h"
#include "fuzz.h"
#include "records.h"
#include "store/core/cutoffs.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

static const char record[] =
	"{\"etalon\":1,\"id\":\"20261115-085506-1f3a9c\",\"label\":\"specimen\","
	"\"started_wall_ns\":1763196906000000000,\"state\":\"interrupted\",\"protocol\":\"emp\","
	"\"metric\":\"pt\",\"plan\":{\"order\":\"random\",\"seed\":42,\"runs\":3},"
	"\"host\":{\"name\":\"box\",\"cpus\":2},\"environment\":[{\"factor\":\"aslr\","
	"\"state\":\"2\",\"verdict\":\"disturbs\"}],\"commands\":[{\"name\":\"a\","
	"\"command\":\"true a\",\"argv\":[\"true\",\"a\"],\"parameters\":{\"n\":\"1\"},"
	"\"samples\":[{\"order\":1,\"round\":1,\"et_ns\":1000,\"pt_ns\":900,"
	"\"interference\":[{\"name\":\"cron\",\"pid\":77,\"pt_ns\":15}]},"
	"{\"order\":2,\"round\":2,\"et_ns\":1010,\"pt_ns\":905,\"removed\":{\"by\":"
	"\"daemon-cutoff\",\"daemon\":\"cron\",\"pt_ns\":9,\"cutoff_ns\":5}}]},"
	"{\"name\":\"b\",\"command\":\"true b\",\"argv\":[\"true\",\"b\"],\"samples\":"
	"[{\"order\":3,\"round\":1,\"et_ns\":1100,\"pt_ns\":950}]}],"
	"\"profile\":{\"event\":\"cpu-clock\",\"functions\":[{\"name\":\"main\",\"module\":"
	"\"/bin/a\"},{\"name\":\"f\",\"module\":\"/bin/a\"}],\"nodes\":[[0,0],[1,1]],"
	"\"runs\":[{\"order\":1,\"samples\":300,\"counts\":[[1,100,1],[2,200,0]]},"
	"{\"order\":2,\"samples\":5,\"counts\":[[2,5,5]]}],"
	"\"calls\":[{\"function\":1,\"calls\":10}]}}";

static const char fact[] =
	"{\"learned_wall_ns\":1763196906000000000,\"host\":\"box\",\"kernel\":\"6.1\","
	"\"cpu\":\"Some CPU\",\"short_runs\":300,\"short_seconds\":1.0,\"long_runs\":0,"
	"\"long_seconds\":null,\"daemons\":[{\"daemon\":\"cron\",\"short_ms\":1.5,"
	"\"long_ms\":null,\"period_s\":60,\"task_time_s\":3,\"final_ms\":[1.5,2]}]}";

/* --- a store that is opened once --- */

static struct et_store *own;

static void close_own(void)
{
	et_store_close(own);
}

static struct et_store *own_store(void)
{
	ET_AUTO_FREE char *url = et_asprintf("sqlite:%s/own.db", fuzz_scratch());
	struct et_error err;

	if (own)
		return own;
	FUZZ_CHECK(et_store_open(url, ET_STORE_WRITE, &own, &err) == 0);
	atexit(close_own);
	return own;
}

/* An experiment that was imported can be stored, and is loaded unchanged. */
static int fuzz_keep(const uint8_t *data, size_t size)
{
	struct et_experiment *e = NULL, *again = NULL;
	struct et_store *s = own_store();
	struct et_error err;
	size_t n, n2;

	if (fuzz_import_bytes((const char *)data, size, ET_IMPORT_AUTO, NULL, &e))
		return 0;
	FUZZ_CHECK(et_store_keep(s, e, &err) == 0);
	FUZZ_CHECK(et_store_load(s, e->id, &again, &err) == 0);
	ET_AUTO_FREE char *before = fuzz_native(e, &n);
	ET_AUTO_FREE char *after = fuzz_native(again, &n2);
	FUZZ_CHECK(n == n2 && !memcmp(before, after, n));
	FUZZ_CHECK(et_store_claim(s, e->id, &err) == 0);
	FUZZ_CHECK(et_store_remove(s, e->id, &err) == 0);
	et_store_release(s);
	et_experiment_free(e);
	et_experiment_free(again);
	return 1;
}

FUZZ_TARGET(keep) = { "keep", fuzz_keep, 2000, .json = true, .tokens = fuzz_json_tokens,
	.input = "records that are stored", .holds = "loaded from the store: the same record" };

/* The fact that holds the cutoffs of daemons: cutoffs that were read are kept and read again. */
static int fuzz_cutoffs(const uint8_t *data, size_t size)
{
	ET_AUTO_FREE char *text = fuzz_text(data, size);
	struct et_store *s = own_store();
	struct et_cutoffs c = { 0 }, again = { 0 };
	struct et_error err;
	bool there = false;

	if (et_store_set_fact(s, "", "daemon-cutoffs box", text, &err) ||
		et_cutoffs_load(s, "", "box", &c, &there, &err))
		return 0;
	FUZZ_CHECK(there == (*text != '\0'));
	if (!there)
		return 0;
	for (size_t i = 0; i < c.n; i++)
		FUZZ_CHECK(et_cutoff_for(&c.list[i], 1) >= 0);
	FUZZ_CHECK(et_cutoffs_keep(s, &c, &err) == 0);
	FUZZ_CHECK(et_cutoffs_load(s, c.machine, c.host, &again, &there, &err) == 0);
	FUZZ_CHECK(c.n == again.n && c.short_runs == again.short_runs);
	for (size_t i = 0; i < c.n; i++)
		FUZZ_CHECK(!strcmp(c.list[i].daemon, again.list[i].daemon));
	FUZZ_CHECK(et_cutoffs_forget(s, c.machine, c.host, &err) == 0);
	et_cutoffs_free(&c);
	et_cutoffs_free(&again);
	return 1;
}

FUZZ_TARGET(cutoffs) = { "cutoffs", fuzz_cutoffs, 3000, .json = true, .tokens = fuzz_json_tokens,
	.input = "the fact that holds the cutoffs of daemons",
	.holds = "kept and loaded again: the same daemons" };

/* --- the file of a store --- */

struct seen {
	char ids[8][40];
	size_t n;
};

static int note_summary(void *ctx, const struct et_summary *s)
{
	struct seen *seen = ctx;

	FUZZ_CHECK(strlen(s->id) < sizeof(s->id));
	if (seen->n < ET_LENGTH(seen->ids))
		memcpy(seen->ids[seen->n++], s->id, sizeof(s->id));
	return 0;
}

static int read_store(const char *url)
{
	struct seen seen = { 0 };
	struct et_experiment *e = NULL;
	struct et_cutoffs c = { 0 };
	struct et_store *s = NULL;
	struct et_error err;
	char id[40];
	bool there;
	int loaded = 0;

	if (et_store_open(url, ET_STORE_READ, &s, &err))
		return 0;
	(void)!et_store_list(s, 0, note_summary, &seen, &err);
	for (size_t i = 0; i < seen.n; i++) {
		if (et_store_load(s, seen.ids[i], &e, &err) == 0) {
			size_t n;
			free(fuzz_native(e, &n));
			et_experiment_free(e);
			loaded++;
		}
	}
	(void)!et_store_find(s, "specimen", id, &err);
	(void)!et_store_find(s, "2026", id, &err);
	if (et_cutoffs_load(s, "box", "box", &c, &there, &err) == 0 && there)
		et_cutoffs_free(&c);
	et_store_close(s);
	return loaded;
}

/* As `run --resume` and `rm` write. */
static void write_store(const char *url)
{
	struct et_experiment *e = NULL;
	struct et_store *s = NULL;
	struct et_error err;
	char id[40];

	if (et_store_open(url, ET_STORE_WRITE, &s, &err))
		return;
	if (et_store_find_unfinished(s, "box", id, &err) == 0 && et_store_claim(s, id, &err) == 0) {
		if (et_store_load(s, id, &e, &err) == 0) {
			struct et_sample sample = { .place = { .order = 9, .round = 9 } };
			(void)!et_store_set_state(s, id, ET_STATE_RUNNING, 0, &err);
			(void)!et_store_add(s, id, &sample, &err);
			(void)!et_store_flush(s, &err);
			(void)!et_store_set_state(s, id, ET_STATE_DONE, 1, &err);
			et_experiment_free(e);
		}
		(void)!et_store_remove(s, id, &err);
		et_store_release(s);
	}
	et_store_close(s);
}

static void write_bytes(const char *path, const uint8_t *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	FUZZ_CHECK(fd >= 0 && write(fd, data, size) == (ssize_t)size);
	close(fd);
}

static void remove_store(const char *path)
{
	static const char *const suffixes[] = { "", "-wal", "-shm", "-journal" };

	for (size_t i = 0; i < ET_LENGTH(suffixes); i++) {
		ET_AUTO_FREE char *file = et_asprintf("%s%s", path, suffixes[i]);
		unlink(file);
	}
}

static int use_store(const char *path)
{
	ET_AUTO_FREE char *url = et_asprintf("sqlite:%s", path);
	int loaded = read_store(url);

	write_store(url);
	remove_store(path);
	return loaded > 0;
}

/*
 * The bytes of a database. If they contain the header of a write-ahead log, the rest is written to
 * PATH-wal.
 */
static int fuzz_store(const uint8_t *data, size_t size)
{
	static const char log[] = { 0x37, 0x7f, 0x06, (char)0x82 };
	ET_AUTO_FREE char *path = et_asprintf("%s/fuzzed.db", fuzz_scratch());
	ET_AUTO_FREE char *beside = et_asprintf("%s-wal", path);
	const uint8_t *split = size ? memmem(data, size, log, sizeof(log)) : NULL;
	size_t main_size = split ? (size_t)(split - data) : size;

	remove_store(path);
	write_bytes(path, data, main_size);
	if (split)
		write_bytes(beside, split, size - main_size);
	return use_store(path);
}

/* --- stores that are made --- */

static char *read_bytes(const char *path, size_t *size)
{
	struct stat st;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, &st) < 0) {
		*size = 0;
		return et_alloc(1);
	}
	char *data = et_alloc((size_t)st.st_size);
	FUZZ_CHECK(read(fd, data, (size_t)st.st_size) == (ssize_t)st.st_size);
	close(fd);
	*size = (size_t)st.st_size;
	return data;
}

static void execute(sqlite3 *db, const char *sql)
{
	FUZZ_CHECK(sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
}

/* Small pages make a small file, of which each part matters. */
static void make_store(const char *path)
{
	ET_AUTO_FREE char *url = et_asprintf("sqlite:%s", path);
	struct et_experiment *e = NULL;
	struct et_store *s = NULL;
	struct et_error err;
	sqlite3 *db;

	remove_store(path);
	FUZZ_CHECK(fuzz_import_bytes(record, sizeof(record) - 1, ET_IMPORT_NATIVE, NULL, &e) == 0);
	e->origin = ET_ORIGIN_MEASURED; /* only those can be resumed */
	strcpy(e->machine, "box");
	FUZZ_CHECK(et_store_open(url, ET_STORE_WRITE, &s, &err) == 0);
	FUZZ_CHECK(et_store_keep(s, e, &err) == 0);
	FUZZ_CHECK(et_store_set_fact(s, "box", "daemon-cutoffs", fact, &err) == 0);
	et_store_close(s);
	et_experiment_free(e);
	FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
	execute(db, "PRAGMA journal_mode=DELETE; PRAGMA page_size=512; VACUUM");
	sqlite3_close(db);
}

/* The same with its last changes in the write-ahead log. */
static char *with_log(const char *path, size_t *size)
{
	ET_AUTO_FREE char *beside = et_asprintf("%s-wal", path);
	size_t n, n_log;
	sqlite3 *db;

	FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
	execute(db, "PRAGMA journal_mode=WAL; PRAGMA wal_autocheckpoint=0;"
		    "UPDATE experiment SET label='logged'");
	ET_AUTO_FREE char *whole = read_bytes(path, &n);
	ET_AUTO_FREE char *log = read_bytes(beside, &n_log);
	sqlite3_close(db);
	char *both = et_alloc(n + n_log);
	memcpy(both, whole, n);
	memcpy(both + n, log, n_log);
	*size = n + n_log;
	return both;
}

static bool fuzz_store_seed(size_t i, char **data, size_t *size)
{
	ET_AUTO_FREE char *path = et_asprintf("%s/made.db", fuzz_scratch());

	if (i > 1)
		return false;
	make_store(path);
	*data = i ? with_log(path, size) : read_bytes(path, size);
	remove_store(path);
	return true;
}

FUZZ_TARGET(store) = { "store", fuzz_store, 500, .binary = true, .seed = fuzz_store_seed,
	.input = "the file of a store and its write-ahead log",
	.holds = "it can be listed, loaded, resumed and removed, or is refused" };

/* --- hostile schemas --- */

static int end_early(void *ctx)
{
	return --*(int *)ctx < 0;
}

/* Changes a store by any SQL; the reader must withstand what came out. */
static int fuzz_schema(const uint8_t *data, size_t size)
{
	static char *specimen;
	static size_t specimen_size;
	ET_AUTO_FREE char *path = et_asprintf("%s/schema.db", fuzz_scratch());
	ET_AUTO_FREE char *sql = fuzz_text(data, size);
	int patience = 200; /* times 1000 operations of SQLite's machine */
	sqlite3 *db;

	if (!specimen)
		fuzz_store_seed(0, &specimen, &specimen_size);
	remove_store(path);
	write_bytes(path, (const uint8_t *)specimen, specimen_size);
	FUZZ_CHECK(sqlite3_open(path, &db) == SQLITE_OK);
	sqlite3_limit(db, SQLITE_LIMIT_LENGTH, 1 << 20);
	sqlite3_limit(db, SQLITE_LIMIT_ATTACHED, 0);
	sqlite3_progress_handler(db, 1000, end_early, &patience);
	execute(db, "PRAGMA synchronous=OFF; PRAGMA foreign_keys=OFF; PRAGMA writable_schema=ON");
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_close(db);
	use_store(path);
	return rc == SQLITE_OK;
}

static const char *const sql_tokens[] = { "SELECT ", "UPDATE ", "DELETE FROM ", "INSERT INTO ",
	"CREATE VIEW ", "CREATE TRIGGER t AFTER INSERT ON ", " BEGIN ", "END;", "DROP TABLE ",
	"ALTER TABLE ", " RENAME TO ", "experiment", "command", "sample", "parameter", "factor",
	"interference", "process", "fact", "sqlite_schema", " SET ", "sql=replace(sql,",
	"'STRICT',''", " WHERE ",
	"PRAGMA user_version=", "PRAGMA application_id=", "PRAGMA writable_schema=on;", "zeroblob(",
	"hex(", "char(27)", "NULL", "x'00'", "'", ";", "(", ")", ",", "*", "=", "1e400", "state",
	"argv", "et_ns", "id", "samples", "commands", "\"order\"", "GENERATED ALWAYS AS (",
	") VIRTUAL", NULL };

FUZZ_TARGET(schema) = { "schema", fuzz_schema, 200, .tokens = sql_tokens,
	.input = "SQL that changes a store before it is opened",
	.holds = "it can be listed, loaded, resumed and removed, or is refused" };
