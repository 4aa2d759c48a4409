/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/streams.h"
#include "base/alloc.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void et_streams_init(struct et_streams *s)
{
	*s = (struct et_streams){ .in_fd = { -1, -1 },
		.out_fd = -1,
		.err_fd = { -1, -1 },
		.unreadable_fd = { -1, -1 },
		.null_fd = -1 };
	et_drain_init(&s->drain);
}

static int open_file(const char *path, int flags, int *fd, struct et_error *err)
{
	*fd = open(path, flags | O_CLOEXEC);
	if (*fd < 0)
		return et_fail_file(err, errno, ET_EXIT_USAGE, path);
	return 0;
}

/* Every run reads the input from its beginning, which a pipe cannot be rewound to. */
static int check_input(const char *path, struct et_error *err)
{
	struct stat st;

	if (!path || stat(path, &st) < 0 || (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)))
		return 0; /* if it does not exist, opening it fails with the error */
	return et_hint(err,
		et_fail(err, ESPIPE, ET_EXIT_USAGE,
			"--input %s is a pipe, so only the first run could read its content", path),
		"write the content to a file first");
}

/*
 * A terminal is usually open for reading as well, also as standard output: a program of another
 * user could read what the caller types. It gets a description of the same terminal that is open
 * for writing only. A regular file holds nothing but output. A socket cannot be opened again.
 */
static int make_unreadable(int fd, int *out, struct et_error *err)
{
	int flags = fcntl(fd, F_GETFL);
	struct stat st;
	char path[32];

	if (flags < 0 || (flags & O_ACCMODE) == O_WRONLY || fstat(fd, &st) < 0 ||
		S_ISREG(st.st_mode))
		return 0;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	*out = open(path, O_WRONLY | O_NOCTTY | O_CLOEXEC | (flags & O_APPEND));
	if (*out >= 0)
		return 0;
	return et_hint(err,
		et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT,
			"--output inherit: the program of another user could read from %s",
			fd == STDOUT_FILENO ? "standard output" : "standard error"),
		"append '2>&1 | cat' to the command line, or use --output FILE");
}

static int inherit(struct et_streams *s, bool other_user, struct et_error *err)
{
	int rc = other_user ? make_unreadable(STDOUT_FILENO, &s->unreadable_fd[0], err) : 0;

	if (rc == 0 && other_user)
		rc = make_unreadable(STDERR_FILENO, &s->unreadable_fd[1], err);
	s->out_fd = s->unreadable_fd[0] >= 0 ? s->unreadable_fd[0] : STDOUT_FILENO;
	for (int i = 0; i < ET_SLOTS; i++)
		s->err_fd[i] = s->unreadable_fd[1] >= 0 ? s->unreadable_fd[1] : STDERR_FILENO;
	return rc;
}

/* A program of another user could not open its own /dev/stderr if that were our pipe. */
static int open_pipes(struct et_streams *s, bool piped, bool other_user, struct et_error *err)
{
	if (other_user && !piped)
		return 0;
	int rc = et_drain_open(&s->drain, piped, err);
	for (int i = 0; rc == 0 && !other_user && i < ET_SLOTS; i++)
		s->err_fd[i] = s->drain.err[i].write_fd;
	if (rc == 0 && piped)
		s->out_fd = s->drain.out.write_fd;
	return rc;
}

int et_streams_open(struct et_streams *s, const char *input, const char *output, bool other_user,
	struct et_error *err)
{
	bool inherited = output && !strcmp(output, "inherit");
	bool piped = output && !strcmp(output, "pipe");
	int rc = open_file("/dev/null", O_RDWR, &s->null_fd, err);

	if (rc == 0)
		rc = check_input(input, err);
	for (int i = 0; rc == 0 && i < ET_SLOTS; i++)
		rc = open_file(input ? input : "/dev/null", O_RDONLY, &s->in_fd[i], err);
	s->seekable = input != NULL;
	s->out_fd = s->err_fd[0] = s->err_fd[1] = s->null_fd;
	if (rc == 0)
		rc = inherited ? inherit(s, other_user, err)
			       : open_pipes(s, piped, other_user, err);
	if (rc || inherited || piped || !output || !strcmp(output, "null"))
		return rc;
	int fd = et_outfile_fd(output, O_TRUNC | O_APPEND, ET_EXIT_OUTSIDE, err);
	if (fd < 0)
		return fd;
	s->out_fd = fd;
	s->truncated = true;
	return 0;
}

int et_streams_open_input(struct et_streams *s, const char *path, int *fd, struct et_error *err)
{
	for (size_t i = 0; i < s->n_own; i++) {
		if (!strcmp(s->own[i].path, path)) {
			*fd = s->own[i].fd;
			return 0;
		}
	}
	int rc = check_input(path, err);
	if (rc == 0)
		rc = open_file(path, O_RDONLY, fd, err);
	if (rc)
		return rc;
	s->own = et_realloc(s->own, s->n_own + 1, sizeof(*s->own));
	s->own[s->n_own++] = (struct et_own_input){ et_strdup(path), *fd };
	return 0;
}

int et_streams_start(struct et_streams *s, struct et_error *err)
{
	int rc = et_drain_start(&s->drain, s->drain.out.write_fd >= 0 ? err : NULL);

	if (rc == 0 || s->drain.out.write_fd >= 0)
		return rc;
	for (int i = 0; i < ET_SLOTS; i++) {
		if (s->err_fd[i] == s->drain.err[i].write_fd)
			s->err_fd[i] = s->null_fd;
	}
	return 0;
}

void et_streams_rewind(struct et_streams *s, size_t n_slots)
{
	et_drain_forget(&s->drain, n_slots);
	for (int i = 0; s->seekable && i < ET_SLOTS; i++)
		lseek(s->in_fd[i], 0, SEEK_SET);
	if (s->truncated && ftruncate(s->out_fd, 0) < 0)
		errno = 0; /* a pipe or device: nothing to empty */
}

void et_streams_close(struct et_streams *s)
{
	et_drain_close(&s->drain);
	if (s->truncated)
		et_cleanup_close(&s->out_fd);
	for (int i = 0; i < ET_SLOTS; i++)
		et_cleanup_close(&s->in_fd[i]);
	for (size_t i = 0; i < s->n_own; i++) {
		et_cleanup_close(&s->own[i].fd);
		free(s->own[i].path);
	}
	free(s->own);
	s->own = NULL;
	s->n_own = 0;
	et_cleanup_close(&s->unreadable_fd[0]);
	et_cleanup_close(&s->unreadable_fd[1]);
	et_cleanup_close(&s->null_fd);
}
