/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The schema and its migrations. A step is never changed once released: a change of the schema is
 * a new step. The columns of samples and the like are named as in model/field.c; statements name
 * their columns from there, so a field without a column fails in every test.
 */
#include "store/sqlite.h"

#include <errno.h>

/* "etal" in the header of the file, so that file(1) and we know whose database it is. */
enum { APPLICATION_ID = 0x6574616c };

/*
 * The key of samples has the command, too: the two samples of a duet share their order. Names of
 * processes are kept once: the same few dozen accompany every sample.
 */
static const char step_1[] =
	"CREATE TABLE experiment ("
	" key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, label TEXT,"
	" started_ns INTEGER NOT NULL, finished_ns INTEGER NOT NULL, state TEXT NOT NULL,"
	" protocol TEXT NOT NULL, metric TEXT NOT NULL,"
	" \"order\" TEXT NOT NULL, seed INTEGER NOT NULL, image_source TEXT,"
	" commands INTEGER NOT NULL, samples INTEGER NOT NULL DEFAULT 0,"
	" plan_reference INTEGER, plan_warmup INTEGER, plan_runs INTEGER, plan_until_ratio REAL,"
	" plan_min_runs INTEGER, plan_max_runs INTEGER, plan_time_limit_ns INTEGER,"
	" plan_metronome_ns INTEGER, plan_pace INTEGER, plan_keep_all INTEGER,"
	" plan_ignore_failure INTEGER, plan_level REAL,"
	" child_cpus TEXT, child_sched TEXT, child_user TEXT, child_shell TEXT, child_input TEXT,"
	" child_output TEXT, child_directory TEXT, child_nice INTEGER,"
	" host_name TEXT, host_kernel TEXT, host_architecture TEXT, host_cpu TEXT,"
	" host_cpus INTEGER, host_virtual TEXT, host_clocksource TEXT, host_governor TEXT,"
	" host_tick_ns INTEGER, host_memory_bytes INTEGER, host_block_delays INTEGER"
	") STRICT;"
	"CREATE INDEX experiment_started ON experiment (started_ns);"
	"CREATE INDEX experiment_label ON experiment (label) WHERE label IS NOT NULL;"
	"CREATE TABLE command ("
	" experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" number INTEGER NOT NULL, name TEXT NOT NULL, text TEXT NOT NULL,"
	" argv BLOB NOT NULL," /* each word with its NUL: file names need not be UTF-8 */
	" prepare TEXT, conclude TEXT, setup TEXT, cleanup TEXT,"
	" PRIMARY KEY (experiment, number)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE parameter ("
	" experiment INTEGER NOT NULL, command INTEGER NOT NULL, number INTEGER NOT NULL,"
	" name TEXT NOT NULL, value TEXT NOT NULL,"
	" PRIMARY KEY (experiment, command, number),"
	" FOREIGN KEY (experiment, command) REFERENCES command ON DELETE CASCADE"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE factor ("
	" experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" number INTEGER NOT NULL, factor TEXT, state TEXT, wanted TEXT, ok INTEGER NOT NULL,"
	" PRIMARY KEY (experiment, number)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE sample ("
	" experiment INTEGER NOT NULL REFERENCES experiment ON DELETE CASCADE,"
	" \"order\" INTEGER NOT NULL, command INTEGER NOT NULL,"
	" round INTEGER, position INTEGER, partner INTEGER, arrangement TEXT NOT NULL,"
	" warmup INTEGER NOT NULL, exit_code INTEGER, signal INTEGER, marks INTEGER NOT NULL,"
	" pt_source TEXT, started_wall_ns INTEGER, et_ns INTEGER, pt_ns INTEGER,"
	" user_ns INTEGER, system_ns INTEGER, wait_ns INTEGER, blocked_ns INTEGER,"
	" steal_ns INTEGER, max_rss_bytes INTEGER, voluntary_switches INTEGER,"
	" involuntary_switches INTEGER, cpu_migrations INTEGER, major_faults INTEGER,"
	" minor_faults INTEGER, removed_by TEXT, removed_daemon TEXT, removed_pt_ns INTEGER,"
	" removed_cutoff_ns INTEGER,"
	" PRIMARY KEY (experiment, \"order\", command)) STRICT, WITHOUT ROWID;"
	"CREATE TABLE process (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;"
	"CREATE TABLE interference ("
	" experiment INTEGER NOT NULL, \"order\" INTEGER NOT NULL, command INTEGER NOT NULL,"
	" number INTEGER NOT NULL, process INTEGER NOT NULL, pid INTEGER,"
	" kernel_thread INTEGER, exited INTEGER, pt_ns INTEGER, doubt_ns INTEGER,"
	" on_our_cpu_ns INTEGER,"
	" PRIMARY KEY (experiment, \"order\", command, number),"
	" FOREIGN KEY (experiment, \"order\", command) REFERENCES sample ON DELETE CASCADE"
	") STRICT, WITHOUT ROWID;"
	"CREATE TABLE fact (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;";

/* The ledger of the program's CPU, the counter, the probe, the reference loop, K-best. */
static const char step_2[] = "ALTER TABLE sample ADD COLUMN others_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN idle_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN irq_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN softirq_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN probe_before_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN probe_after_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN counter_ticks INTEGER;"
			     "ALTER TABLE sample ADD COLUMN pace_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN pace_loops INTEGER;"
			     "ALTER TABLE sample ADD COLUMN removed_probe_ns INTEGER;"
			     "ALTER TABLE sample ADD COLUMN removed_limit_ns INTEGER;"
			     "ALTER TABLE experiment ADD COLUMN plan_probe INTEGER;"
			     "ALTER TABLE experiment ADD COLUMN plan_k INTEGER;"
			     "ALTER TABLE experiment ADD COLUMN plan_epsilon REAL;";

static const char *const steps[] = { step_1, step_2 };

const struct et_schema et_sqlite_schema = { steps, ET_LENGTH(steps) };

static int read_int(
	sqlite3 *db, const char *path, const char *sql, int64_t *out, struct et_error *err)
{
	sqlite3_stmt *st = NULL;
	int rc = sqlite3_prepare_v2(db, sql, -1, &st, NULL);

	if (rc == SQLITE_OK && (rc = sqlite3_step(st)) == SQLITE_ROW) {
		*out = sqlite3_column_int64(st, 0);
		rc = SQLITE_OK;
	}
	sqlite3_finalize(st);
	return rc == SQLITE_OK ? 0 : et_sqlite_fail(db, path, rc, err);
}

/* Version 0 is an empty database; whatever is not ours is refused before anything is written. */
static int read_version(sqlite3 *db, const char *path, const struct et_schema *schema,
	int64_t *version, struct et_error *err)
{
	int64_t application, tables;
	int rc = read_int(db, path, "PRAGMA application_id", &application, err);

	if (!rc)
		rc = read_int(db, path, "PRAGMA user_version", version, err);
	if (!rc)
		rc = read_int(db, path, "SELECT count(*) FROM sqlite_schema", &tables, err);
	if (rc)
		return rc;
	if (application == 0 && tables == 0 && *version == 0)
		return 0;
	if (application != APPLICATION_ID || *version < 1)
		return et_hint(err,
			et_fail(err, EINVAL, ET_EXIT_OUTSIDE,
				"%s: a database of another program, not an etalon store", path),
			"name another file with --store or ETALON_STORE");
	if (*version > schema->version)
		return et_hint(err,
			et_fail(err, EPROTO, ET_EXIT_OUTSIDE,
				"%s: the store has schema version %lld, this etalon knows up to %d",
				path, (long long)*version, schema->version),
			"use a newer etalon; the store was left as it is");
	return 0;
}

static int take_steps(
	sqlite3 *db, const char *path, const struct et_schema *schema, struct et_error *err)
{
	int64_t version;
	char sql[80];
	int rc = sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL);

	if (rc != SQLITE_OK)
		return et_sqlite_fail(db, path, rc, err);
	/* Another process may have done it while we waited. */
	int failed = read_version(db, path, schema, &version, err);
	if (failed) {
		sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
		return failed;
	}
	for (int64_t i = version; rc == SQLITE_OK && i < schema->version; i++)
		rc = sqlite3_exec(db, schema->steps[i], NULL, NULL, NULL);
	snprintf(sql, sizeof(sql), "PRAGMA application_id=%d; PRAGMA user_version=%d",
		APPLICATION_ID, schema->version);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(db, "COMMIT", NULL, NULL, NULL);
	if (rc == SQLITE_OK)
		return 0;
	failed = et_sqlite_fail(db, path, rc, err);
	sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return failed;
}

int et_sqlite_migrate(
	sqlite3 *db, const char *path, const struct et_schema *schema, struct et_error *err)
{
	int64_t version;
	int rc = read_version(db, path, schema, &version, err);

	if (rc || version == schema->version)
		return rc;
	return take_steps(db, path, schema, err);
}
