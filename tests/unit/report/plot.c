/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves in a terminal: if one hides another, the legend shows it. */
#include "report/plot.h"
#include "tap.h"

#include <locale.h>
#include <stdlib.h>

static char *text;
static size_t size;

static void print(const struct et_curve *curves, size_t n)
{
	static const double x[] = { 1, 10, 100 };
	free(text);
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = 60 };

	et_plot_shares(x, 3, curves, n, "runs", &page);
	fclose(out);
}

/* How often a mark occurs in the plot, which ends with the axis. */
static int marks(char mark)
{
	int n = 0;

	for (const char *c = text; *c && strncmp(c, "└", 3); c++)
		n += *c == mark;
	return n;
}

int main(void)
{
	static const double low[] = { 0.1, 0.2, 0.3 }, high[] = { 0.6, 0.7, 0.8 };
	static const double nearly[] = { 0.101, 0.201, 0.301 }, crossing[] = { 0.6, 0.45, 0.1 };
	static const double short_of_one[] = { 0.1, 0.2, NAN }, none[] = { NAN, NAN, NAN };
	const struct et_curve all[] = { { "low", 'l', low }, { "high", 'h', high },
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
	free(text);
	return tap_done();
}
