/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Series from streams: valid ones are read whole, the others are refused with the line. */
#include "store/import/series.h"
#include "tap.h"

#include <time.h>

static struct et_error err;
static struct et_series_set set;

static int read_bytes(const char *data, size_t size, const char *column)
{
	struct et_series_options o = { .name = "FILE", .column = column };
	/* fmemopen refuses a size of 0. */
	ET_AUTO_FCLOSE FILE *f = size ? fmemopen((void *)data, size, "r") : fopen("/dev/null", "r");

	et_series_set_free(&set);
	memset(&set, 0, sizeof(set));
	memset(&err, 0, sizeof(err));
	return et_series_read(f, &o, &set, &err);
}

static int read_text(const char *text, const char *column)
{
	return read_bytes(text, strlen(text), column);
}

static int line_of(const char *text)
{
	return (int)strcspn(text, "\r\n\033");
}

/* Checks that the text is one series of n numbers, by the first and the last of them. */
static void reads(const char *text, const char *column, size_t n, double first, double last)
{
	int rc = read_text(text, column);

	if (!ok(rc == 0 && set.n == 1 && set.list[0].n == n,
		    "series: %zu numbers are read from '%.*s…'", n, line_of(text), text)) {
		printf("# %s\n", err.what);
		return;
	}
	ok(set.list[0].values[0] == first && set.list[0].values[n - 1] == last,
		"series: the numbers of '%.*s…' are right", line_of(text), text);
}

static void refuses(const char *text, const char *column, const char *what)
{
	int rc = read_text(text, column);

	if (!ok(rc < 0 && err.exit == ET_EXIT_USAGE && !strncmp(err.what, "FILE: ", 6) &&
			    strstr(err.what, what),
		    "series: '%.*s…' is refused: %s", line_of(text), text, what))
		printf("# %d %s\n", rc, err.what);
}

static void numbers(void)
{
	reads("1\n2.5\n-3e2\n", NULL, 3, 1, -300);
	reads("1\n2", NULL, 2, 1, 2);
	reads("\xef\xbb\xbf"
	      "1\r\n2\r\n",
		NULL, 2, 1, 2);
	reads("# a comment, \"quoted\n\n  7 \n\t# another\n 8\t\n\n", NULL, 2, 7, 8);
	reads("0e-400\n4.9e-324\n", NULL, 2, 0, 4.9e-324);
	reads(".5\n+1\n", NULL, 2, 0.5, 1);
	refuses("", NULL, "no numbers");
	refuses("\n \n# only\n", NULL, "no numbers");
	refuses("1\nhello\n3\n", NULL, "line 2: 'hello' is not a number");
	refuses("hello\n1\n", NULL, "line 1: 'hello' is not a number");
	refuses("1\nnan\n", NULL, "line 2: 'nan' is not finite");
	refuses("1\n-inf\n", NULL, "line 2: '-inf' is not finite");
	refuses("1\n2\n1e400\n", NULL, "line 3: '1e400' is out of range");
	refuses("1\n1e-400\n", NULL, "line 2: '1e-400' is out of range");
	refuses("0x10\n", NULL, "line 1: '0x10' is not a number");
	refuses("1,5\n", NULL, "line 1: '1,5' is not a number");
	ok(strstr(err.hint, "--column"), "series: the error about '1,5' has a hint about --column");
	ok(strstr(err.hint, "decimal point"), "series: the hint says how decimals are written");
	refuses("1 2\n", NULL, "line 1");
	refuses("1\n\033[31m\n", NULL, "?[31m");
	ok(read_bytes("1\n2\0\n3\n", 7, NULL) < 0 && strstr(err.what, "line 2 holds a NUL"),
		"series: a NUL byte is refused");
}

static void lines(void)
{
	size_t size = 3 * ET_SERIES_LONGEST_LINE;
	char *data = malloc(size);

	memset(data, '1', size);
	ok(read_bytes(data, size, NULL) < 0 && strstr(err.what, "line 1 is longer than 1024 KiB"),
		"series: a line of 3 MiB is refused");
	memset(data, ' ', size);
	memcpy(data, "1\n", 2);
	ok(read_bytes(data, size, NULL) < 0 && strstr(err.what, "line 2 is longer"),
		"series: a line of blanks is limited as well");
	/* Quotes that never close must not cost time in the square of the length. */
	for (size_t i = 0; i < size; i++)
		data[i] = i % 2 ? '\n' : '1';
	memcpy(data, "\"", 1);
	clock_t begin = clock();
	ok(read_bytes(data, size, "1") < 0 && strstr(err.what, "longer"),
		"series: a quote that is never closed is refused");
	ok(clock() - begin < 5 * CLOCKS_PER_SEC,
		"series: the time for an open quote is linear in the length");
	free(data);
}

static void columns(void)
{
	static const char table[] = "name,time_ns,\"x, \"\"y\"\"\"\n"
				    "a,10,1\n\"b,\n\"\"c\",20,2\n# skipped\n\nd,30,\"3\"\n";

	reads(table, "time_ns", 3, 10, 30);
	ok(set.list[0].unit == ET_UNIT_NS, "series: the unit of a column is found by its name");
	is_str(set.list[0].name, "FILE", "series: a column has the name of its file");
	reads(table, "x, \"y\"", 3, 1, 3);
	reads(table, "3", 3, 1, 3);
	reads("a;1\r\nb;2\r\n", "2", 2, 1, 2);
	reads("1\t2\n3\t4\n", "2", 2, 2, 4);
	reads("1\n2\n3\n", "1", 3, 1, 3);
	refuses(table, "nosuch", "there is no column 'nosuch'");
	ok(strstr(err.hint, "time_ns"), "series: the hint lists the columns");
	refuses(table, "4", "there is no column '4'");
	refuses(table, "0", "there is no column '0'");
	refuses("a,b\n1,2\n3\n", "b", "line 3 has only 1 columns");
	refuses("a,b\n1,2\n3,\n", "b", "line 3: '' is empty");
	refuses("a,b\n1,2\n\"3,4\n", "b", "line 3: a quote is not closed");
	refuses("a,b\n1,2\n\"x\ny\",q\n", "b", "line 3: 'q'");
	refuses("", "b", "no numbers");
}

static void records(void)
{
	static const char hyperfine[] =
		"{\"results\": [{\"command\": \"a\", \"times\": [0.1, 0.20000000004]},"
		" {\"command\": \"b\", \"times\": [1, 2, 3]}]}";

	ok(read_text(hyperfine, NULL) == 0 && set.n == 2,
		"series: hyperfine's record is two series");
	is_str(set.list[1].name, "b", "series: hyperfine's commands are the names");
	ok(set.list[0].unit == ET_UNIT_S && set.list[0].values[1] == 0.20000000004,
		"series: hyperfine's seconds are not rounded");
	refuses(hyperfine, "times", "--column is for CSV");
	refuses("{\"results\": [{\"command\": \"a\", \"times\": [1, \"x\"]}]}", NULL,
		"results[0].times[1]: is not a number");
	refuses("{\"results\": [{\"command\": \"a\"}]}", NULL, "no times");
	refuses("{\"results\": []}", NULL, "no numbers");
	refuses("{\"x\": 1}", NULL, "no JSON of etalon, hyperfine or Google");
	refuses("[1, 2]", NULL, "no JSON of etalon, hyperfine or Google");
	refuses("{", NULL, "line 1");
	ok(read_text("command,round,et_ns,pt_ns,warmup\na,0,9,9,true\na,1,10,5,false\n"
		     "b,1,20,15,false\na,2,11,6,false\n",
		   NULL) == 0 &&
			set.n == 2,
		"series: etalon's CSV is two series");
	ok(set.list[0].n == 2 && set.list[0].values[1] == 6 && set.list[0].unit == ET_UNIT_NS,
		"series: etalon's CSV gives CPU times without warm-up");
}

/* A million numbers are read in bounded time, and only the numbers stay in memory. */
static void many(void)
{
	ET_AUTO_FCLOSE FILE *f = tmpfile();
	struct et_series_options o = { .name = "FILE" };

	for (int i = 0; i < 1000000; i++)
		fprintf(f, "0.%09d\n", i);
	rewind(f);
	et_series_set_free(&set);
	memset(&set, 0, sizeof(set));
	ok(et_series_read(f, &o, &set, &err) == 0 && set.list[0].n == 1000000,
		"series: a million numbers are read");
	ok(set.list[0].values[999999] == 0.000999999, "series: the millionth number is right");
	ok(set.list[0].cap <= 2 * set.list[0].n, "series: memory is proportional to the numbers");
}

int main(void)
{
	numbers();
	lines();
	columns();
	records();
	many();
	et_series_set_free(&set);
	return tap_done();
}
