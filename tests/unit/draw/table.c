/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A table on pages of any width, and as CSV, JSON and HTML. */
#include "draw/table.h"
#include "tap.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>

static char *text;
static size_t size;

static const char *whole(double x, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.0f", x);
	return buf;
}

/* Prints a table on a page of that width into text. */
static void print(struct et_table *t, int width, bool color)
{
	FILE *out = open_memstream(&text, &size);
	struct et_page page = { .out = out, .width = width, .color = color };

	et_table_print(t, &page);
	fclose(out);
}

#define PRINTS(table, width, expected, name)                                                       \
	do {                                                                                       \
		struct et_table made = table;                                                      \
		print(&made, width, false);                                                        \
		is_str(text, expected, name);                                                      \
		free(text);                                                                        \
	} while (0)

static struct et_table figures(void)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "of"),
		ET_COLUMN(FIGURE, "mean"), ET_COLUMN(NUMBER, "runs", .drop = 2),
		ET_COLUMN(TEXT, "why", .drop = 1) };
	struct et_table t = { ET_COLUMNS(columns) };

	et_table_name(&t, "a", "31");
	et_table_measured(&t, 1.5, 0.1, NULL);
	et_table_add(&t, "%d\t%s", 7, "slow");
	et_table_note(&t, 2, "  note", NULL, "about a");
	et_table_name(&t, "a\033b", NULL);
	et_table_measured(&t, 12, 1, NULL);
	et_table_add(&t, "1000\t");
	return t;
}

static void test_widths(void)
{
	PRINTS(figures(), 40,
		"of   mean         runs  why\n"
		"a    1.50 ± 0.10     7  slow\n"
		"  note about a\n"
		"a␛b  12.0 ± 1.0   1000\n",
		"a table that fits has all columns; figures meet at their sign, control "
		"characters do nothing");
}

/* Columns that do not fit continue below. */
static struct et_table parts(size_t n)
{
	static struct et_table_column columns[40];
	struct et_table t = { .columns = columns, .n_columns = n, .split = true };

	for (size_t k = 0; k < n; k++)
		columns[k] = (struct et_table_column)ET_COLUMN(NUMBER, "head");
	columns[0] = (struct et_table_column)ET_COLUMN(NAME, "of");
	et_table_name(&t, "ab", NULL);
	for (size_t k = 1; k < n; k++)
		et_table_add(&t, "%zu", k);
	return t;
}

static void test_parts(void)
{
	PRINTS(parts(3), 14, "of  head  head\nab     1     2\n",
		"a table that just fits is one part");
	PRINTS(parts(3), 12, "of head head\nab    1    2\n",
		"columns of a table that is a little too wide are nearer to each other");
	PRINTS(parts(3), 11, "of  head\nab     1\n\nof  head\nab     2\n",
		"a table that is too wide continues below, with its first column");
	PRINTS(parts(2), 5, "of  head\nab     1\n", "one column is printed on any page");
	struct et_table many = parts(40);
	print(&many, 80, false);
	ok(strstr(text, " 39\n") != NULL, "a table of 40 columns has all of them");
	free(text);
}

/* Two pairs of columns with a heading over each. */
static struct et_table groups(void)
{
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_TEXT, "of");
	for (int k = 0; k < 4; k++) {
		et_table_column(&t, ET_TABLE_NUMBER, "e");
		t.own[1 + k].over = k < 2 ? "short" : "a long one";
	}
	et_table_add(&t, "ab\t1\t2\t3\t4");
	return t;
}

static void test_groups(void)
{
	PRINTS(groups(), 30,
		"    short  a long one\n"
		"of  e   e  e        e\n"
		"ab  1   2  3        4\n",
		"a heading over several columns is at their right end, and they are as wide");
	PRINTS(groups(), 14,
		"    short\n"
		"of  e   e\n"
		"ab  1   2\n"
		"\n"
		"    a long one\n"
		"of  e        e\n"
		"ab  3        4\n",
		"columns with one heading are not separated");
}

static struct et_table names(enum et_table_kind kind, int names_first)
{
	static struct et_table_column columns[2];
	struct et_table t = { ET_COLUMNS(columns), .names_first = names_first };

	columns[0] = (struct et_table_column){ .title = "name", .kind = kind };
	columns[1] = (struct et_table_column)ET_COLUMN(FIGURE, "runs", .drop = 2, .brief = 1);
	et_table_name(&t, "a long program -O2", NULL);
	et_table_text(&t, "7", " of 8 (daemons)", NULL);
	et_table_name(&t, "a long program -O3", NULL);
	et_table_add(&t, "8");
	return t;
}

static void test_names(void)
{
	PRINTS(names(ET_TABLE_NAME, 0), 31,
		"name           runs\n"
		"a long…am -O2  7 of 8 (daemons)\n"
		"a long…am -O3  8\n",
		"names are shortened before a column is");
	PRINTS(names(ET_TABLE_NAME, 1), 31,
		"name                runs\n"
		"a long program -O2  7 of 8\n"
		"a long program -O3  8\n",
		"if names come first, what is in parentheses is omitted for them");
	PRINTS(names(ET_TABLE_COMMAND, 0), 15, "name\na long prog…-O2\na long prog…-O3\n",
		"of commands the part in which they differ is kept");
	struct et_table t = names(ET_TABLE_NAME, 0);
	print(&t, 15, false);
	ok(t.shortened == 2 && t.omitted == 2, "the table knows what it omitted");
	free(text);
}

static struct et_table values(void)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "of", .key = "of"),
		ET_COLUMN(NUMBER, NULL, .key = "hidden"),
		ET_COLUMN(NUMBER, "mean", .key = "mean_ms", .format = whole) };
	struct et_table t = { ET_COLUMNS(columns), .number = "IV", .caption = strdup("means"),
		.once = true };

	for (int i = 0; i < 2; i++) {
		et_table_name(&t, "a,b", NULL);
		et_table_add(&t, "x%d", i);
		et_table_number(&t, i ? NAN : 1.25);
	}
	return t;
}

static void test_formats(void)
{
	struct et_table t = values();
	struct et_json w;
	FILE *out;

	PRINTS(values(), 40, "Table IV: means\nof   mean\na,b     1\n        –\n",
		"a name that is the one above is not repeated; a hidden column is not printed");
	out = open_memstream(&text, &size);
	et_table_csv(&t, out);
	fclose(out);
	is_str(text, "table,of,hidden,mean_ms\nIV,\"a,b\",x0,1.25\nIV,\"a,b\",x1,\n",
		"CSV has all columns with a key, and all digits");
	free(text);
	out = open_memstream(&text, &size);
	t = values();
	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_table_json(&t, &w);
	et_json_end(&w);
	fclose(out);
	ok(strstr(text, "\"hidden\": \"x1\"") && strstr(text, "\"mean_ms\": null"),
		"JSON has the same");
	free(text);
}

int main(void)
{
	setlocale(LC_CTYPE, "C.UTF-8");
	test_widths();
	test_parts();
	test_groups();
	test_names();
	test_formats();
	return tap_done();
}
