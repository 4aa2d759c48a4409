/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "cli/ask.h"
#include "base/display.h"
#include "cli/cli.h"
#include "draw/terminal.h"

#include <poll.h>
#include <stdio.h>
#include <strings.h>
#include <unistd.h>

bool et_can_ask(void)
{
	return isatty(STDIN_FILENO) && isatty(STDERR_FILENO);
}

/* The terminal delivers a line at once. poll() ends at every signal, read() need not. */
bool et_ask(const char *about, const char *question)
{
	struct et_page page = { .out = stderr, .width = et_cli_columns() };
	struct pollfd p = { .fd = STDIN_FILENO, .events = POLLIN };
	char line[64];

	et_page_paragraph(&page, 0, "", NULL, about, NULL);
	et_say(stderr, "%s [y/N] ", question);
	fflush(stderr);
	ssize_t n = poll(&p, 1, -1) == 1 ? read(STDIN_FILENO, line, sizeof(line) - 1) : -1;
	if (n <= 0) {
		fputc('\n', stderr);
		return false;
	}
	line[n - 1] = '\0'; /* the line feed */
	return !strcasecmp(line, "y") || !strcasecmp(line, "yes");
}
