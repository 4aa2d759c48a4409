/* SPDX-License-Identifier: MIT */
#include "base/outfile.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/vfs.h>

/* As many symbolic links as the kernel follows (path_resolution(7)), or attempts in a race. */
enum { MOST_STEPS = 40 };

/* Opens the folder of path, which may be relative to o->dir, and keeps the name of the file. */
static int enter(struct et_outfile *o, const char *path)
{
	char folder[PATH_MAX] = ".";
	const char *slash = strrchr(path, '/'), *name = slash ? slash + 1 : path;
	size_t len = slash ? (size_t)(name - path) : 0;

	if (!*path)
		return -ENOENT;
	if (!*name)
		return -EISDIR;
	if (strlen(name) >= sizeof(o->name) || len >= sizeof(folder))
		return -ENAMETOOLONG;
	if (slash)
		snprintf(folder, sizeof(folder), "%.*s", (int)len, path);
	int dir = openat(o->dir, folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (dir < 0)
		return -errno;
	et_cleanup_close(&o->dir);
	o->dir = dir;
	memcpy(o->name, name, strlen(name) + 1);
	return 0;
}

/* Returns why a link or file in this folder must not be written to, or NULL. */
static const char *distrust(const struct stat *folder, const struct stat *st)
{
	bool shared = folder->st_mode & S_ISVTX && folder->st_mode & (S_IWGRP | S_IWOTH);

	if (!shared || S_ISDIR(st->st_mode))
		return NULL;
	if (st->st_uid != geteuid() && st->st_uid != folder->st_uid)
		return S_ISLNK(st->st_mode) ? "a symbolic link of another user"
					    : "a file of another user";
	if (S_ISREG(st->st_mode) && st->st_nlink > 1)
		return "a file with several hard links";
	return NULL;
}

/*
 * The kernel itself follows the links in /proc/PID/fd, whose text need not be a path. They belong
 * to the process, and nobody can plant one.
 */
static int open_in_proc(struct et_outfile *o, int flags)
{
	int fd = openat(o->dir, o->name, flags);

	if (fd < 0)
		return -errno;
	close(o->dir);
	o->dir = -1;
	o->fd = fd;
	return 0;
}

static int follow(struct et_outfile *o, int link, int flags)
{
	char target[PATH_MAX];
	struct statfs fs;

	if (fstatfs(link, &fs) == 0 && fs.f_type == PROC_SUPER_MAGIC)
		return open_in_proc(o, flags);
	ssize_t n = readlinkat(link, "", target, sizeof(target) - 1);
	if (n < 0)
		return -errno;
	target[n] = '\0';
	int rc = enter(o, target);
	return rc ? rc : -EAGAIN;
}

/*
 * Opens what the name stands for now. First by O_PATH, which neither blocks on a FIFO nor changes
 * anything, to apply the rules; then for writing, if it still is the same file. Returns -EAGAIN to
 * try once more: the name changed meanwhile, or a link was followed.
 */
static int open_existing(struct et_outfile *o, int flags, const char **why)
{
	ET_AUTO_CLOSE int at = openat(o->dir, o->name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
	struct stat folder, st, opened;

	if (at < 0)
		return errno == ENOENT ? -EAGAIN : -errno;
	if (fstat(o->dir, &folder) < 0 || fstat(at, &st) < 0)
		return -errno;
	*why = distrust(&folder, &st);
	if (*why)
		return -EACCES;
	if (S_ISLNK(st.st_mode))
		return follow(o, at, flags);
	int fd = openat(o->dir, o->name, flags | O_NOFOLLOW);
	if (fd < 0)
		return errno == ENOENT || errno == ELOOP ? -EAGAIN : -errno;
	if (fstat(fd, &opened) < 0 || opened.st_dev != st.st_dev || opened.st_ino != st.st_ino) {
		close(fd);
		return -EAGAIN;
	}
	o->fd = fd;
	return 0;
}

static int open_name(struct et_outfile *o, int flags, const char **why)
{
	for (int i = 0; i < MOST_STEPS; i++) {
		o->fd = openat(o->dir, o->name, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0666);
		o->created = o->fd >= 0;
		if (o->created)
			return 0;
		int rc = errno == EEXIST ? open_existing(o, flags, why) : -errno;
		if (rc != -EAGAIN)
			return rc;
	}
	return -ELOOP;
}

int et_outfile_open(struct et_outfile *out, const char *path, int flags, enum et_exit exit,
	struct et_error *err)
{
	struct et_outfile o = { .fd = -1, .dir = AT_FDCWD };
	const char *why = NULL;
	int rc = enter(&o, path);

	if (rc == 0)
		rc = open_name(&o, (flags & ~O_TRUNC) | O_WRONLY | O_CLOEXEC, &why);
	/* A pipe or a device cannot be truncated (EINVAL), and need not be. */
	if (rc == 0 && flags & O_TRUNC && ftruncate(o.fd, 0) < 0 && errno != EINVAL) {
		rc = -errno;
		close(o.fd);
	}
	if (rc == 0) {
		*out = o;
		return 0;
	}
	et_cleanup_close(&o.dir);
	if (!why)
		return et_fail_file(err, -rc, exit, path);
	return et_fail_hint(err, EACCES, exit, "name a file in a folder of your own",
		"%s: refused: %s, in a folder that is shared", path, why);
}

int et_outfile_fd(const char *path, int flags, enum et_exit exit, struct et_error *err)
{
	struct et_outfile o;
	int rc = et_outfile_open(&o, path, flags, exit, err);

	if (rc)
		return rc;
	et_cleanup_close(&o.dir);
	return o.fd;
}

int et_outfile_beside(const struct et_outfile *o, mode_t mode, char temporary[NAME_MAX + 1])
{
	for (int i = 0; i < MOST_STEPS; i++) {
		unsigned number = 0;

		if (getrandom(&number, sizeof(number), GRND_NONBLOCK) < 0)
			return -errno;
		if (snprintf(temporary, NAME_MAX + 1, "%s.%08x", o->name, number) > NAME_MAX)
			return -ENAMETOOLONG;
		int fd = openat(o->dir, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
		if (fd < 0 && errno == EEXIST)
			continue;
		if (fd < 0)
			return -errno;
		if (fchmod(fd, mode) == 0)
			return fd;
		int rc = -errno;
		close(fd);
		unlinkat(o->dir, temporary, 0);
		return rc;
	}
	return -EEXIST;
}
