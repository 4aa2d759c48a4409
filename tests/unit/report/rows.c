/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables that fit and that do not, with a line between their rows that is not a row. */
#include "report/rows.h"
#include "tap.h"

#include <locale.h>
#include <stdlib.h>

static char *text;
static size_t size;

/* Prints a small table on a page of that width into text. */
static void print(int width, bool color)
{
	struct et_rows rows;
	FILE *out = open_memstream(&text, &size);
	struct et_page given = { .out = out, .width = width, .color = color };
	const struct et_page *page = et_rows_begin(&rows, &given);

	fprintf(page->out, "%-4s", "of");
	et_cell(page, 6, "mean");
	et_right(page, 4, "±");
	et_cell(page, 6, "least");
	fprintf(page->out, "\nab  ");
	et_cell(page, 6, color ? "\033[31m1.5 µs\033[0m" : "1.5 µs");
	et_right(page, 4, "–");
	et_cell(page, 6, "1 µs");
	fprintf(page->out, "\ncd is away\nef  ");
	et_cell(page, 6, "12 s");
	fprintf(page->out, "    \n");
	et_rows_end(&rows);
	fclose(out);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	print(20, false);
	is_str(text,
		"of    mean   ± least\n"
		"ab  1.5 µs   –  1 µs\n"
		"cd is away\n"
		"ef    12 s\n",
		"a table that just fits is printed without trailing spaces");
	free(text);
	print(19, false);
	is_str(text,
		"of    mean   ±\n"
		"ab  1.5 µs   –\n"
		"cd is away\n"
		"ef    12 s\n"
		"\n"
		"of   least\n"
		"ab    1 µs\n"
		"ef\n",
		"a table that is too wide continues below, with its first column");
	free(text);
	print(5, false);
	ok(strstr(text, "of    mean   ±\n") && strstr(text, "\nof   least\n"),
		"at least one column is printed on any page");
	free(text);
	print(20, true);
	ok(strstr(text, "ab  \033[31m1.5 µs\033[0m   –  1 µs\n") != NULL, "colours have no width");
	free(text);
	return tap_done();
}
