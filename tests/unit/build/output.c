/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The lines of a build's output that an error quotes. */
#include "designs.h"

enum { ROOM = 200 };

/* Returns the lines of an output that an error of ROOM bytes quotes. */
static const char *quoted(const char *text, size_t size)
{
	static char lines[ROOM];
	ET_AUTO_FCLOSE FILE *f = tmpfile();

	if (!f || fwrite(text, 1, size, f) != size)
		tap_bail("no temporary file");
	et_doe_output_last(f, lines, sizeof(lines));
	et_doe_output_failure(f, lines, sizeof(lines));
	return lines;
}

static void is_quoted(const char *text, const char *want, const char *label)
{
	is_str(quoted(text, strlen(text)), want, "output: %s", label);
}

/* n lines "line I", of 9 bytes each. */
static char *lines(size_t n)
{
	char *text = et_strdup("");

	for (size_t i = 0; i < n; i++)
		et_append(&text, "", "line %03zu\n", i);
	return text;
}

int main(void)
{
	is_quoted("", "", "nothing is quoted of nothing");
	is_quoted("a\nb\n", "a\nb\n", "a short output is quoted as it is");
	is_quoted("a.c:1: error: no\nstop\n", "a.c:1: error: no\nstop\n",
		"an error among the last lines is not repeated");

	ET_AUTO_FREE char *many = lines(100);
	const char *got = quoted(many, strlen(many));
	ok(!strncmp(got, "line 0", 6) && strstr(got, "line 099\n"),
		"output: of a long output the last lines are quoted, from the begin of a line");
	ok(strlen(got) > ROOM - 1 - 2 * strlen("line 099\n") && strlen(got) < ROOM,
		"output: they fill the room");

	ET_AUTO_FREE char *early = et_asprintf("cc a.c\na.c:1: error: no\nError 2\n%s", many);
	got = quoted(early, strlen(early));
	ok(!strncmp(got, "a.c:1: error: no\n…\nline 0", 26) && strstr(got, "line 099\n"),
		"output: the first error precedes the last lines");
	ok(strlen(got) < ROOM && !strstr(got, "Error 2"), "output: only the first does");

	ET_AUTO_FREE char *wide = et_alloc(601);
	memset(wide, 'x', 600);
	wide[600] = '\0';
	ET_AUTO_FREE char *error = et_asprintf("error %s\n%s", wide, many);
	got = quoted(error, strlen(error));
	ok(!strncmp(got, "error xxx", 9) && strstr(got, "x\n…\n") && strlen(got) < ROOM,
		"output: a wide line with an error is cut off");
	got = quoted(wide, strlen(wide));
	ok(strlen(got) == ROOM - 1, "output: a last line that is wider than the room is cut off");
	is_str(quoted("a\0b\n", 4), "a b\n", "output: a NUL byte does not hide the rest");
	return tap_done();
}
