/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opens a store in a file of SQLite. A new file is private to its user, an existing one is checked
 * before it is changed, and a commit survives a power cut (WAL, synchronous=FULL).
 */
#include "base/folder.h"
#include "store/sqlite/sqlite.h"

#include <ctype.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

/* How long to wait for another writer; groups are short. */
enum { BUSY_MS = 30000 };

static int fail_path(const char *path, int errnum, struct et_error *err)
{
	return et_hint(err,
		et_fail_errno(err, errnum, ET_EXIT_OUTSIDE, "%s: the store cannot be opened", path),
		"name another store with --store or ETALON_STORE");
}

/*
 * The file's name must survive a power cut as its contents do. Some file systems cannot sync a
 * folder; the store works on them all the same.
 */
static void sync_folder(const char *path)
{
	ET_AUTO_FREE char *folder = et_folder_of(path);
	ET_AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0)
		(void)fsync(fd);
}

/*
 * Creates the file before SQLite does, so that it is private from the beginning whatever the umask.
 * SQLite gives the files beside it (-wal, -shm) the same mode. O_EXCL: an existing file must not be
 * opened here, because closing it would release the POSIX locks that another handle of this process
 * holds on it.
 */
static int make_file(const char *path, enum et_store_mode mode, struct et_error *err)
{
	int errnum = mode == ET_STORE_CREATE_PATH ? -et_folders_make(path, 0700) : 0;

	if (errnum)
		return fail_path(path, errnum, err);
	ET_AUTO_CLOSE int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0 && errno == ENOENT)
		return et_fail_file(err, ENOENT, ET_EXIT_OUTSIDE, path);
	if (fd < 0)
		return errno == EEXIST ? 0 : fail_path(path, errno, err);
	if (fchmod(fd, 0600))
		return fail_path(path, errno, err);
	sync_folder(path);
	return 0;
}

static int check_file(const char *path, enum et_store_mode mode, struct et_error *err)
{
	struct stat st;

	if (stat(path, &st)) {
		if (errno == ENOENT && mode != ET_STORE_READ && mode != ET_STORE_EXISTING)
			return make_file(path, mode, err);
		if (errno == ENOENT)
			return et_fail_hint(err, ENOENT, ET_EXIT_OUTSIDE,
				"make one with etalon run, or name another with --store or "
				"ETALON_STORE",
				"%s: there is no store", path);
		return fail_path(path, errno, err);
	}
	if (S_ISDIR(st.st_mode))
		return fail_path(path, EISDIR, err);
	if (!S_ISREG(st.st_mode))
		return et_fail(
			err, EINVAL, ET_EXIT_OUTSIDE, "%s: the store must be a regular file", path);
	return 0;
}

/*
 * The owner is checked before folders and the file are made, and again afterwards: another user may
 * have made them in between.
 */
static int check_path(char **path, enum et_store_mode mode, struct et_error *err)
{
	if (mode == ET_STORE_READ)
		return check_file(*path, mode, err);
	int rc = et_sqlite_check_owner(path, err);
	if (!rc)
		rc = check_file(*path, mode, err);
	return rc ? rc : et_sqlite_check_owner(path, err);
}

/* --- a private copy --- */

/*
 * A private copy of a store that another user can change. SQLite maps the file STORE-shm into
 * memory: its owner could truncate it, and the kernel would then end etalon by SIGBUS. The owner
 * could also lock the store for as long as he likes.
 */
/* The log's header, with numbers that change when the log begins anew. */
struct header {
	char bytes[32];
};

enum { TRIES = 5, BLOCK = 1 << 16 };

static const char *const suffixes[] = { "", "-wal", "-shm" };

static int write_all(int fd, const char *bytes, size_t n)
{
	while (n) {
		ssize_t done = write(fd, bytes, n);
		if (done < 0)
			return -errno;
		bytes += done;
		n -= (size_t)done;
	}
	return 0;
}

/* Copies as many bytes as the file has now: its owner may append to it without end. */
static int copy_bytes(int in, int out)
{
	ET_AUTO_FREE char *block = et_alloc(BLOCK);
	struct stat st;

	if (fstat(in, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	for (off_t left = st.st_size; left > 0;) {
		ssize_t n = read(in, block, left < BLOCK ? (size_t)left : BLOCK);
		if (n <= 0)
			return n < 0 ? -errno : 0;
		int rc = write_all(out, block, (size_t)n);
		if (rc)
			return rc;
		left -= n;
	}
	return 0;
}

static int copy_file(const char *from, const char *to, const char *suffix)
{
	ET_AUTO_FREE char *source = et_asprintf("%s%s", from, suffix);
	ET_AUTO_FREE char *target = et_asprintf("%s%s", to, suffix);
	ET_AUTO_CLOSE int in = open(source, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);

	if (in < 0)
		return -errno;
	ET_AUTO_CLOSE int out = open(target, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	return out < 0 ? -errno : copy_bytes(in, out);
}

/* All zero if there is no log. */
static struct header log_header(const char *path)
{
	ET_AUTO_FREE char *log = et_asprintf("%s-wal", path);
	ET_AUTO_CLOSE int fd = open(log, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct header h = { { 0 } };

	if (fd < 0 || read(fd, h.bytes, sizeof(h)) != sizeof(h))
		memset(&h, 0, sizeof(h));
	return h;
}

/*
 * The database first: what is written into it meanwhile comes from the log, and stays in the log
 * until that begins anew.
 */
static int copy_both(const char *from, const char *to)
{
	for (int i = 0; i < TRIES; i++) {
		struct header before = log_header(from);
		int rc = copy_file(from, to, "");
		if (rc == 0)
			rc = copy_file(from, to, "-wal");
		if (rc)
			return rc;
		struct header after = log_header(from);
		if (!memcmp(&before, &after, sizeof(before)))
			return 0;
	}
	return -EBUSY;
}

/* Removes the names of a copy; SQLite can still read it if it has opened it. */
static void forget_copy(const char *copy)
{
	for (size_t i = 0; i < ET_LENGTH(suffixes); i++) {
		ET_AUTO_FREE char *path = et_asprintf("%s%s", copy, suffixes[i]);
		(void)unlink(path);
	}
	ET_AUTO_FREE char *dir = et_strndup(copy, (size_t)(strrchr(copy, '/') - copy));
	(void)rmdir(dir);
}

/*
 * Copies a store with its log to a folder that only this user can enter. Returns 0 with *copy,
 * which the caller frees, or -errno.
 */
static int copy_store(const char *path, char **copy)
{
	char *dir = et_strdup(P_tmpdir "/etalon-copy-XXXXXX");

	if (!mkdtemp(dir)) {
		int why = errno;
		free(dir);
		return -why;
	}
	*copy = et_asprintf("%s/copy.db", dir);
	free(dir);
	int rc = copy_both(path, *copy);
	if (rc) {
		forget_copy(*copy);
		free(*copy);
		*copy = NULL;
	}
	return rc;
}

/* --- system calls --- */

/*
 * The system calls by which SQLite opens and deletes files. The files beside a store may come from
 * elsewhere: a pipe as journal would let SQLite wait for ever, and a journal can name any file of
 * the machine as its super-journal, which SQLite deletes after the rollback.
 */
/* O_NONBLOCK has no effect on regular files and folders. */
static int open_file(const char *path, int flags, int mode)
{
	int fd = open(path, flags | O_NONBLOCK | O_NOCTTY, mode);
	struct stat st;

	if (fd < 0 || (fstat(fd, &st) == 0 && !S_ISFIFO(st.st_mode)))
		return fd;
	close(fd);
	errno = EINVAL;
	return -1;
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t length = strlen(path), n = strlen(suffix);

	return length >= n && !strcmp(path + length - n, suffix);
}

/*
 * Only transactions of several databases have a super-journal, and etalon has none. SQLite removes
 * its temporary files while they are open: their names begin with etilqs_.
 */
static int delete_file(const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	if (ends_with(name, "-journal") || ends_with(name, "-wal") || ends_with(name, "-shm") ||
		!strncmp(name, "etilqs_", 7))
		return unlink(path);
	errno = EPERM;
	return -1;
}

/* Lets SQLite open no pipes, and delete no files but its own. */
static void guard_files(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	if (!vfs || vfs->iVersion < 3 || !vfs->xSetSystemCall)
		return;
	(void)vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_file);
	(void)vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)delete_file);
}

/* --- the database --- */

/* With immutable=1 SQLite needs no files beside the database, and no process may write to it. */
static char *immutable_uri(const char *path)
{
	ET_AUTO_FREE char *escaped = et_alloc(3 * strlen(path) + 1);
	char *end = escaped;

	for (; *path; path++)
		end += snprintf(end, 4,
			isalnum((unsigned char)*path) || *path == '/' ? "%c" : "%%%02X",
			(unsigned char)*path);
	*end = '\0';
	return et_asprintf("file:%s?immutable=1", escaped);
}

static bool has_contents(const char *path, const char *suffix)
{
	ET_AUTO_FREE char *beside = et_asprintf("%s%s", path, suffix);
	struct stat st;

	return stat(beside, &st) == 0 && st.st_size > 0;
}

static bool has_unmerged_log(const char *path)
{
	return has_contents(path, "-wal") || has_contents(path, "-journal");
}

/* A file from elsewhere may bring triggers and views of its own: none of them is executed. */
static int restrict_database(sqlite3 *db)
{
	static const struct {
		int option, value;
	} settings[] = {
		{ SQLITE_DBCONFIG_ENABLE_TRIGGER, 0 }, { SQLITE_DBCONFIG_ENABLE_VIEW, 0 },
		{ SQLITE_DBCONFIG_DEFENSIVE, 1 },
		{ SQLITE_DBCONFIG_DQS_DML, 0 }, /* "name" is a column, never by mistake a text */
	};
	int rc = SQLITE_OK;

	for (size_t i = 0; rc == SQLITE_OK && i < ET_LENGTH(settings); i++)
		rc = sqlite3_db_config(db, settings[i].option, settings[i].value, NULL);
	return rc;
}

/*
 * Limits the work that a file from elsewhere can cause by its schema. The longest value of ours is
 * a row with a command: its name, its text and its arguments.
 */
static void limit_database(sqlite3 *db)
{
	static const struct {
		int limit, value;
	} limits[] = {
		{ SQLITE_LIMIT_LENGTH, ET_SQLITE_MOST_BYTES },
		{ SQLITE_LIMIT_SQL_LENGTH, 64 << 10 },
		{ SQLITE_LIMIT_COLUMN, 250 },
		{ SQLITE_LIMIT_EXPR_DEPTH, 50 },
		{ SQLITE_LIMIT_COMPOUND_SELECT, 3 },
		{ SQLITE_LIMIT_VDBE_OP, 25000 },
		{ SQLITE_LIMIT_FUNCTION_ARG, 16 },
		{ SQLITE_LIMIT_ATTACHED, 0 },
		{ SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 100 },
		{ SQLITE_LIMIT_VARIABLE_NUMBER, 250 },
		{ SQLITE_LIMIT_TRIGGER_DEPTH, 10 }, /* also of ON DELETE CASCADE */
		{ SQLITE_LIMIT_WORKER_THREADS, 0 },
	};

	for (size_t i = 0; i < ET_LENGTH(limits); i++)
		(void)sqlite3_limit(db, limits[i].limit, limits[i].value);
}

static int open_database(struct et_sqlite *s, const char *name, int flags, struct et_error *err)
{
	static const char settings[] = "PRAGMA foreign_keys=ON; PRAGMA synchronous=FULL;"
				       "PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON";

	guard_files();
	int rc = sqlite3_open_v2(
		name, &s->db, flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, NULL);

	if (rc == SQLITE_OK)
		rc = sqlite3_busy_timeout(s->db, BUSY_MS);
	if (rc == SQLITE_OK)
		rc = restrict_database(s->db);
	if (rc == SQLITE_OK)
		limit_database(s->db);
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, settings, NULL, NULL, NULL);
	/* The first read fails if the file is not a database or cannot be read. */
	if (rc == SQLITE_OK)
		rc = sqlite3_exec(s->db, "SELECT 1 FROM sqlite_schema", NULL, NULL, NULL);
	return rc == SQLITE_OK ? 0 : et_sqlite_fail(s, rc, err);
}

/* With a log beside it; otherwise SQLite would ignore the samples in that log. */
static int open_copy(struct et_sqlite *s, const char *path, struct et_error *err)
{
	ET_AUTO_FREE char *copy = NULL;
	int rc = copy_store(path, &copy);

	if (rc)
		return fail_path(s->name, -rc, err);
	rc = open_database(s, copy, SQLITE_OPEN_READWRITE, err);
	forget_copy(copy);
	return rc;
}

/*
 * Another user can change the store and the files beside it at any time. A journal would be rolled
 * back into any file that this user has put in the place of the store meanwhile.
 */
static int open_of_another(struct et_sqlite *s, struct et_error *err)
{
	ET_AUTO_FREE char *path = realpath(s->path, NULL);

	if (!path || has_contents(path, "-journal"))
		return open_database(s, s->path, SQLITE_OPEN_READONLY, err);
	if (has_contents(path, "-wal"))
		return open_copy(s, path, err);
	ET_AUTO_FREE char *uri = immutable_uri(path);
	return open_database(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

/*
 * A store in a folder that cannot be written is read as immutable, unless there is a log beside it:
 * SQLite would ignore the samples in that log.
 */
static int open_for_reading(struct et_sqlite *s, struct et_error *err)
{
	if (!et_sqlite_is_own(s->path))
		return open_of_another(s, err);
	int rc = open_database(s, s->path, SQLITE_OPEN_READWRITE, err);
	ET_AUTO_FREE char *folder = et_folder_of(s->path);

	if (!rc || (rc != -EROFS && access(folder, W_OK) == 0) || has_unmerged_log(s->path))
		return rc;
	sqlite3_close(s->db);
	s->db = NULL;
	ET_AUTO_FREE char *uri = immutable_uri(s->path);
	return open_database(s, uri, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, err);
}

/* Switching to WAL needs the file alone, and another process may be creating the same store. */
static int use_log(struct et_sqlite *s, struct et_error *err)
{
	const struct timespec pause = { .tv_nsec = 20000000 };
	int rc, tries = 0;

	while ((rc = sqlite3_exec(s->db, "PRAGMA journal_mode=WAL", NULL, NULL, NULL)) ==
			SQLITE_BUSY &&
		tries++ < 250)
		nanosleep(&pause, NULL);
	return rc == SQLITE_OK ? 0 : et_sqlite_fail(s, rc, err);
}

static int prepare_database(struct et_sqlite *s, enum et_store_mode mode, struct et_error *err)
{
	int rc = mode == ET_STORE_READ ? open_for_reading(s, err)
				       : open_database(s, s->path, SQLITE_OPEN_READWRITE, err);

	if (rc)
		return rc;
	/*
	 * Our own reads need no temporary tables. A forged schema without indexes makes SQLite
	 * sort, and then it must not do so in memory.
	 */
	if (mode != ET_STORE_READ)
		rc = et_sqlite_script(&s->base, "PRAGMA temp_store=MEMORY", err);
	if (rc)
		return rc;
	bool read_only = sqlite3_db_readonly(s->db, "main") == 1;
	if (read_only && mode != ET_STORE_READ)
		return et_sqlite_fail(s, SQLITE_READONLY, err);
	/* Another program's database is refused before anything in it is changed. */
	int64_t version;
	rc = et_sqlite_read_version(&s->base, &version, err);
	if (!rc)
		rc = et_sqlite_check_tables(s, err);
	if (!rc && !read_only)
		rc = use_log(s, err);
	return rc;
}

static int open_sqlite(const char *path, enum et_store_mode mode,
	const struct et_patience *patience, struct et_database **out, struct et_error *err)
{
	(void)patience; /* of another process that writes, the limit is BUSY_MS */
	if (!*path)
		return et_refuse(
			err, "give one: --store sqlite:PATH", "the store has no file name");
	/* ":memory:" and the like are file names here, not SQLite's special names. */
	ET_AUTO_FREE char *file = et_asprintf("%s%s", *path == ':' ? "./" : "", path);
	ET_AUTO_FREE char *resolved = et_strdup(file);
	int rc = check_path(&resolved, mode, err);
	if (rc)
		return rc;
	struct et_sqlite *s = et_calloc(1, sizeof(*s));
	s->path = et_strdup(resolved);
	s->name = et_strdup(file);
	s->claim = -1;
	s->base = (struct et_database){
		.ops = &et_sqlite_ops, .name = s->name, .shared = et_sqlite_is_shared(s->path)
	};
	rc = prepare_database(s, mode, err);
	if (rc) {
		s->base.ops->close(&s->base);
		return rc;
	}
	*out = &s->base;
	return 0;
}

static const char *const schemes[] = { "sqlite:", NULL };

const struct et_backend et_backend_sqlite = {
	.name = "SQLite",
	.schemes = schemes,
	.version = sqlite3_libversion,
	.open = open_sqlite,
};
