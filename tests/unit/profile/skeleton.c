/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The template of a reader: the samples of a text, and bad text that is refused by line. */
#include "base/base.h"
#include "profile/readers/reader.h"
#include "tap.h"

ET_PROFILE_READER_DECLARE("skeleton", skeleton)

static struct et_error err;
static struct et_reader reader;

/* Reads a text as the first file of a command. */
static int read_text(const char *text)
{
	static const struct et_profile_plan plan = { .event = "imported" };
	ET_AUTO_FCLOSE FILE *in = fmemopen((void *)text, strlen(text), "r");

	memset(&err, 0, sizeof(err));
	reader =
		(struct et_reader){ .name = "FILE", .profile = et_profile_new(&plan), .err = &err };
	reader.lines = (struct et_lines){ .in = in, .longest = ET_READER_LONGEST_LINE };
	int rc = et_read_skeleton(&reader);
	et_lines_free(&reader.lines);
	reader.lines = (struct et_lines){ 0 };
	return rc;
}

static void forget(void)
{
	et_profile_free(reader.profile);
	et_reader_free(&reader);
}

static void refuses(const char *text, const char *what, const char *label)
{
	ok(read_text(text) < 0 && err.exit == ET_EXIT_USAGE && err.hint[0], "%s", label);
	is_str(err.what, what, "%s: the error names the line", label);
	forget();
}

int main(void)
{
	ok(et_is_skeleton("profile cycles") && !et_is_skeleton("profile ") &&
			!et_is_skeleton("main;work 12"),
		"skeleton: its first line is recognized, and those of other formats are not");
	ok(read_text("profile cycles\n12 work\n\n3 idle\n1 work\n") == 0 && reader.n_runs == 1,
		"skeleton: a file is one run");
	ok(reader.n_runs && reader.runs[0].samples == 16 && reader.runs[0].n_counts == 2,
		"skeleton: lines of the same function add up");
	is_str(reader.profile->event, "cycles", "skeleton: the head names what is counted");
	forget();
	refuses("12 work\n", "FILE:1: there is no line 'profile NAME'",
		"skeleton: a text without its head is refused");
	refuses("profile cycles\nwork 12\n",
		"FILE:2: the line does not begin with a number of samples",
		"skeleton: a line without a number is refused");
	ok(read_text("profile cycles\n") < 0 && err.what[0],
		"skeleton: a file without samples is refused");
	forget();
	return tap_done();
}
