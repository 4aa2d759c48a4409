/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The width of the output, how results are printed, and the check that outputs were written. */
#include "base/parse.h"
#include "cli/cli.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

/* A reader closed its end of a pipe, as head does. */
static bool unread;

static bool has_reader(FILE *f)
{
	struct pollfd p = { .fd = fileno(f), .events = POLLOUT };

	return poll(&p, 1, 0) < 1 || !(p.revents & (POLLERR | POLLHUP));
}

/* The width that the terminal or the user has set; 0: none. */
static int given_columns(void)
{
	struct winsize size;
	const char *columns = getenv("COLUMNS");
	uint64_t n;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 20)
		return size.ws_col;
	if (columns && et_parse_u64("COLUMNS", columns, 20, 1000, &n, NULL) == 0)
		return (int)n;
	return 0;
}

int et_cli_columns(void)
{
	int given = given_columns();

	return given ? given : 80;
}

bool et_cli_has_width(void)
{
	return given_columns() > 0;
}

struct et_text_options et_cli_text(const struct et_cli *cli)
{
	return (struct et_text_options){ .width = cli->columns,
		.color = cli->color,
		.verbose = cli->verbosity > 0,
		.quiet = cli->verbosity < 0,
		.full_names = cli->full_names };
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
