/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Checks when outputs are closed that everything was written. */
#include "cmd/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

/* A reader closed its end of a pipe, as head does. */
static bool unread;

static bool has_reader(FILE *f)
{
	struct pollfd p = { .fd = fileno(f), .events = POLLOUT };

	return poll(&p, 1, 0) < 1 || !(p.revents & (POLLERR | POLLHUP));
}

int et_cli_close_output(FILE *f, const char *path, struct et_error *err)
{
	bool failed = fflush(f) != 0 || ferror(f);
	int cause = failed && errno ? errno : EIO;
	bool gone = failed && !has_reader(f);

	unread = unread || gone;
	if (f != stdout && fclose(f) != 0 && !failed) {
		failed = true;
		cause = errno;
	}
	if (!failed || gone)
		return 0;
	return et_fail_file(
		err, cause, ET_EXIT_OUTSIDE, strcmp(path, "-") ? path : "standard output");
}

int et_cli_end(int status)
{
	struct et_error err;

	if (status != ET_EXIT_DONE)
		return status;
	if (et_cli_close_output(stdout, "-", &err))
		return et_cli_fail(&err);
	return unread ? 128 + SIGPIPE : status; /* the status of a program that SIGPIPE ended */
}
