/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tests of the SQLite back end alone: the file's mode and owner, files that are not stores,
 * migrations, and that no damage to a file crashes the reader or loses what was kept.
 */
#include "store/sqlite/sqlite.h"
#include "specimen.h"
#include "store/core/backend.h"
#include "store/core/store.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

static char folder[] = "/tmp/etalon-test-XXXXXX";
static char path[300];
static struct et_error err;

static const char id[] = "20251115-085506-aaaaaa";

static int try_open(enum et_store_mode mode)
{
	struct et_store *s = NULL;

	memset(&err, 0, sizeof(err));
	int rc = et_store_open(path, mode, &s, &err);
	if (rc && s)
		ok(false, "open: a failure leaves the out-parameter alone");
	et_store_close(s);
	return rc;
}

static int try_load(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;

	memset(&err, 0, sizeof(err));
	int rc = et_store_open(path, ET_STORE_READ, &s, &err);
	if (!rc)
		rc = et_store_load(s, id, &e, &err);
	et_experiment_free(e);
	et_store_close(s);
	return rc;
}

/* Is the error of exit status 4, in one line that has the file's name and the word, with a hint? */
static bool said(const char *word)
{
	bool good = err.exit == ET_EXIT_OUTSIDE && strstr(err.what, path) &&
		    strstr(err.what, word) && err.hint[0] && !strchr(err.what, '\n');

	if (!good)
		printf("# exit %d: %s (hint: %s)\n", err.exit, err.what, err.hint);
	return good;
}

/* Sets the path of the next store. */
static void new_place(const char *name)
{
	snprintf(path, sizeof(path), "%s/%s", folder, name);
}

/* A store with one experiment of four samples. */
static void make_store(const char *name)
{
	struct et_store *s = NULL;
	struct et_experiment *e = specimen(id);

	specimen_profile(e);
	new_place(name);
	for (uint32_t order = 1; order <= 4; order++) {
		struct et_sample sample = specimen_sample(0, order);
		specimen_culprits(&sample, 3);
		specimen_profile_run(e, &sample);
		et_experiment_add(e, &sample);
		et_profile_run_free(sample.measured.profile);
	}
	et_profile_set_calls(e->profile, 0, 1, 1e6);
	et_profile_set_calls(e->profile, 1, 0, 0);
	if (et_store_open(path, ET_STORE_CREATE_PATH, &s, &err) || et_store_keep(s, e, &err))
		tap_bail("%s", err.what);
	et_store_close(s);
	et_experiment_free(e);
}

static void run_sql(const char *sql)
{
	sqlite3 *db = NULL;
	char *text = NULL;

	if (sqlite3_open(path, &db) || sqlite3_exec(db, sql, NULL, NULL, &text))
		printf("# %s: %s\n", sql, text ? text : "cannot open");
	sqlite3_free(text);
	sqlite3_close(db);
}

static mode_t mode_of(const char *name)
{
	struct stat st;

	return stat(name, &st) ? 0 : st.st_mode & 0777;
}

static void privacy(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = specimen(id);
	char beside[400];
	mode_t old = umask(0);

	new_place("new/er/store.db");
	ok(try_open(ET_STORE_WRITE) == -ENOENT && strstr(err.hint, "no folder"),
		"open: a folder that the user named is not created");
	ok(et_store_open(path, ET_STORE_CREATE_PATH, &s, &err) == 0 &&
			et_store_begin(s, e, &err) == 0,
		"open: missing folders and the file are created");
	snprintf(beside, sizeof(beside), "%s/new", folder);
	ok(mode_of(beside) == 0700, "mode: the folder is private");
	ok(mode_of(path) == 0600, "mode: the file is private");
	snprintf(beside, sizeof(beside), "%s-wal", path);
	ok(mode_of(beside) == 0600, "mode: the log is private");
	snprintf(beside, sizeof(beside), "%s-shm", path);
	ok(mode_of(beside) == 0600, "mode: the index of the log is private");
	et_store_close(s);
	umask(0377);
	new_place("masked.db");
	ok(try_open(ET_STORE_WRITE) == 0 && mode_of(path) == 0600,
		"mode: the umask has no influence");
	umask(old);
	et_experiment_free(e);
}

static void urls(void)
{
	struct et_store *s = NULL;

	struct et_store_kind kind;
	if (et_store_kind(1, &kind) && !kind.version)
		ok(et_store_open("postgresql:///x", ET_STORE_WRITE, &s, &err) == -ENOTSUP &&
				err.exit == ET_EXIT_ENVIRONMENT && err.hint[0],
			"url: this build has no PostgreSQL");
	ok(et_store_open("mysql:x", ET_STORE_WRITE, &s, &err) == -EINVAL &&
			err.exit == ET_EXIT_USAGE,
		"url: an unknown scheme is refused");
	ok(et_store_open("sqlite:", ET_STORE_WRITE, &s, &err) == -EINVAL &&
			err.exit == ET_EXIT_USAGE,
		"url: a missing file name is refused");
	ok(!s, "url: a refused URL opens no store");
	snprintf(path, sizeof(path), "sqlite:%s/by-url.db", folder);
	ok(try_open(ET_STORE_WRITE) == 0, "url: sqlite:PATH is opened");
	new_place("odd ?#%&=.db");
	ok(try_open(ET_STORE_WRITE) == 0 && mode_of(path) == 0600,
		"url: special characters in a file name are allowed");
}

/* The file beside the store that has the claims. */
static void claims(void)
{
	struct et_store *s = NULL, *second = NULL;
	char side[400];

	make_store("claims.db");
	snprintf(side, sizeof(side), "%s-claims", path);
	if (et_store_open(path, ET_STORE_WRITE, &s, &err) ||
		et_store_open(path, ET_STORE_WRITE, &second, &err) ||
		et_store_claim(s, "one", &err))
		tap_bail("%s", err.what);
	ok(mode_of(side) == 0600, "claims: only the owner of the store can open the file");
	ok(et_store_claim(second, "two", &err) == 0, "claims: two experiments are claimed");
	et_store_release(s);
	ok(mode_of(side) == 0600, "claims: the file stays while another claim is held");
	ok(et_store_claim(s, "two", &err) == -EBUSY, "claims: the other claim still holds");
	et_store_release(second);
	ok(mode_of(side) == 0, "claims: the last release removes the file");
	ok(et_store_claim(s, "one", &err) == 0, "claims: the file is made again");
	et_store_close(s);
	ok(mode_of(side) == 0, "claims: closing the store removes the file");
	et_store_close(second);

	if (symlink("/etc/passwd", side))
		tap_bail("symlink");
	if (et_store_open(path, ET_STORE_WRITE, &s, &err))
		printf("# %s\n", err.what);
	ok(et_store_claim(s, "one", &err) == -ELOOP && said(side),
		"claims: a link in place of the file is refused");
	et_store_close(s);
	unlink(side);

	chmod(path, 0640);
	if (et_store_open(path, ET_STORE_WRITE, &s, &err) || et_store_claim(s, "one", &err))
		tap_bail("%s", err.what);
	ok(mode_of(side) == 0600, "claims: a group that can only read the store cannot claim");
	et_store_close(s);
}

static void not_a_store(void)
{
	new_place("absent.db");
	ok(try_open(ET_STORE_READ) == -ENOENT && said("no store"),
		"open: reading a missing store is refused");
	ok(mode_of(path) == 0, "open: reading does not create a store");
	snprintf(path, sizeof(path), "%s", folder);
	ok(try_open(ET_STORE_WRITE) < 0 && said("directory"), "open: a directory is refused");
	snprintf(path, sizeof(path), "/dev/null");
	ok(try_open(ET_STORE_WRITE) < 0 && err.exit == ET_EXIT_OUTSIDE,
		"open: a device is refused");
	new_place("text");
	FILE *f = fopen(path, "w");
	for (int i = 0; f && i < 200; i++)
		fprintf(f, "these are not the data you are looking for\n");
	if (f)
		fclose(f);
	ok(try_open(ET_STORE_WRITE) < 0 && said("not an etalon store"),
		"open: a text file is refused");
	new_place("foreign.db");
	run_sql("CREATE TABLE bookmarks (x); INSERT INTO bookmarks VALUES (1)");
	ok(try_open(ET_STORE_WRITE) < 0 && said("another program"),
		"open: a database of another program is refused");
	new_place("text/under-a-file.db");
	ok(try_open(ET_STORE_WRITE) < 0 && said("Not a directory"),
		"open: a path below a file is refused");
	new_place("empty.db");
	f = fopen(path, "w");
	if (f)
		fclose(f);
	ok(try_open(ET_STORE_READ) == 0, "open: an empty file becomes a store");
}

static void versions(void)
{
	make_store("newer.db");
	run_sql("PRAGMA user_version=777");
	ok(try_open(ET_STORE_WRITE) < 0 && said("schema version 777") &&
			strstr(err.hint, "use a newer etalon"),
		"version: a store of a newer etalon is refused");
	char sql[64];
	snprintf(sql, sizeof(sql), "PRAGMA user_version=%d", et_store_schema.version);
	run_sql(sql);
	ok(try_load() == 0, "version: a refused store is not changed");

	/* A schema of three steps, taken one at a time. */
	static const char *const steps[] = { "CREATE TABLE a (x); INSERT INTO a VALUES (41)",
		"ALTER TABLE a ADD COLUMN y", "UPDATE a SET y = x + 1" };
	static const char *const wrong[] = { "", "", "UPDATE a SET y = 0; SELECT nonsense" };
	struct et_database *db = NULL;
	sqlite3 *raw = NULL;
	sqlite3_stmt *st = NULL;

	new_place("fake.db");
	if (et_backend_sqlite.open(path, ET_STORE_WRITE, &(struct et_patience){ 0 }, &db, &err))
		printf("Bail out! %s\n", err.what), exit(1);
	struct et_schema schema = { steps, 1 };
	ok(et_schema_migrate(db, &schema, &err) == 0, "migration: a new file gets the schema");
	schema.version = 2;
	ok(et_schema_migrate(db, &schema, &err) == 0,
		"migration: an older store gets the next step");
	ok(et_schema_migrate(db, &(struct et_schema){ wrong, 3 }, &err) < 0 &&
			err.exit == ET_EXIT_OUTSIDE,
		"migration: a failing step is an error");
	schema.version = 3;
	ok(et_schema_migrate(db, &schema, &err) == 0,
		"migration: a failed step changed nothing, the right one succeeds");
	ok(et_schema_migrate(db, &schema, &err) == 0,
		"migration: an up-to-date store needs no step");
	sqlite3_open(path, &raw);
	sqlite3_prepare_v2(raw, "SELECT x, y FROM a", -1, &st, NULL);
	ok(sqlite3_step(st) == SQLITE_ROW && sqlite3_column_int(st, 0) == 41 &&
			sqlite3_column_int(st, 1) == 42,
		"migration: data survives the steps");
	sqlite3_finalize(st);
	sqlite3_close(raw);
	schema.version = 2;
	ok(et_schema_migrate(db, &schema, &err) < 0 && said("version 3"),
		"migration: an older program refuses a newer store");
	db->ops->close(db);
}

static void edited_by_hand(void)
{
	/* After each of these changes the experiment must not be loaded. */
	static const char *const edits[] = {
		"UPDATE experiment SET state = 'dreaming'",
		"UPDATE experiment SET started_ns = -1",
		"UPDATE experiment SET \"order\" = ''",
		"UPDATE experiment SET plan_reference = 2",
		"UPDATE experiment SET plan_level = 1.5",
		"UPDATE experiment SET plan_level = 9e999",
		"UPDATE experiment SET child_nice = 4000000000",
		"UPDATE experiment SET host_cpu = hex(zeroblob(500))",
		"UPDATE experiment SET label = hex(zeroblob(5000000))",
		"DELETE FROM command WHERE number = 0",
		"UPDATE command SET number = 9 WHERE number = 1",
		"UPDATE command SET argv = x'414243'",
		"UPDATE parameter SET command = -1 WHERE command = 0",
		"UPDATE sample SET et_ns = -5 WHERE \"order\" = 2",
		"UPDATE sample SET command = 7 WHERE \"order\" = 2",
		"UPDATE sample SET \"order\" = 0 WHERE \"order\" = 2",
		"UPDATE sample SET \"order\" = 5000000000 WHERE \"order\" = 2",
		"UPDATE sample SET arrangement = 'chorus'",
		"UPDATE sample SET partner = 2",
		"UPDATE sample SET warmup = 2",
		"UPDATE sample SET signal = 65",
		"UPDATE sample SET exit_code = 256",
		"UPDATE sample SET marks = -1",
		"UPDATE sample SET removed_by = 'magic'",
		"UPDATE sample SET removed_daemon = 'a name longer than sixteen'",
		"UPDATE process SET name = 'a name longer than sixteen' WHERE key = 1",
		"UPDATE interference SET pt_ns = -1 WHERE number = 1",
		"UPDATE interference SET \"order\" = 77 WHERE \"order\" = 2",
		"UPDATE profile SET plan_chains = 'iron'",
		"UPDATE profile SET plan_rate_hz = -1",
		"UPDATE profile SET way = 'guess'",
		"UPDATE profile SET event = hex(zeroblob(20))",
		"DELETE FROM profile", /* the runs are left over */
		"UPDATE profile_function SET number = 9 WHERE number = 1",
		"UPDATE profile_function SET number = -1 WHERE number = 1",
		"UPDATE profile_function SET name = 'main', module = (SELECT module FROM"
		" profile_function WHERE number = 0) WHERE number = 1",
		"UPDATE profile_function SET space = 'outer'",
		"DELETE FROM profile_function WHERE number = 4",
		"UPDATE profile_node SET parent = 2 WHERE number = 2",
		"UPDATE profile_node SET parent = 5 WHERE number = 2",
		"UPDATE profile_node SET parent = -1 WHERE number = 2",
		"UPDATE profile_node SET function = 5 WHERE number = 2",
		"UPDATE profile_node SET function = -1 WHERE number = 2",
		"UPDATE profile_node SET function = 1, parent = 1 WHERE number = 3", /* as 2 */
		"UPDATE profile_node SET number = 0 WHERE number = 1",
		"DELETE FROM profile_node WHERE number = 5",
		"UPDATE profile_run SET samples = -1",
		"UPDATE profile_run SET samples = samples + 1 WHERE \"order\" = 2",
		"UPDATE profile_run SET lost = -1 WHERE \"order\" = 2",
		"UPDATE profile_run SET period = 9e999",
		"UPDATE profile_run SET \"order\" = 77 WHERE \"order\" = 2",
		"UPDATE profile_run SET command = -1 WHERE \"order\" = 2",
		/* Empty; node 0; 6 of 5 nodes; more at the entry than samples; two numbers only. */
		"UPDATE profile_run SET counts = x''",
		"UPDATE profile_run SET samples = 1, counts = x'000100'",
		"UPDATE profile_run SET samples = 1, counts = x'060100'",
		"UPDATE profile_run SET samples = 1, counts = x'010102'",
		"UPDATE profile_run SET samples = 1, counts = x'0101'",
		"UPDATE profile_run SET samples = 1, counts = x'ff'",
		/* 2^63; a number with a superfluous byte; a step that wraps around. */
		"UPDATE profile_run SET counts = x'018080808080808080800100'",
		"UPDATE profile_run SET samples = 1, counts = x'01810000'",
		"UPDATE profile_run SET samples = 2, counts = x'010100ffffffff0f0100'",
		"UPDATE profile_calls SET calls = -1",
		"UPDATE profile_calls SET calls = 9e999",
		"UPDATE profile_calls SET command = 2",
		"UPDATE profile_calls SET function = 5 WHERE command = 0",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, ') "
		"STRICT,',"
		"')') WHERE name = 'sample'; PRAGMA writable_schema=RESET;"
		"UPDATE sample SET et_ns = 'soon'",
		"PRAGMA writable_schema=ON; UPDATE sqlite_schema SET sql = replace(sql, ') STRICT',"
		"')') WHERE name = 'experiment'; PRAGMA writable_schema=RESET;"
		"UPDATE experiment SET host_kernel = x'00ff'",
	};

	for (size_t i = 0; i < ET_LENGTH(edits); i++) {
		make_store("edited.db");
		run_sql(edits[i]);
		int rc = try_load();
		ok(rc < 0 && err.exit == ET_EXIT_OUTSIDE && err.hint[0] &&
				!strstr(err.what, ":  is not"),
			"edited: after %.60s: %s", edits[i], err.what);
		unlink(path);
	}
	make_store("edited.db");
	run_sql("DROP TABLE interference");
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE, "edited: a missing table is reported: %s",
		err.what);
	unlink(path);
	make_store("edited.db");
	run_sql("DELETE FROM process; UPDATE sample SET pt_ns = NULL, partner = NULL");
	ok(try_load() == 0, "edited: unknown values and names are not damage");
}

static int see(void *ctx, const struct et_summary *entry)
{
	*(size_t *)ctx += strlen(entry->id) + strlen(entry->first_command);
	return 0;
}

/* A call on a damaged file either succeeds or reports one line and an exit status; err is cleared.
 */
static bool answered(int rc)
{
	bool good = rc == 0 || (err.exit != ET_EXIT_DONE && err.what[0] && !strchr(err.what, '\n'));

	if (!good)
		printf("# returned %d, exit %d: %s\n", rc, err.exit, err.what);
	memset(&err, 0, sizeof(err));
	return good;
}

/* The experiment that was asked for, with no more than was ever stored in it. */
static bool plausible(const struct et_experiment *e)
{
	size_t n = 0;

	for (size_t i = 0; i < e->n_commands; i++)
		n += e->commands[i].samples.n;
	return !strcmp(e->id, id) && e->n_commands <= 2 && n <= 4;
}

/* Reads everything; true if no call failed without an error and none returned nonsense. */
static bool read_everything(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	size_t n = 0;
	char found[40], *value = NULL;
	bool good = true;

	memset(&err, 0, sizeof(err));
	int rc = et_store_open(path, ET_STORE_READ, &s, &err);
	good &= answered(rc);
	if (rc == 0) {
		good &= answered(et_store_list(s, 0, see, &n, &err));
		good &= answered(et_store_find(s, "2025", found, &err));
		good &= answered(et_store_get_fact(s, "", "x", &value, &err));
		rc = et_store_load(s, id, &e, &err);
		good &= answered(rc) && (rc ? !e : plausible(e));
	}
	free(value);
	et_experiment_free(e);
	et_store_close(s);
	return good;
}

static void damaged_bytes(void)
{
	uint64_t random = 88172645463325252u;
	unsigned char page[512] = { 0 };
	int survived = 0;

	make_store("whole.db");
	char whole[300], command[700];
	snprintf(whole, sizeof(whole), "%s", path);
	new_place("damaged.db");
	for (int i = 0; i < 60; i++) {
		snprintf(command, sizeof(command), "cp '%s' '%s'", whole, path);
		if (system(command))
			tap_bail("cannot copy %s", whole);
		int fd = open(path, O_RDWR | O_CLOEXEC);
		off_t size = lseek(fd, 0, SEEK_END);
		for (int k = 0; k < 8; k++) {
			random ^= random << 13, random ^= random >> 7, random ^= random << 17;
			/* The header stays: SQLite itself refuses a file with a wrong one. */
			off_t at = 100 + (off_t)(random % (uint64_t)(size - 100));
			page[0] = (unsigned char)(random >> 40);
			if (pwrite(fd, page, i % 3 ? 1 : 64, at) < 0)
				tap_bail("cannot damage %s", path);
		}
		close(fd);
		survived += read_everything();
	}
	ok(survived == 60, "damage: a file with random bytes overwritten is read or reported");
	if (truncate(path, 3 * 4096 + 17))
		return;
	ok(try_load() < 0 && err.exit == ET_EXIT_OUTSIDE,
		"damage: a truncated file is reported: %s", err.what);
	unlink(path);
	make_store("damaged.db");
	int fd = open(path, O_RDWR | O_CLOEXEC);
	memset(page, 0xa5, sizeof(page));
	for (off_t at = 4096; pwrite(fd, page, sizeof(page), at) > 0 && at < 60000;)
		at += (off_t)sizeof(page);
	close(fd);
	ok(try_load() < 0 && said("damaged"), "damage: overwritten pages are reported");
}

/* If the file cannot grow, flushed samples are kept and adding more is an error. */
static void full_disk(void)
{
	struct et_store *s = NULL;
	struct et_experiment *e = NULL;
	struct et_sample sample;
	uint32_t order = 5, durable = 4;
	int rc = 0;

	make_store("full.db");
	pid_t pid = fork();
	if (pid == 0) {
		struct rlimit limit = { 200000, 200000 };
		signal(SIGXFSZ, SIG_IGN);
		if (setrlimit(RLIMIT_FSIZE, &limit) ||
			et_store_open(path, ET_STORE_WRITE, &s, &err))
			_exit(100);
		for (; !rc && order < 100000; order++) {
			sample = specimen_sample(0, order);
			specimen_culprits(&sample, 3);
			rc = et_store_add(s, id, &sample, &err);
			if (!rc && order % 10 == 0 && !(rc = et_store_flush(s, &err)))
				durable = order;
		}
		et_store_close(s);
		_exit(rc == -EIO && said("could not be written") ? (int)(durable / 10) : 101);
	}
	int status;
	waitpid(pid, &status, 0);
	durable = (uint32_t)WEXITSTATUS(status) * 10;
	ok(WIFEXITED(status) && durable >= 10 && durable < 1000,
		"full disk: the store reports it after %u samples", durable);
	ok(et_store_open(path, ET_STORE_WRITE, &s, &err) == 0 &&
			et_store_load(s, id, &e, &err) == 0 && e->commands[0].samples.n == durable,
		"full disk: exactly the flushed samples are kept");
	sample = specimen_sample(0, durable + 1);
	ok(s && et_store_add(s, id, &sample, &err) == 0 && et_store_flush(s, &err) == 0,
		"full disk: with space again samples can be added");
	et_experiment_free(e);
	et_store_close(s);
}

/* Runs as an unprivileged user, because root is allowed to write everywhere. */
static void read_only(void)
{
	make_store("only/read.db");
	char only[300];
	snprintf(only, sizeof(only), "%s/only", folder);
	chmod(folder, 0755);
	chmod(path, 0444);
	chmod(only, 0555);
	fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		tap_failed = 0;
		if (geteuid() == 0 && (setgid(65534) || setuid(65534)))
			_exit(100);
		ok(try_open(ET_STORE_WRITE) == -EROFS && said("read-only"),
			"read-only: it is not opened for writing");
		ok(try_load() == 0, "read-only: it can be read");
		new_place("only/new.db");
		ok(try_open(ET_STORE_WRITE) == -EACCES && said("Permission denied"),
			"read-only: no store is created in a read-only folder");
		_exit(tap_failed);
	}
	int status;
	waitpid(pid, &status, 0);
	tap_count += 3;
	ok(status == 0, "read-only: all checks as an unprivileged user pass");
	chmod(only, 0755);
	chmod(path, 0644);
	if (geteuid() != 0) {
		skip("other user: only root can act as another user");
		return;
	}
	pid = fork();
	if (pid == 0) {
		tap_failed = 0;
		if (setgid(65534) || setuid(65534))
			_exit(100);
		ok(try_open(ET_STORE_WRITE) == -EROFS && said("read-only"),
			"other user: a store of another user is not opened for writing");
		ok(try_load() == 0, "other user: a store that all may read can be read");
		_exit(tap_failed);
	}
	waitpid(pid, &status, 0);
	tap_count += 2;
	ok(status == 0, "other user: all checks as an unprivileged user pass");
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	privacy();
	urls();
	not_a_store();
	claims();
	versions();
	edited_by_hand();
	damaged_bytes();
	full_disk();
	read_only();
	char command[400];
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ok(system(command) == 0, "the test's folder is removed");
	return tap_done();
}
