/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A private copy of a store that another user can change. SQLite maps the file STORE-shm into
 * memory: its owner could truncate it, and the kernel would then end etalon by SIGBUS. The owner
 * could also lock the store for as long as he likes.
 */
#include "base/alloc.h"
#include "store/sqlite/sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

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

int et_sqlite_copy(const char *path, char **copy)
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
		et_sqlite_forget_copy(*copy);
		free(*copy);
		*copy = NULL;
	}
	return rc;
}

void et_sqlite_forget_copy(const char *copy)
{
	for (size_t i = 0; i < ET_LENGTH(suffixes); i++) {
		ET_AUTO_FREE char *path = et_asprintf("%s%s", copy, suffixes[i]);
		(void)unlink(path);
	}
	ET_AUTO_FREE char *dir = et_strndup(copy, (size_t)(strrchr(copy, '/') - copy));
	(void)rmdir(dir);
}
