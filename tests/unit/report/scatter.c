/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scatter plot: positions of dots, omitted points, width. */
#include "report/scatter.h"
#include "tap.h"

#include <stdlib.h>

static char *draw(const struct et_scatter *s, int width, bool color)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80, .color = color };

	et_scatter_draw(s, &page, 2, width);
	fclose(out);
	return text;
}

static size_t count(const char *text, const char *what)
{
	size_t n = 0;

	for (const char *p = text; (p = strstr(p, what)); p += strlen(what))
		n++;
	return n;
}

int main(void)
{
	const double x[] = { 0, 1e9, 0, 1e9, NAN, 5e9, -1 };
	const double y[] = { 0, 0, 1e9, 1e9, 0, 0, 0 };
	const bool marked[] = { false, true, false, false, true, true, true };
	struct et_scatter s = { .x = x, .y = y, .marked = marked, .n = 7, .lo = 0, .hi = 1e9 };
	char *text = draw(&s, 30, false);
	size_t lines = count(text, "\n"), widest = 0;

	ok(count(text, "⠁") == 1 && count(text, "⠈") == 1 && count(text, "⡀") == 1 &&
			count(text, "⢀") == 1,
		"there is one dot in each corner, and none for points outside");
	ok(strstr(text, "1.000 s ┤⠁") != NULL, "the upper end is at the top");
	ok(strstr(text, "0 ns ┤⡀") != NULL, "the lower end is at the bottom");
	char *copy = strdup(text);
	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		widest = (size_t)et_columns(line) > widest ? (size_t)et_columns(line) : widest;
	free(copy);
	ok(widest <= 32 && lines == (30 - 9) / 2 + 2, "the plot fits: %zu columns, %zu lines",
		widest, lines);
	free(text);

	text = draw(&s, 30, true);
	ok(count(text, "\033[33m") == 1, "a marked point is highlighted");
	free(text);
	text = draw(&s, 12, false);
	is_str(text, "", "nothing is drawn if the width is too small");
	free(text);
	s.n = 0;
	text = draw(&s, 30, false);
	is_str(text, "", "nothing is drawn without points");
	free(text);
	return tap_done();
}
