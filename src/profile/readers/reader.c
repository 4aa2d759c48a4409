/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/readers/reader.h"
#include "base/utf8.h"

/* Replaces, in place, all bytes that are not printable UTF-8. */
static void clean(char *text)
{
	for (size_t n; *text; text += n) {
		n = et_utf8_length(text);
		bool bad = !n || (unsigned char)*text < ' ' || *text == 0x7f ||
			   et_utf8_deceives(et_utf8_decode(text, n));
		if (!n)
			n = 1;
		if (bad)
			memset(text, '?', n);
	}
}

int et_reader_fail(struct et_reader *r, const char *hint, const char *fmt, ...)
{
	char text[400];
	va_list ap;

	if (r->rc)
		return r->rc;
	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	/* Parts of the file are quoted, and its control characters must not reach the terminal. */
	clean(text);
	r->rc = r->lines.number
			? et_fail(r->err, EINVAL, ET_EXIT_USAGE, "%.100s:%zu: %s", r->name,
				  r->lines.number, text)
			: et_fail(r->err, EINVAL, ET_EXIT_USAGE, "%.100s: %s", r->name, text);
	return hint ? et_hint(r->err, r->rc, "%s", hint) : r->rc;
}

int et_reader_fail_file(struct et_reader *r, int rc)
{
	r->rc = et_fail_file(r->err, -rc, rc == -EISDIR ? ET_EXIT_USAGE : ET_EXIT_OUTSIDE, r->name);
	return r->rc;
}

int et_reader_line(struct et_reader *r, char **line)
{
	size_t length;
	int rc = r->rc ? r->rc : et_lines_next(&r->lines, line, &length);

	if (r->rc)
		return r->rc;
	if (rc == -EMSGSIZE)
		return et_reader_fail(r, "use the profiler's own text output, unchanged",
			"the line is longer than %d MiB", ET_READER_LONGEST_LINE >> 20);
	if (rc < 0)
		return et_reader_fail_file(r, rc);
	if (rc > 0 && strlen(*line) < length)
		return et_reader_fail(r,
			"use the profiler's text output: etalon-profile(1), Other instruments",
			"the line contains a NUL byte: this is not text");
	return rc;
}

/* --- functions and contexts --- */

uint32_t et_reader_copy(struct et_reader *r, const struct et_profile_function *f)
{
	static const char unknown[] = "[unknown]";
	ET_AUTO_FREE char *name = et_strndup(f->name, ET_READER_LONGEST_NAME);
	ET_AUTO_FREE char *module =
		et_strndup(f->module && *f->module ? f->module : unknown, ET_READER_LONGEST_NAME);

	if (r->profile->n_functions >= ET_READER_MOST_FUNCTIONS) {
		et_reader_fail(
			r, NULL, "there are more than %d functions", ET_READER_MOST_FUNCTIONS);
		return 0;
	}
	clean(name);
	clean(module);
	const char *shown = name[strspn(name, " ")] ? name : unknown;
	bool unnamed = f->unnamed || !strcmp(shown, unknown);
	return et_profile_function_of(r->profile, shown, module, f->space, unnamed);
}

uint32_t et_reader_function(
	struct et_reader *r, const char *name, const char *module, enum et_space_kind space)
{
	const struct et_profile_function f = {
		.name = (char *)name, .module = (char *)module, .space = space
	};

	return et_reader_copy(r, &f);
}

uint32_t et_reader_node(struct et_reader *r, uint32_t parent, uint32_t function)
{
	if (r->profile->n_nodes >= ET_READER_MOST_NODES) {
		et_reader_fail(
			r, NULL, "there are more than %d calling contexts", ET_READER_MOST_NODES);
		return ET_PROFILE_ROOT;
	}
	if (parent != ET_PROFILE_ROOT)
		r->profile->plan.chains = ET_CHAINS_FP;
	return et_profile_node_of(r->profile, parent, function);
}

/* --- the run that is being read --- */

void et_reader_add(struct et_reader *r, uint32_t node, uint64_t samples, uint64_t at_entry)
{
	/* The store keeps signed numbers. The count of a node is part of the total. */
	if (samples > (uint64_t)INT64_MAX - r->run.samples) {
		et_reader_fail(r, "check that the file is complete and unchanged",
			"the counts add up to more than 2^63 - 1");
		return;
	}
	r->run.samples += samples;
	et_profile_tally_add(&r->tally, node, samples, at_entry);
}

void et_reader_calls(struct et_reader *r, uint32_t function, uint64_t calls)
{
	if (function >= r->calls_room) {
		size_t room = 2 * (size_t)function + 16;
		r->calls = et_realloc(r->calls, room, sizeof(*r->calls));
		for (; r->calls_room < room; r->calls_room++)
			r->calls[r->calls_room] = NAN;
	}
	double *sum = &r->calls[function];
	*sum = (isnan(*sum) ? 0 : *sum) + (double)calls;
	/* The store and records keep numbers of 63 bits. */
	if (*sum >= 0x1p63)
		et_reader_fail(r, "check that the file is complete and unchanged",
			"the calls add up to more than 2^63 - 1");
}

void et_reader_command(struct et_reader *r, const char *text)
{
	if (r->command)
		return;
	r->command = et_strndup(text, ET_READER_LONGEST_NAME);
	clean(r->command);
}

void et_reader_event(struct et_reader *r, const char *event)
{
	struct et_profile *p = r->profile;
	char name[sizeof(p->event)];

	snprintf(name, sizeof(name), "%s", event);
	clean(name);
	if (!p->event[0])
		memcpy(p->event, name, sizeof(name));
	if (strcmp(p->event, name) != 0)
		et_reader_fail(r, "read files of the same profiler and event together",
			"it counts '%s', but the samples before are of '%s'", name, p->event);
}

int et_reader_end_run(struct et_reader *r)
{
	if (r->rc || !r->run.samples)
		return et_reader_fail(
			r, "profile a longer run, or sample more often", "it has no samples");
	et_profile_tally_take(&r->tally, &r->run);
	ET_GROW(r->runs, r->n_runs, r->runs_room);
	r->runs[r->n_runs++] = r->run;
	r->run = (struct et_profile_run){ 0 };
	return 0;
}

void et_reader_free(struct et_reader *r)
{
	for (size_t i = 0; i < r->n_runs; i++)
		free(r->runs[i].counts);
	free(r->runs);
	free(r->tally.counts);
	free(r->calls);
	free(r->command);
	et_perf_maps_free(r->maps);
	et_lines_free(&r->lines);
}

/* --- text --- */

static unsigned digit_of(char c)
{
	if (c >= '0' && c <= '9')
		return (unsigned)(c - '0');
	if (c >= 'a' && c <= 'f')
		return (unsigned)(c - 'a') + 10;
	if (c >= 'A' && c <= 'F')
		return (unsigned)(c - 'A') + 10;
	return 16;
}

size_t et_reader_trimmed(const char *text)
{
	size_t n = strlen(text);

	while (n && (text[n - 1] == ' ' || text[n - 1] == '\t'))
		n--;
	return n;
}

bool et_reader_digits(const char **text, unsigned base, uint64_t *out)
{
	const char *p = *text;
	uint64_t value = 0;

	if (digit_of(*p) >= base)
		return false;
	for (unsigned digit; (digit = digit_of(*p)) < base; p++) {
		if (__builtin_mul_overflow(value, base, &value) ||
			__builtin_add_overflow(value, digit, &value))
			return false;
	}
	*text = p;
	*out = value;
	return true;
}

bool et_reader_whole(const char **text, uint64_t *out)
{
	const char *p = *text;
	bool hexadecimal = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');

	p += hexadecimal ? 2 : 0;
	if (!et_reader_digits(&p, hexadecimal ? 16 : 10, out))
		return false;
	*text = p;
	return true;
}
