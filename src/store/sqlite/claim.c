/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The lock on a running experiment: an open-file-description lock (F_OFD_SETLK) on one byte of the
 * file PATH-claims. The kernel drops it when the last descriptor is closed, also after kill -9;
 * it holds in all network and PID namespaces; and only users who can write the store can open the
 * file. The database itself cannot carry the lock: closing a descriptor of it would drop the POSIX
 * locks that SQLite holds.
 *
 * The file is empty and is removed by the last process that releases a claim. If etalon is
 * killed, the file stays, and the next claim uses it.
 */
#include "base/hash.h"
#include "store/sqlite/sqlite.h"

#include <assert.h>
#include <fcntl.h>
#include <sys/stat.h>

/* SQLite resolves links, so that all paths to a store lead to the same file of claims. */
static char *path_of_claims(struct et_sqlite *s)
{
	return et_asprintf("%s-claims", sqlite3_db_filename(s->db, "main"));
}

/* Only a user who can write the store can hold a claim: a read lock would stop others, too. */
static mode_t mode_of_claims(const struct stat *store)
{
	mode_t mode = S_IRUSR | S_IWUSR;

	if (store->st_mode & S_IWGRP)
		mode |= S_IRGRP | S_IWGRP;
	if (store->st_mode & S_IWOTH)
		mode |= S_IROTH | S_IWOTH;
	return mode;
}

/* Returns a descriptor or -errno. */
static int make_claims(struct et_sqlite *s, const char *path)
{
	struct stat store;

	if (stat(s->path, &store))
		return -errno;
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (fd < 0)
		return -errno;
	/* Fails if this user is not in that group; its members then cannot claim anything. */
	int ignored = store.st_mode & S_IWGRP ? fchown(fd, (uid_t)-1, store.st_gid) : 0;
	(void)ignored;
	(void)fchmod(fd, mode_of_claims(&store));
	return fd;
}

static int open_claims(struct et_sqlite *s, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return fd >= 0 ? fd : errno == ENOENT ? make_claims(s, path) : -errno;
}

/* len 0: to the end, which is every byte. */
static int set_lock(int fd, short type, int64_t byte, int64_t len)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET, .l_start = byte, .l_len = len };

	return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

/* A process that released its claim may have removed the file that we opened before it did. */
static bool is_removed(const char *path, int fd)
{
	struct stat here, there;

	return fstat(fd, &here) || stat(path, &there) || here.st_ino != there.st_ino ||
	       here.st_dev != there.st_dev;
}

/* Returns the locked descriptor, -EAGAIN if another process has the lock, or another -errno. */
static int try_to_lock(struct et_sqlite *s, const char *path, const char *id)
{
	int fd = open_claims(s, path);

	if (fd < 0)
		return fd == -EEXIST ? -EAGAIN : fd; /* another process has just made it */
	/* Ids whose hashes are equal would exclude each other, once in 2^62 pairs. */
	int rc = set_lock(fd, F_WRLCK, (int64_t)(et_hash_text(id) >> 2), 1);
	if (rc == 0 && is_removed(path, fd))
		rc = -EAGAIN;
	if (rc == 0)
		return fd;
	close(fd);
	return rc == -EACCES ? -EAGAIN : rc;
}

int et_sqlite_claim(struct et_database *db, const char *id, struct et_error *err)
{
	struct et_sqlite *s = (struct et_sqlite *)db;
	ET_AUTO_FREE char *path = path_of_claims(s);

	assert(s->claim < 0);
	int fd = try_to_lock(s, path, id);
	if (fd >= 0)
		s->claim = fd;
	if (fd >= 0 || fd == -EAGAIN)
		return fd < 0;
	return et_hint(err,
		et_fail_errno(err, -fd, ET_EXIT_OUTSIDE, "cannot lock experiment %s by the file %s",
			id, path),
		"make the folder of the store writable; if that file is a link or another "
		"user's, remove it");
}

/*
 * Unlocks explicitly: a child of fork() shares the open file description, and closing ours would
 * leave the experiment locked until it ends or calls execve().
 */
void et_sqlite_release(struct et_database *db)
{
	struct et_sqlite *s = (struct et_sqlite *)db;

	if (s->claim < 0)
		return;
	ET_AUTO_FREE char *path = path_of_claims(s);
	/* Nobody holds another claim if all bytes can be locked. */
	if (set_lock(s->claim, F_WRLCK, 0, 0) == 0 && !is_removed(path, s->claim))
		(void)unlink(path);
	(void)set_lock(s->claim, F_UNLCK, 0, 0);
	close(s->claim);
	s->claim = -1;
}
