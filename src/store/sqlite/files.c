/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system calls by which SQLite opens and deletes files. The files beside a store may come from
 * elsewhere: a pipe as journal would let SQLite wait for ever, and a journal can name any file of
 * the machine as its super-journal, which SQLite deletes after the rollback.
 */
#include "base/alloc.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

void et_sqlite_guard_files(void)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);

	if (!vfs || vfs->iVersion < 3 || !vfs->xSetSystemCall)
		return;
	(void)vfs->xSetSystemCall(vfs, "open", (sqlite3_syscall_ptr)open_file);
	(void)vfs->xSetSystemCall(vfs, "unlink", (sqlite3_syscall_ptr)delete_file);
}
