/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves in a terminal: if one hides another, the legend shows it. */
#include "draw/chart.h"
#include "tap.h"

#include <locale.h>
#include <stdlib.h>

static char *text;
static size_t size;

/* A curve over 1, 10, 100 (and 1000, if n is 4). */
struct values {
	const char *name;
	char mark;
	const double *y;
};

static void draw(struct et_chart *c, const struct values *curves, size_t n_curves, int n)
{
	static const double x[] = { 1, 10, 100, 1000 };
	free(text);
	text = NULL;
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 60 };

	for (size_t k = 0; k < n_curves; k++) {
		struct et_curve *curve =
			et_chart_curve(c, ET_SVG_CURVE, ET_SVG_BLUE, curves[k].name);
		curve->mark = curves[k].mark;
		for (int i = 0; i < n; i++)
			et_curve_add(curve, x[i], curves[k].y[i]);
	}
	et_chart_print(c, &page);
	fclose(out);
}

static void print(const struct values *curves, size_t n)
{
	struct et_chart c = { .text = { ET_TEXT_SHARES, 1, "runs" } };

	draw(&c, curves, n, 3);
}

/* How often a mark occurs in the plot, which ends with the axis. */
static int marks(char mark)
{
	int n = 0;

	for (const char *c = text; *c && strncmp(c, "└", 3); c++)
		n += *c == mark;
	return n;
}

static void print_log(const struct values *curves, size_t n, enum et_axis_unit unit)
{
	struct et_chart c = { .y.unit = unit, .text = { ET_TEXT_LOG, 1, "seconds" } };

	draw(&c, curves, n, 3);
}

/* The row of the plot, from 0 at the top, that begins with the label; -1: there is none. */
static int row_of(const char *label)
{
	int row = 0;

	for (const char *line = text; line; line = strchr(line, '\n'), row++) {
		line += *line == '\n';
		const char *end = strstr(line, " │"), *at = strstr(line, label);
		if (at && at < end && at + strlen(label) == end)
			return row;
	}
	return -1;
}

static void log_axes(void)
{
	static const double sds[] = { 2e6, 3e8, 4e5 }, steady[] = { 1e6, 1e6, 1e6 };
	static const double shares[] = { 0.00002, 0.0004, NAN }, zero[] = { 0, NAN, 0 };
	const struct values some[] = { { "v1", '1', sds }, { "v2", '2', steady } };
	const struct values twins[] = { { "v1", '1', sds }, { "v2", '2', sds } };
	const struct values small[] = { { "v1", 'x', shares }, { "v2", 'y', zero } };

	print_log(some, 2, ET_AXIS_NS);
	ok(row_of("1 s") == 0 && row_of("100 ms") == 3 && row_of("1 ms") == 8 &&
			row_of("100 µs") == 10,
		"log: decades from 100 µs to 1 s are labelled at their rows");
	ok(strstr(text, "\n           1 v1, 2 v2\n"), "log: the legend is one line");
	print_log(twins, 2, ET_AXIS_NS);
	ok(strstr(text, "2 v2: same as 1, # several curves"),
		"log: the legend shows which curve hides another");
	print_log(small, 2, ET_AXIS_SHARE);
	ok(row_of("0.1 %") == 0 && row_of("0.01 %") == 5 && row_of("0.001 %") == 10,
		"log: shares are labelled in percent");
	ok(marks('x') == 2 && marks('y') == 2 && !strstr(text, "nan"),
		"log: 0 is drawn at the lower end, and NaN is omitted");
	print_log(&small[1], 1, ET_AXIS_SHARE);
	ok(!size, "log: nothing is drawn without a value above 0");
}

/* The axis of signs: row 0 is +1000 %, row 6 is 0, row 10 is -100 %. */
static void signed_errors(void)
{
	static const double errors[] = { 20, 0, -0.1, -3 }, spread[] = { 1, 1, 1, 1 };
	const struct values curves[] = { { "load 1", 'a', errors }, { NULL, '\0', spread } };
	struct et_chart chart = { .text = { ET_TEXT_SIGNED, 1, "ms" } };

	draw(&chart, curves, 2, 4);
	ok(row_of("+1000 %") == 0 && row_of("+10 %") == 4 && row_of(" 0 %") == 6 &&
			row_of("-100 %") == 10,
		"signed: the decades of both signs are labelled at their rows");
	static const int want[] = { 0, 6, 8, 10 };
	int row = 0, found = 0;
	for (const char *c = text; *c && strncmp(c, "└", 3); c++) {
		if (*c == 'a' && found < 4)
			ok(row == want[found++], "signed: a mark in row %d", row);
		row += *c == '\n';
	}
	ok(found == 4, "signed: errors beyond the scale are drawn at its edges");
	ok(strstr(text, "a load 1") && !strstr(text, "null"),
		"signed: a curve without a label is not in the legend");
}

int main(void)
{
	static const double low[] = { 0.1, 0.2, 0.3 }, high[] = { 0.6, 0.7, 0.8 };
	static const double nearly[] = { 0.101, 0.201, 0.301 }, crossing[] = { 0.6, 0.45, 0.1 };
	static const double short_of_one[] = { 0.1, 0.2, NAN }, none[] = { NAN, NAN, NAN };
	const struct values all[] = { { "low", 'l', low }, { "high", 'h', high },
		{ "nearly low", 'n', nearly }, { "crossing", 'c', crossing },
		{ "short", 's', short_of_one }, { "none", '0', none } };

	setlocale(LC_CTYPE, "C.UTF-8");
	print(all, 2);
	ok(marks('l') == 3 && marks('h') == 3 && !marks('#'),
		"curves that do not meet have their own marks");
	ok(strstr(text, "\n        h high\n") && !strchr(text, '#'),
		"the legend of curves that do not meet has no note");
	print(all, 6);
	ok(!marks('n') && !marks('l') && marks('#') == 4,
		"points of several curves have a common mark (%d)", marks('#'));
	ok(strstr(text, "\n        n nearly low: same as l\n") != NULL,
		"the legend shows which curve hides another");
	ok(strstr(text, "\n        c crossing\n") != NULL,
		"a curve that only crosses others is not hidden");
	ok(strstr(text, "\n        s short\n") && strstr(text, "\n        0 none\n"),
		"a curve that ends earlier, or has no point, is not hidden");
	ok(strstr(text, "\n        # several curves\n") != NULL,
		"the legend explains the common mark");
	log_axes();
	signed_errors();
	free(text);
	return tap_done();
}
