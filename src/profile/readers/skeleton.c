/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A template to copy: a reader of another profiler's files. It is compiled and tested, and no part
 * of etalon. The comment at the table in read.h lists what else a new format needs.
 *
 * This one reads one line per function, "12 work", after the line "profile NAME", in which NAME is
 * what is counted. Name the profiler, its version and its documentation here.
 *
 * The bytes are not trusted: each limit is checked by a function of reader.h, and each error names
 * the line and has a hint.
 */
#include "profile/readers/reader.h"

static const char head[] = "profile ";

/* A row of ET_PROFILE_READERS declares these two, if they are yours. */
ET_PROFILE_READER_DECLARE("skeleton", skeleton)

/*
 * The first line of a file must tell the format from those before it in the table, without a
 * doubt: a wrong guess reads a file of another profiler as if it were of this one.
 */
bool et_is_skeleton(const char *line)
{
	return !strncmp(line, head, strlen(head)) && line[strlen(head)];
}

/*
 * A format with call stacks makes a node per function of the stack, the outermost first, as
 * folded.c does. This one knows no callers: every function is a child of the root.
 */
static void read_line(struct et_reader *r, const char *line)
{
	uint64_t samples;

	if (!et_reader_whole(&line, &samples) || *line != ' ') {
		et_reader_fail(r, "write each line as '12 work'",
			"the line does not begin with a number of samples");
		return;
	}
	/* With a file that names it, pass the module; functions of the kernel are in its space. */
	uint32_t function = et_reader_function(r, line + 1, NULL, ET_SPACE_USER);
	/* The last argument is for a profiler that counts samples at the first instruction. */
	et_reader_add(r, et_reader_node(r, ET_PROFILE_ROOT, function), samples, 0);
}

/*
 * Called once per file. A file with several runs calls et_reader_end_run after each; a file that
 * has the command line calls et_reader_command, one that counts calls et_reader_calls.
 */
int et_read_skeleton(struct et_reader *r)
{
	char *line;

	/* After an error, et_reader_line returns it, and so does et_reader_end_run. */
	if (et_reader_line(r, &line) <= 0 || !et_is_skeleton(line))
		return et_reader_fail(r, "use a file that the profiler has written",
			"there is no line '%sNAME'", head);
	/* Refuses a file that counts something else than those before it. */
	et_reader_event(r, line + strlen(head));
	while (et_reader_line(r, &line) > 0) {
		if (*line)
			read_line(r, line);
	}
	return et_reader_end_run(r);
}
