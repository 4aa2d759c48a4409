/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/streams.h"
#include "base/alloc.h"
#include "base/outfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void et_streams_init(struct et_streams *s)
{
	*s = (struct et_streams){ .in_fd = { -1, -1 }, .out_fd = -1, .err_fd = -1, .null_fd = -1 };
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

int et_streams_open(
	struct et_streams *s, const char *input, const char *output, struct et_error *err)
{
	bool inherit = output && !strcmp(output, "inherit");
	int rc = open_file("/dev/null", O_RDWR, &s->null_fd, err);

	if (rc == 0)
		rc = check_input(input, err);
	for (int i = 0; rc == 0 && i < ET_SLOTS; i++)
		rc = open_file(input ? input : "/dev/null", O_RDONLY, &s->in_fd[i], err);
	s->seekable = input != NULL;
	s->truncated = output && !inherit && strcmp(output, "null");
	s->out_fd = inherit ? STDOUT_FILENO : s->null_fd;
	s->err_fd = inherit ? STDERR_FILENO : s->null_fd;
	if (rc || !s->truncated)
		return rc;
	s->out_fd = et_outfile_fd(output, O_TRUNC | O_APPEND, ET_EXIT_USAGE, err);
	return s->out_fd < 0 ? s->out_fd : 0;
}

void et_streams_rewind(const struct et_streams *s)
{
	for (int i = 0; s->seekable && i < ET_SLOTS; i++)
		lseek(s->in_fd[i], 0, SEEK_SET);
	if (s->truncated && ftruncate(s->out_fd, 0) < 0)
		errno = 0; /* a pipe or device: nothing to empty */
}

void et_streams_close(struct et_streams *s)
{
	if (s->truncated)
		et_cleanup_close(&s->out_fd);
	for (int i = 0; i < ET_SLOTS; i++)
		et_cleanup_close(&s->in_fd[i]);
	et_cleanup_close(&s->null_fd);
}
