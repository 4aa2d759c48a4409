/* SPDX-License-Identifier: MIT */
#include "lib/bench/files.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool et_bench_file_is_stdout(const struct et_bench_file *f)
{
	return f->path && !strcmp(f->path, "-");
}

int et_bench_file_open(struct et_bench_file *f, struct et_error *err)
{
	int rc;

	if (!f->path || et_bench_file_is_stdout(f))
		return 0;
	rc = et_outfile_open(&f->target, f->path, O_APPEND, ET_EXIT_OUTSIDE, err);
	if (rc)
		return rc;
	f->open = true;
	if (f->target.created && f->target.dir >= 0)
		unlinkat(f->target.dir, f->target.name, 0);
	return 0;
}

void et_bench_file_close(struct et_bench_file *f)
{
	if (!f->open)
		return;
	close(f->target.fd);
	if (f->target.dir >= 0)
		close(f->target.dir);
	f->open = false;
}

/* Writes to a descriptor and closes it. Returns 0 or -errno. */
static int fill(const struct et_bench_file *f, const struct et_bench_results *r, int fd)
{
	FILE *out = fdopen(fd, "w");
	int rc = 0;

	if (!out) {
		close(fd);
		return -ENOMEM;
	}
	f->write(r, out);
	if (fflush(out) || ferror(out))
		rc = -errno;
	return fclose(out) && !rc ? -errno : rc;
}

static int fill_itself(const struct et_bench_file *f, const struct et_bench_results *r)
{
	int fd = fcntl(f->target.fd, F_DUPFD_CLOEXEC, 0);

	if (fd < 0)
		return -errno;
	/* Pipes and devices cannot be truncated. */
	if (ftruncate(fd, 0) != 0 && errno != EINVAL) {
		int rc = -errno;

		close(fd);
		return rc;
	}
	return fill(f, r, fd);
}

/*
 * Creates a file to be renamed. Returns a negative number if that would change more than the
 * contents: the old one is not a regular file, belongs to somebody else or has several links; or if
 * the folder is not writable.
 */
static int open_beside(const struct et_outfile *o, char temporary[NAME_MAX + 1])
{
	struct stat st;

	if (o->dir < 0 || fstat(o->fd, &st) != 0 || !S_ISREG(st.st_mode) ||
		st.st_uid != geteuid() || st.st_nlink > 1)
		return -1;
	return et_outfile_beside(o, st.st_mode & 07777, temporary);
}

static int replace(const struct et_bench_file *f, const struct et_bench_results *r)
{
	const struct et_outfile *o = &f->target;
	char temporary[NAME_MAX + 1];
	int fd = open_beside(o, temporary), rc;

	if (fd < 0)
		return o->created && o->dir >= 0 ? -EIO : fill_itself(f, r);
	rc = fill(f, r, fd);
	if (rc == 0 && renameat(o->dir, temporary, o->dir, o->name) != 0)
		rc = -errno;
	if (rc)
		unlinkat(o->dir, temporary, 0);
	return rc;
}

int et_bench_file_write(
	struct et_bench_file *f, const struct et_bench_results *r, struct et_error *err)
{
	int rc = 0;

	if (et_bench_file_is_stdout(f)) {
		f->write(r, stdout);
		rc = fflush(stdout) || ferror(stdout) ? -errno : 0;
	} else if (f->open) {
		rc = replace(f, r);
	}
	return rc ? et_fail_file(err, -rc, ET_EXIT_OUTSIDE, f->path) : 0;
}
