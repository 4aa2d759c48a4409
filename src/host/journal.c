/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/journal.h"
#include "base/alloc.h"
#include "base/folder.h"
#include "host/journal_text.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum { TRIES = 40, TRY_NS = 50000000, MAX_BYTES = 64 << 20 };

static void journal_free(struct et_journal *j)
{
	for (size_t i = 0; i < j->n; i++) {
		et_change_free(&j->entries[i].change);
		free(j->entries[i].observed);
	}
	free(j->entries);
	free(j->sessions);
	et_cleanup_close(&j->fd);
	free(j->path);
	free(j);
}

/* --- opening --- */

/* Makes the directory entry durable, which fsync() of the file does not. */
static int sync_folder(const char *path)
{
	ET_AUTO_FREE char *folder = et_folder_of(path);
	ET_AUTO_CLOSE int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	return fd < 0 || fsync(fd) < 0 ? -errno : 0;
}

static int fail_path(const char *path, int errnum, struct et_error *err)
{
	int rc = et_fail_errno(
		err, errnum, ET_EXIT_OUTSIDE, "%s: cannot use the journal of changes", path);

	if (errnum == EACCES || errnum == EROFS)
		return et_hint(err, rc,
			"make its folder writable, or name another folder in XDG_STATE_HOME");
	return rc;
}

/* Refuses a journal that another user could have written. */
static int check_private(const char *path, int fd, struct et_error *err)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return fail_path(path, errno, err);
	if (!S_ISREG(st.st_mode) || st.st_uid != geteuid() || (st.st_mode & 022) || st.st_nlink > 1)
		return et_hint(err,
			et_fail(err, EPERM, ET_EXIT_OUTSIDE,
				"%s: other users could have written this journal of changes", path),
			"inspect it, then remove it; it must be a regular file of yours with mode "
			"600");
	if (st.st_size > MAX_BYTES)
		return et_fail(err, EFBIG, ET_EXIT_OUTSIDE,
			"%s: too large for a journal of changes", path);
	return 0;
}

/* Whether the path still names the file that we have locked. */
static bool still_there(const char *path, int fd)
{
	struct stat here, there;

	return fstat(fd, &here) == 0 && stat(path, &there) == 0 && here.st_ino == there.st_ino &&
	       here.st_dev == there.st_dev;
}

/* Waits a little, because et_journal_peek locks it for a moment. Returns a descriptor or -errno. */
static int open_locked(const char *path, bool create)
{
	struct timespec wait = { .tv_nsec = TRY_NS };

	for (int i = 0; i < TRIES; i++) {
		int fd = open(path,
			O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | (create ? O_CREAT : 0),
			0600);
		if (fd < 0)
			return -errno;
		bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0;
		if (locked && still_there(path, fd))
			return fd;
		close(fd);
		if (!locked)
			nanosleep(&wait, NULL);
	}
	return -EBUSY;
}

static int load(struct et_journal *j, struct et_error *err)
{
	struct stat st;
	ET_AUTO_FREE char *text = NULL;

	int rc = check_private(j->path, j->fd, err);
	if (rc)
		return rc;
	if (fstat(j->fd, &st) < 0)
		return fail_path(j->path, errno, err);
	text = et_alloc((size_t)st.st_size + 1);
	ssize_t n = pread(j->fd, text, (size_t)st.st_size, 0);
	if (n < 0)
		return fail_path(j->path, errno, err);
	rc = et_journal_parse(j, text, (size_t)n);
	if (rc)
		return et_hint(err,
			et_fail(err, -rc, ET_EXIT_OUTSIDE,
				"%s: not a journal of changes, or one of a newer etalon", j->path),
			"set ETALON_JOURNAL to another path, or move the file away; it was not "
			"changed");
	return 0;
}

static struct et_journal *journal_new(const char *path, int fd)
{
	struct et_journal *j = et_calloc(1, sizeof(*j));

	j->path = et_strdup(path);
	j->fd = fd;
	return j;
}

int et_journal_open(const char *path, bool create, struct et_journal **out, struct et_error *err)
{
	int rc = create ? et_folders_make(path, 0755) : 0;
	int fd = rc ? rc : open_locked(path, create);

	if (fd == -EBUSY)
		return et_hint(err,
			et_fail(err, EBUSY, ET_EXIT_ENVIRONMENT,
				"another etalon is changing this machine's environment"),
			"wait until it has ended; it has locked %s", path);
	if (fd < 0)
		return fail_path(path, -fd, err);
	struct et_journal *j = journal_new(path, fd);
	rc = load(j, err);
	if (rc) {
		journal_free(j);
		return rc;
	}
	*out = j;
	return 0;
}

int et_journal_peek(const char *path, bool *busy, struct et_journal **out, struct et_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return fail_path(path, errno, err);
	struct et_journal *j = journal_new(path, fd);
	*busy = flock(fd, LOCK_SH | LOCK_NB) < 0;
	int rc = load(j, err);
	/* This also releases the lock; a writer must open the journal again. */
	et_cleanup_close(&j->fd);
	j->fd = -1;
	if (rc) {
		journal_free(j);
		return rc;
	}
	*out = j;
	return 0;
}

void et_journal_close(struct et_journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0 && et_journal_pending(j, -1) == 0) {
		ET_AUTO_FREE char *aside = et_asprintf("%s.damaged", j->path);
		/* Keep damaged lines for the user to inspect. If this fails, or is lost with the
		 * power, the next restore finds nothing to do and tries again. */
		if (j->damaged ? rename(j->path, aside) == 0 : unlink(j->path) == 0)
			(void)sync_folder(j->path);
	} else if (j->fd >= 0) {
		(void)fsync(j->fd);
	}
	journal_free(j);
}

/* --- searching --- */

struct et_journal_entry *et_journal_find(struct et_journal *j, const struct et_change *c)
{
	for (size_t i = 0; i < j->n; i++) {
		const struct et_change *k = &j->entries[i].change;
		if (!j->entries[i].restored && k->kind == c->kind && k->pid == c->pid &&
			k->start == c->start && !strcmp(k->target, c->target))
			return &j->entries[i];
	}
	return NULL;
}

const struct et_journal_session *et_journal_find_session(
	const struct et_journal *j, uint32_t number)
{
	return number >= 1 && number <= j->n_sessions ? &j->sessions[number - 1] : NULL;
}

size_t et_journal_pending(const struct et_journal *j, int owner)
{
	size_t n = 0;

	for (size_t i = 0; i < j->n; i++) {
		const struct et_journal_session *s =
			et_journal_find_session(j, j->entries[i].session);
		n += !j->entries[i].restored && (owner < 0 || (int)s->owner == owner);
	}
	return n;
}

/* --- writing --- */

/* Appends the text entirely or not at all. */
static int append(struct et_journal *j, const char *text, bool durable)
{
	size_t len = strlen(text), done = 0;

	/* Removes a partial line that a crash has left at the end. */
	if (ftruncate(j->fd, j->size) < 0)
		return -errno;
	while (done < len) {
		ssize_t n = pwrite(j->fd, text + done, len - done, j->size + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int why = n < 0 ? errno : EIO;
			(void)!ftruncate(j->fd, j->size);
			return -why;
		}
		done += (size_t)n;
	}
	if (durable && fsync(j->fd) < 0) {
		int why = errno;
		(void)!ftruncate(j->fd, j->size);
		return -why;
	}
	j->size += (off_t)len;
	return 0;
}

void et_journal_begin(
	struct et_journal *j, enum et_owner owner, const char *boot_id, uint64_t wall_ns)
{
	struct et_journal_session s = { .number = (uint32_t)j->n_sessions + 1,
		.owner = owner,
		.pid = getpid(),
		.wall_ns = wall_ns };

	snprintf(s.boot_id, sizeof(s.boot_id), "%s", boot_id);
	ET_GROW(j->sessions, j->n_sessions, j->cap_sessions);
	j->sessions[j->n_sessions++] = s;
}

/* Whether the last session is not on disk yet, because it has no entry. */
static bool session_unwritten(const struct et_journal *j)
{
	return !j->n || j->entries[j->n - 1].session != j->n_sessions;
}

int et_journal_intend(
	struct et_journal *j, const struct et_change *changes, size_t n, struct et_error *err)
{
	ET_AUTO_FREE char *text = NULL;
	size_t size = 0;
	bool fresh = j->size == 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return fail_path(j->path, errno, err);
	if (fresh)
		fputs(ET_JOURNAL_TITLE "\n", f);
	if (session_unwritten(j))
		et_journal_write_session(f, &j->sessions[j->n_sessions - 1]);
	for (size_t i = 0; i < n; i++)
		et_journal_write_change(
			f, j->last_id + 1 + i, (uint32_t)j->n_sessions, &changes[i]);
	fclose(f);
	int rc = append(j, text, true);
	if (rc == 0 && fresh)
		rc = sync_folder(j->path);
	if (rc)
		return et_hint(err, fail_path(j->path, -rc, err),
			"set ETALON_JOURNAL to a path that can be written; nothing was changed "
			"that is "
			"not in the journal");
	for (size_t i = 0; i < n; i++) {
		ET_GROW(j->entries, j->n, j->cap);
		j->entries[j->n++] = (struct et_journal_entry){ .id = ++j->last_id,
			.session = (uint32_t)j->n_sessions,
			.change = et_change_copy(&changes[i]) };
	}
	return 0;
}

static int append_mark(
	struct et_journal *j, const char *name, uint64_t id, const char *value, bool durable)
{
	ET_AUTO_FREE char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return -errno;
	et_journal_write_mark(f, name, id, value);
	fclose(f);
	return append(j, text, durable);
}

int et_journal_mark_again(
	struct et_journal *j, struct et_journal_entry *e, const char *after, struct et_error *err)
{
	int rc = append_mark(j, "again", e->id, after, true);

	if (rc)
		return fail_path(j->path, -rc, err);
	free(e->change.after);
	e->change.after = et_strdup(after);
	free(e->observed);
	e->observed = NULL;
	return 0;
}

void et_journal_mark_made(struct et_journal *j, struct et_journal_entry *e, const char *observed)
{
	(void)append_mark(j, "made", e->id, observed, false);
	free(e->observed);
	e->observed = et_strdup(observed);
}

void et_journal_mark_restored(struct et_journal *j, struct et_journal_entry *e)
{
	(void)append_mark(j, "back", e->id, NULL, false);
	e->restored = true;
}
