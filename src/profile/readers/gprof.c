/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads the flat profile that `gprof -b -p` prints. It has seconds, which are samples times the
 * period, so the samples are computed back. Several outputs in one file are several runs.
 *
 *	Each sample counts as 0.01 seconds.
 *	  %   cumulative   self              self     total
 *	 time   seconds   seconds    calls  ms/call  ms/call  name
 *	 66.78      0.04     0.04       15     2.67     2.67  leaf
 */
#include "base/parse.h"
#include "profile/readers/reader.h"

static const char flat[] = "Flat profile:", each[] = "Each sample counts as ";

bool et_is_gprof(const char *line)
{
	return !strncmp(line, flat, strlen(flat)) || !strncmp(line, each, strlen(each)) ||
	       !strncmp(line, "\t\t     Call graph", 17);
}

static int fail_line(struct et_reader *r, const char *line)
{
	return et_reader_fail(r, "use the output of 'gprof -b -p PROGRAM gmon.out'",
		"'%.60s' is no line of a flat profile", line);
}

/* Cuts the next word off *text. Returns NULL at its end. */
static const char *next_word(char **text)
{
	char *begin = *text + strspn(*text, " \t"), *end = begin + strcspn(begin, " \t");

	if (begin == end)
		return NULL;
	*text = *end ? end + 1 : end;
	*end = '\0';
	return begin;
}

static bool is_number(const char *word, double *out)
{
	return word && et_parse_double("", word, out, NULL) == 0 && *out >= 0;
}

/* Without -pg there are no calls: then a name follows, which does not begin with three numbers. */
static bool read_calls(char **text, uint64_t *calls)
{
	const char *end = *text + strspn(*text, " \t");
	double per_call;

	if (!et_reader_digits(&end, 10, calls) || *end != ' ')
		return false;
	char *rest = *text + (end - *text);
	for (int i = 0; i < 2; i++) {
		char word[32];
		size_t blanks = strspn(rest, " "), n = strcspn(rest + blanks, " ");
		if (!n || n >= sizeof(word))
			return false;
		memcpy(word, rest + blanks, n);
		word[n] = '\0';
		if (!is_number(word, &per_call))
			return false;
		rest += blanks + n;
	}
	*text = rest;
	return true;
}

static int read_row(struct et_reader *r, char *line, double period)
{
	ET_AUTO_FREE char *quoted = et_strndup(line, 60);
	double share, sum, self;
	uint64_t calls;

	if (!is_number(next_word(&line), &share) || !is_number(next_word(&line), &sum) ||
		!is_number(next_word(&line), &self))
		return fail_line(r, quoted);
	bool called = read_calls(&line, &calls);
	line += strspn(line, " \t");
	double samples = round(self / period);
	if (!*line || samples >= 0x1p63)
		return fail_line(r, quoted);
	uint32_t function = et_reader_function(r, line, r->program, ET_SPACE_USER);
	et_reader_add(r, et_reader_node(r, ET_PROFILE_ROOT, function), (uint64_t)samples, 0);
	if (called)
		et_reader_calls(r, function, calls);
	return r->rc;
}

/* Reads the rows after the titles of the columns, up to an empty line or the next output. */
static void read_rows(struct et_reader *r, double period)
{
	char *line;

	while (et_reader_line(r, &line) > 0 && line[strspn(line, " \t\f")] &&
		strncmp(line, flat, strlen(flat)) != 0)
		read_row(r, line, period);
	r->run.period = period * 1e9;
	double counted = (double)r->run.samples * r->run.period;
	r->run.counted = counted < (double)INT64_MAX ? (uint64_t)counted : 0;
	et_reader_end_run(r);
}

/* The line "Each sample counts as 0.01 seconds." */
static void read_period(struct et_reader *r, char *line, double *out)
{
	char *text = line + strlen(each);
	const char *word = next_word(&text);

	if (!is_number(word, out) || !(*out >= 1e-9) || !(*out <= 1e6) ||
		strncmp(text, "seconds", 7) != 0)
		et_reader_fail(r, "use the output of 'gprof -b -p PROGRAM gmon.out'",
			"the time of a sample is not a number of seconds");
}

int et_read_gprof(struct et_reader *r)
{
	size_t runs = r->n_runs;
	double period = 0;
	char *line;

	et_reader_event(r, "gprof");
	while (et_reader_line(r, &line) > 0) {
		if (!strncmp(line, each, strlen(each))) {
			read_period(r, line, &period);
		} else if (!strncmp(line, " time ", 6) && strstr(line, "name") && period > 0) {
			read_rows(r, period);
			period = 0;
		}
	}
	if (r->n_runs == runs)
		return et_reader_fail(r, "use the output of 'gprof -b -p PROGRAM gmon.out'",
			"it has no flat profile");
	return r->rc;
}
