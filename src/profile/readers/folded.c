/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads folded stacks, as the stackcollapse scripts of FlameGraph write them: "main;work;sin 12"
 * per line, the outermost function first. The suffixes _[k], _[j] and _[i] of stackcollapse-perf
 * mark functions of the kernel, of a JIT compiler and inlined ones. Mean counts, as --folded writes
 * them, are rounded: samples are whole.
 */
#include "profile/readers/reader.h"

/* Returns the count's place in a line without spaces at its end, or NULL if it has none. */
static char *find_count(char *line)
{
	line[et_reader_trimmed(line)] = '\0';
	char *space = strrchr(line, ' '), *tab = strrchr(line, '\t');
	if (tab && (!space || tab > space))
		space = tab;
	return space && space > line ? space + 1 : NULL;
}

/* The number of digits at the end of the first n bytes. */
static size_t digits_before(const char *line, size_t n)
{
	size_t digits = 0;

	while (digits < n && line[n - 1 - digits] >= '0' && line[n - 1 - digits] <= '9')
		digits++;
	return digits;
}

bool et_is_folded(const char *line)
{
	size_t n = et_reader_trimmed(line);
	size_t digits = digits_before(line, n);
	if (digits && digits < n && line[n - 1 - digits] == '.') {
		n -= digits + 1;
		digits = digits_before(line, n);
	}
	return digits && digits + 1 < n &&
	       (line[n - 1 - digits] == ' ' || line[n - 1 - digits] == '\t');
}

/* Parses "12" or "11.67", which is 12. */
static bool parse_count(const char *text, uint64_t *out)
{
	uint64_t decimals;

	if (!et_reader_digits(&text, 10, out))
		return false;
	if (text[0] == '.') {
		bool up = text[1] >= '5';
		text++;
		if (!et_reader_digits(&text, 10, &decimals) ||
			__builtin_add_overflow(*out, (uint64_t)up, out))
			return false;
	}
	return !*text;
}

/* Cuts the suffix off the name. */
static enum et_space_kind space_of(char *name, const char **module)
{
	size_t n = strlen(name);
	char kind = n > 4 && name[n - 4] == '_' && name[n - 3] == '[' && name[n - 1] == ']'
			    ? name[n - 2]
			    : '\0';

	if (kind && strchr("kji", kind))
		name[n - 4] = '\0';
	*module = kind == 'k' ? "[kernel]" : kind == 'j' ? "[jit]" : NULL;
	if (!strcmp(name, "[unknown]"))
		return ET_SPACE_UNKNOWN;
	return kind == 'k' ? ET_SPACE_KERNEL : kind == 'j' ? ET_SPACE_JIT : ET_SPACE_USER;
}

static int read_line(struct et_reader *r, char *line)
{
	char *text = find_count(line);
	uint64_t count;
	uint32_t node = ET_PROFILE_ROOT;
	size_t depth = 0;

	if (!text || !parse_count(text, &count))
		return et_reader_fail(r,
			"write each line as 'main;work;sin 12', for one run per file",
			"the line ends with '%.40s', not with a number of samples",
			text ? text : line);
	text[-1] = '\0';
	for (char *name; !r->rc && (name = strsep(&line, ";"));) {
		const char *module;
		enum et_space_kind space = space_of(name, &module);

		if (++depth > ET_READER_DEEPEST)
			return et_reader_fail(
				r, NULL, "the stack has more than %d functions", ET_READER_DEEPEST);
		node = et_reader_node(r, node, et_reader_function(r, name, module, space));
	}
	et_reader_add(r, node, count, 0);
	return r->rc;
}

int et_read_folded(struct et_reader *r)
{
	char *line;

	et_reader_event(r, "samples");
	while (et_reader_line(r, &line) > 0) {
		line += strspn(line, " \t");
		/* A method of JavaScript may begin with '#': a stack with a count is no comment. */
		if (*line && (line[0] != '#' || et_is_folded(line)))
			read_line(r, line);
	}
	return et_reader_end_run(r);
}
