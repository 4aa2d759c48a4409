/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The output of build commands, as errors quote it. */
#include "base/alloc.h"
#include "build/build.h"

#include <string.h>

/* Keeps as many of the last lines as an error can quote. */
void et_doe_output_last(FILE *output, char *buf, size_t size)
{
	long end = fseek(output, 0, SEEK_END) ? 0 : ftell(output);
	long from = end > (long)size - 1 ? end - (long)size + 1 : 0;

	size_t n = fseek(output, from, SEEK_SET) ? 0 : fread(buf, 1, size - 1, output);
	buf[n] = '\0';
	for (size_t i = 0; i < n; i++) {
		if (!buf[i])
			buf[i] = ' ';
	}
	char *line = from ? strchr(buf, '\n') : NULL;
	if (line && line[1])
		memmove(buf, line + 1, strlen(line + 1) + 1);
}

/* The first line with an error, which the last lines of a long output do not show; or NULL. */
static char *first_error(FILE *output, const char *shown)
{
	ET_AUTO_FREE char *line = NULL;
	size_t size = 0;

	rewind(output);
	while (getline(&line, &size, output) > 0) {
		line[strcspn(line, "\n")] = '\0';
		if (!strstr(line, "error") && !strstr(line, "Error"))
			continue;
		return strstr(shown, line) ? NULL : et_asprintf("%.160s\n…\n", line);
	}
	return NULL;
}

/* The lines that explain a failure, as many as an error can quote. */
void et_doe_output_failure(FILE *output, char *lines, size_t size)
{
	ET_AUTO_FREE char *first = first_error(output, lines);

	if (!first)
		return;
	ET_AUTO_FREE char *last = et_strdup(lines);
	size_t room = size - strlen(first) - 1,
	       from = strlen(last) > room ? strlen(last) - room : 0;
	const char *begin = from ? strchr(last + from, '\n') : last;
	snprintf(lines, size, "%s%s", first, begin ? begin + (from > 0) : "");
}
