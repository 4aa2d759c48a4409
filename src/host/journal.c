/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "host/journal.h"
#include "base/folder.h"
#include "base/memstream.h"
#include "host/host.h"
#include "host/journal_text.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

enum { TRIES = 40, TRY_NS = 50000000, MAX_BYTES = 64 << 20 };

static void free_contents(struct et_journal *j)
{
	for (size_t i = 0; i < j->n; i++) {
		et_change_free(&j->entries[i].change);
		free(j->entries[i].observed);
	}
	free(j->entries);
	free(j->sessions);
}

static void journal_free(struct et_journal *j)
{
	free_contents(j);
	et_cleanup_close(&j->fd);
	free(j->path);
	free(j->folder);
	free(j->aside);
	free(j);
}

/* --- opening --- */

/* Makes the directory entry durable, which fsync() of the file does not. */
static int sync_folder(const struct et_journal *j)
{
	ET_AUTO_CLOSE int fd = open(j->folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

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
static int check_private(const char *path, int fd, struct stat *st, struct et_error *err)
{
	if (fstat(fd, st) < 0)
		return fail_path(path, errno, err);
	if (!S_ISREG(st->st_mode) || st->st_uid != geteuid() || (st->st_mode & 022) ||
		st->st_nlink > 1)
		return et_fail_hint(err, EPERM, ET_EXIT_OUTSIDE,
			"inspect it, then remove it; it must be a regular file of yours with mode "
			"600",
			"%s: other users could have written this journal of changes", path);
	if (st->st_size > MAX_BYTES)
		return et_fail(err, EFBIG, ET_EXIT_OUTSIDE,
			"%s: too large for a journal of changes", path);
	return 0;
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
		if (locked && et_host_names_file(path, fd))
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

	int rc = check_private(j->path, j->fd, &st, err);
	if (rc)
		return rc;
	text = et_alloc((size_t)st.st_size + 1);
	ssize_t n = pread(j->fd, text, (size_t)st.st_size, 0);
	if (n < 0)
		return fail_path(j->path, errno, err);
	rc = et_journal_parse(j, text, (size_t)n);
	if (rc)
		return et_fail_hint(err, -rc, ET_EXIT_OUTSIDE,
			"set ETALON_JOURNAL to another path, or move the file away; it was not "
			"changed",
			"%s: not a journal of changes, or one of a newer etalon", j->path);
	return 0;
}

/* Takes the descriptor, also if it fails. */
static int load_new(const char *path, int fd, struct et_journal **out, struct et_error *err)
{
	struct et_journal *j = et_calloc(1, sizeof(*j));

	j->path = et_strdup(path);
	j->folder = et_folder_of(path);
	j->aside = et_asprintf("%s.damaged", path);
	j->fd = fd;
	int rc = load(j, err);
	if (rc)
		journal_free(j);
	else
		*out = j;
	return rc;
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
	return load_new(path, fd, out, err);
}

static int peek_once(const char *path, bool *busy, struct et_journal **out, struct et_error *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return fail_path(path, errno, err);
	*busy = flock(fd, LOCK_SH | LOCK_NB) < 0;
	int rc = load_new(path, fd, out, err);
	if (rc)
		return rc;
	/* This also releases the lock; a writer must open the journal again. */
	et_cleanup_close(&(*out)->fd);
	(*out)->fd = -1;
	return 0;
}

/* Whether there is a session, and the process that began the last one is not there any more. */
static bool owner_is_gone(const struct et_journal *j)
{
	return j->n_sessions > 0 && kill(j->sessions[j->n_sessions - 1].pid, 0) < 0 &&
	       errno == ESRCH;
}

int et_journal_peek(const char *path, bool *busy, struct et_journal **out, struct et_error *err)
{
	struct timespec wait = { .tv_nsec = TRY_NS };

	/* A child that a killed etalon had just forked keeps the lock until it calls execve(2). */
	for (int i = 0;; i++) {
		int rc = peek_once(path, busy, out, err);
		if (rc || !*busy || i == TRIES || !owner_is_gone(*out))
			return rc;
		et_journal_close(*out);
		*out = NULL;
		nanosleep(&wait, NULL);
	}
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

/* Whether the file has these bytes at its end. */
static int check_written(const struct et_journal *j, const char *text, size_t len)
{
	char bytes[512];

	for (size_t done = 0; done < len;) {
		size_t most = len - done < sizeof(bytes) ? len - done : sizeof(bytes);
		ssize_t n = pread(j->fd, bytes, most, j->size + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || memcmp(bytes, text + done, (size_t)n))
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	return 0;
}

static int write_at_end(const struct et_journal *j, const char *text, size_t len, bool durable)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = pwrite(j->fd, text + done, len - done, j->size + (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : -EIO;
		done += (size_t)n;
	}
	if (durable && fsync(j->fd) < 0)
		return -errno;
	return check_written(j, text, len);
}

/* Removes what is after the size, such as a partial line that a crash has left. */
static int cut_off(const struct et_journal *j)
{
	return ftruncate(j->fd, j->size) < 0 ? -errno : 0;
}

/* Appends the text entirely or not at all. */
static int append(struct et_journal *j, const char *text, size_t len, bool durable)
{
	int rc = cut_off(j);

	if (rc)
		return rc;
	rc = write_at_end(j, text, len, durable);
	if (rc) {
		/* If this fails, the next call tries again, and a reader ignores a partial line. */
		(void)cut_off(j);
		return rc;
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

static bool same_change(const struct et_change *a, const struct et_change *b)
{
	return a->kind == b->kind && a->pid == b->pid && a->start == b->start &&
	       !strcmp(a->factor, b->factor) && !strcmp(a->target, b->target) &&
	       !strcmp(a->before, b->before) && !strcmp(a->after, b->after);
}

static bool same_session(const struct et_journal_session *a, const struct et_journal_session *b)
{
	return a->number == b->number && a->owner == b->owner && a->pid == b->pid &&
	       a->wall_ns == b->wall_ns && !strcmp(a->boot_id, b->boot_id);
}

/* Whether a process that reads the journal now finds the first n entries of j, and no others. */
static bool reads_as(const struct et_journal *j, size_t n)
{
	struct et_journal back = { .path = j->path, .fd = j->fd };
	bool same = load(&back, NULL) == 0 && back.n == n && back.damaged == j->damaged &&
		    back.size == j->size;

	for (size_t i = 0; same && i < n; i++) {
		const struct et_journal_entry *a = &back.entries[i], *b = &j->entries[i];
		same = a->id == b->id && a->session == b->session &&
		       same_session(et_journal_find_session(&back, a->session),
			       et_journal_find_session(j, b->session)) &&
		       same_change(&a->change, &b->change);
	}
	free_contents(&back);
	return same;
}

/* Composes the lines of the n entries after the last one. */
static char *compose(struct et_journal *j, size_t n, int *rc)
{
	struct et_memstream stream;
	struct et_journal_line line;
	FILE *f = et_memstream_open(&stream);

	*rc = 0;
	if (j->size == 0)
		fputs(ET_JOURNAL_TITLE "\n", f);
	/* A session without an entry is not on disk yet. */
	if (!j->n || j->entries[j->n - 1].session != j->n_sessions) {
		*rc = et_journal_line_session(&line, &j->sessions[j->n_sessions - 1]);
		fputs(line.text, f);
	}
	for (size_t i = j->n; i < j->n + n && *rc == 0; i++) {
		const struct et_journal_entry *e = &j->entries[i];
		*rc = et_journal_line_change(&line, e->id, e->session, &e->change);
		fputs(line.text, f);
	}
	return et_memstream_close(&stream);
}

/* Writes the n entries after the last one. If it fails, the file is as it was. */
static int write_entries(struct et_journal *j, size_t n)
{
	off_t size = j->size;
	int rc;
	ET_AUTO_FREE char *text = compose(j, n, &rc);

	if (rc == 0)
		rc = append(j, text, strlen(text), true);
	if (rc == 0 && size == 0)
		rc = sync_folder(j);
	if (rc == 0 && !reads_as(j, j->n + n))
		rc = -EBADMSG;
	if (rc) {
		j->size = size;
		/* If this fails, restore finds changes that were not made and skips them. */
		(void)cut_off(j);
	}
	return rc;
}

static int fail_write(const struct et_journal *j, int rc, struct et_error *err)
{
	if (rc == -EBADMSG || rc == -EMSGSIZE)
		return et_fail_hint(err, -rc, ET_EXIT_OUTSIDE,
			"set ETALON_JOURNAL to a path on another file system; this change was not "
			"made",
			"%s: a change cannot be read back from the journal of changes", j->path);
	return et_hint(err, fail_path(j->path, -rc, err),
		"set ETALON_JOURNAL to a path that can be written; nothing was changed that is "
		"not in the journal");
}

int et_journal_intend(
	struct et_journal *j, const struct et_change *changes, size_t n, struct et_error *err)
{
	/* Every allocation comes before the changes, so that j is whole if memory runs out. */
	for (size_t i = 0; i < n; i++) {
		ET_GROW(j->entries, j->n + i, j->cap);
		j->entries[j->n + i] = (struct et_journal_entry){ .id = j->last_id + 1 + i,
			.session = (uint32_t)j->n_sessions,
			.change = et_change_copy(&changes[i]) };
	}
	int rc = write_entries(j, n);
	if (rc) {
		for (size_t i = 0; i < n; i++)
			et_change_free(&j->entries[j->n + i].change);
		return fail_write(j, rc, err);
	}
	j->n += n;
	j->last_id += n;
	return 0;
}

static int append_mark(
	struct et_journal *j, const char *name, uint64_t id, const char *value, bool durable)
{
	struct et_journal_line line;
	int rc = et_journal_line_mark(&line, name, id, value);

	return rc ? rc : append(j, line.text, line.n, durable);
}

int et_journal_mark_again(
	struct et_journal *j, struct et_journal_entry *e, const char *after, struct et_error *err)
{
	char *new = et_strdup(after), *old = e->change.after;
	off_t size = j->size;
	int rc = append_mark(j, "again", e->id, after, true);

	e->change.after = new;
	if (rc == 0 && !reads_as(j, j->n))
		rc = -EBADMSG;
	if (rc) {
		e->change.after = old;
		free(new);
		j->size = size;
		(void)cut_off(j);
		return fail_write(j, rc, err);
	}
	free(old);
	free(e->observed);
	e->observed = NULL;
	return 0;
}

int et_journal_mark_made(struct et_journal *j, struct et_journal_entry *e, const char *observed)
{
	char *new = et_strdup(observed);
	int rc = append_mark(j, "made", e->id, observed, false);

	free(e->observed);
	e->observed = new;
	return rc;
}

int et_journal_mark_restored(struct et_journal *j, struct et_journal_entry *e)
{
	int rc = append_mark(j, "back", e->id, NULL, false);

	e->restored = true;
	e->unmarked = rc != 0;
	return rc;
}

/* --- closing --- */

static void finish(struct et_journal *j)
{
	if (et_journal_pending(j, -1) == 0) {
		/* Keep damaged lines for the user to inspect. If this fails, or is lost with the
		 * power, the next restore finds nothing to do and tries again. */
		if (j->damaged ? rename(j->path, j->aside) == 0 : unlink(j->path) == 0)
			(void)sync_folder(j);
		return;
	}
	for (size_t i = 0; i < j->n; i++) {
		struct et_journal_entry *e = &j->entries[i];
		if (e->unmarked)
			e->unmarked = append_mark(j, "back", e->id, NULL, false) != 0;
	}
	(void)fsync(j->fd);
}

void et_journal_close(struct et_journal *j)
{
	if (!j)
		return;
	if (j->fd >= 0)
		finish(j);
	journal_free(j);
}
