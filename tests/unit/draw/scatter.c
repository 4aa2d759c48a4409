/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The scatter plot: positions of dots, omitted points, width. */
#include "draw/chart.h"
#include "tap.h"

#include <stdlib.h>

/* Points between lo and hi, each with a letter; '\0': a dot. */
struct points {
	const double *x, *y;
	const char *marks; /* or NULL */
	size_t n;
	double lo, hi;
	const char *x_label, *y_label;
};

/* Inlined, GCC 12 warns that the text points to a variable. */
__attribute__((noinline)) static char *draw(const struct points *s, int width, bool color)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 80, .color = color };

	struct et_chart c = { .x.label = s->x_label, .y.label = s->y_label };
	for (size_t i = 0; i < s->n; i++) {
		struct et_curve *k = et_chart_curve(&c, ET_SVG_POINTS, ET_SVG_BLUE, NULL);
		k->mark = s->marks ? s->marks[i] : '\0';
		et_curve_add(k, s->x[i], s->y[i]);
	}
	et_chart_scatter(&c, s->lo, s->hi, &page, 2, width);
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

/* The texts of the two ends differ for all ends. */
static void check_ends(void)
{
	static const double widths[] = { 1, 7, 13e3, 13e6, 0.5e9, 35e9, 3600e9 };
	size_t equal = 0;

	for (double lo = 0; lo < 1e14; lo = lo * 3.7 + 1) {
		for (size_t i = 0; i < sizeof(widths) / sizeof(*widths); i++) {
			const double x[] = { lo };
			struct points s = {
				.x = x, .y = x, .n = 1, .lo = lo, .hi = lo + widths[i]
			};
			char *text = draw(&s, 60, false), top[40] = "", bottom[40] = "";
			const char *low = strstr(strstr(text, " ┤") + 1, " ┤");
			/* Both have the form "number unit ┤". */
			sscanf(text, " %39[^\342]", top);
			while (*low != '\n')
				low--;
			sscanf(low, " %39[^\342]", bottom);
			equal += !*top || !*bottom || !strcmp(top, bottom);
			free(text);
		}
	}
	ok(equal == 0, "the two ends of an axis never have the same text: %zu do", equal);
}

int main(void)
{
	const double x[] = { 0, 1e9, 0, 1e9, NAN, 5e9, -1 };
	const double y[] = { 0, 0, 1e9, 1e9, 0, 0, 0 };
	const char marks[] = { 0, 'a', 0, 0, 'a', 'b', 'b' };
	struct points s = { .x = x, .y = y, .n = 7, .lo = 0, .hi = 1e9 };
	char *text = draw(&s, 30, false);
	size_t lines = count(text, "\n"), widest = 0;

	ok(count(text, "⠁") == 1 && count(text, "⠈") == 1 && count(text, "⡀") == 1 &&
			count(text, "⢀") == 1,
		"there is one dot in each corner, and none for points outside");
	ok(strstr(text, " 1.00 s ┤⠁") != NULL, "the upper end is at the top");
	ok(strstr(text, " 0.00 s ┤⡀") != NULL, "the lower end is at the bottom");
	char *copy = strdup(text);
	for (char *line = strtok(copy, "\n"); line; line = strtok(NULL, "\n"))
		widest = (size_t)et_columns(line) > widest ? (size_t)et_columns(line) : widest;
	free(copy);
	ok(widest <= 32 && lines == (30 - 8) / 2 + 2, "the plot fits: %zu columns, %zu lines",
		widest, lines);
	free(text);

	s.marks = marks;
	s.x_label = "the x";
	s.y_label = "the y";
	text = draw(&s, 30, false);
	ok(count(text, "a") == 1 && !strstr(text, "b") && !strstr(text, "⢀"),
		"a mark replaces the dots of its cell, and a point outside has none");
	ok(strstr(text, "  the y\n") == text && strstr(text, "         the x\n") != NULL,
		"the names of the axes are above and below the plot");
	free(text);
	text = draw(&s, 30, true);
	ok(count(text, "\033[33ma\033[0m") == 1 && count(text, "\033") == 2,
		"a mark is highlighted in colour");
	free(text);
	const double twice[] = { 5e8, 5e8, 5e8 };
	struct points met = { .x = twice, .y = twice, .marks = "aab", .n = 2, .lo = 0, .hi = 1e9 };
	text = draw(&met, 30, false);
	ok(count(text, "a") == 1 && !strstr(text, "*"), "two points with one mark show it");
	free(text);
	met.n = 3;
	text = draw(&met, 30, false);
	ok(count(text, "*") == 1 && !strstr(text, "a"), "points with different marks meet in a *");
	free(text);
	check_ends();

	text = draw(&s, 12, false);
	is_str(text, "", "nothing is drawn if the width is too small");
	free(text);
	s.n = 0;
	text = draw(&s, 30, false);
	is_str(text, "", "nothing is drawn without points");
	free(text);
	return tap_done();
}
