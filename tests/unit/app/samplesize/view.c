/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many runs are enough, as text, matrix, CSV and JSON: the figures of one series in each. */
#include "app/samplesize/view.h"
#include "base/base.h"
#include "tap.h"

#include <jansson.h>

/* A series of 40 values with parts of 20 and 10, which are enough. */
static struct et_sized sized(const char *name)
{
	struct et_sized s = { .name = name, .unit = ET_UNIT_NS, .first_check = true, .n = 1 };
	struct et_samplesize *z = &s.by[0].size;

	s.by[0].metric = &et_metrics[ET_METRIC_CPU];
	*z = (struct et_samplesize){ .n = 40,
		.mean = 5e6,
		.sd = 1e5,
		.n_sizes = 3,
		.recommended = 10,
		.why = "they do",
		.level = 0.95,
		.inflation = 1,
		.n_widths = 2 };
	z->sizes[0] = (struct et_size){ 40, { 2, 1 }, 5e6, 1e5, 1, 0, 0.075, NAN, true };
	z->sizes[1] = (struct et_size){ 20, { 1, 0 }, 5.1e6, 1.1e5, 2, 0.1, 0.05, 0.5, true };
	z->sizes[2] = (struct et_size){ 10, { 0, 0 }, 5.2e6, 1.2e5, 4, 0.2, 0, 0.4, true };
	z->widths[0].relative_width = 0.01;
	z->widths[0].n = z->widths[0].independent = 63;
	z->widths[1].relative_width = 0.001;
	z->widths[1].n = z->widths[1].independent = INFINITY;
	return s;
}

static char *printed;

static FILE *begin(void)
{
	static size_t size;

	free(printed);
	printed = NULL;
	return open_memstream(&printed, &size);
}

static void text(void)
{
	struct et_sized s = sized("a name");
	struct et_page page = { .out = begin(), .width = 100 };
	char buf[64];

	et_samplesize_text(&s, &page);
	fclose(page.out);
	ok(strstr(printed, "3 (=2+1)") && strstr(printed, "1 (=1+0)"),
		"text: outliers are the sum of both checks");
	ok(strstr(printed, "10 runs: they do"), "text: the recommended number has its reason");
	const char *ten = strstr(printed, "\n     10 ");
	ok(ten && strstr(ten, "enough") && strchr(ten + 1, '\n') > strstr(ten, "enough"),
		"text: its row is marked");
	ok(strstr(printed, ": 63 runs") && strstr(printed, ": no number of runs is enough"),
		"text: the runs for each width");
	is_str(et_format_outliers((struct et_check_counts){ 15, 1 }, true, buf), "16 (=15+1)",
		"outliers: as the papers print them");
	is_str(et_format_outliers((struct et_check_counts){ 0, 1 }, false, buf), "1",
		"outliers: without a first check");
	is_str(et_format_outliers((struct et_check_counts){ 0, 0 }, true, buf), "0",
		"outliers: none");
	s.by[0].size.inflation = 2;
	s.by[0].size.widths[0].independent = 32;
	page.out = begin();
	et_samplesize_text(&s, &page);
	fclose(page.out);
	ok(strstr(printed, ": 63 runs (32 if independent)") && strstr(printed, "20"),
		"text: dependent runs need more, and a warning says so");
}

static void matrix(void)
{
	struct et_sized list[] = { sized("first"), sized("second"), sized("third") };
	struct et_page page = { .out = begin(), .width = 100 };

	list[1].by[0].size.recommended = 20;
	list[2].by[0].size.sizes[0].n = 50;
	list[2].by[0].metric = &et_metrics[ET_METRIC_ELAPSED];
	et_samplesize_matrix(list, 3, &page);
	fclose(page.out);
	ok(strstr(printed, "outliers (check I and check II), CPU time") &&
			strstr(printed, "outliers (check I and check II), elapsed time") &&
			strstr(printed, "sd without outliers, CPU time"),
		"matrix: a table per figure and metric");
	ok(strstr(printed, "second: 20 runs by CPU time"), "matrix: the numbers of each series");
	ok(strstr(printed, "20 runs represent each of them"), "matrix: the largest is for all");
	const char *row = strstr(printed, "  first ");
	unsigned a = 9, b = 9, c = 9;
	ok(row && sscanf(row, " first %u %u %u", &a, &b, &c) == 3 && a == 1 && b == 0 && c == 3,
		"matrix: parts come first, descending, and the whole last");
}

static void csv(void)
{
	struct et_sized list[] = { sized("=a,\"b\""), sized("c") };
	FILE *out = begin();
	size_t lines = 0, wanted = 0;

	list[1].by[0].metric = NULL;
	et_samplesize_csv(list, 2, out);
	fclose(out);
	for (const char *p = printed; *p; p++)
		lines += *p == '\n';
	for (const char *p = printed; (p = strstr(p, ",true\n")); p++)
		wanted++;
	ok(lines == 7 && wanted == 2, "CSV: a row per series and size, one of each is recommended");
	ok(strstr(printed, ",ns,40,3,2,1,5000000,100000,0,false\n"), "CSV: all figures of a row");
	ok(strstr(printed, "\nc,,ns,"), "CSV: plain numbers have no metric");
	ok(!strstr(printed, "\n=a"), "CSV: a name is no formula");
}

static void json(void)
{
	struct et_sized s = sized("a");
	struct et_json w;
	FILE *out = begin();

	s.n = 2;
	s.by[1] = s.by[0];
	s.by[1].metric = &et_metrics[ET_METRIC_ELAPSED];
	s.by[1].size.recommended = 20;
	et_json_init(&w, out, 2);
	et_samplesize_json(&w, &s);
	fclose(out);
	json_t *root = json_loads(printed, 0, NULL);
	ok(root, "JSON: it can be parsed");
	ok(json_integer_value(json_object_get(root, "recommended")) == 10,
		"JSON: the number by the judged metric");
	ok(json_integer_value(
		   json_object_get(json_object_get(root, "by_other_metric"), "recommended")) == 20,
		"JSON: the number by the other metric");
	json_t *sizes = json_object_get(root, "sizes"),
	       *widths = json_object_get(root, "for_width");
	ok(json_array_size(sizes) == 3 &&
			json_is_null(json_object_get(json_array_get(sizes, 0), "p")) &&
			json_integer_value(json_object_get(json_array_get(sizes, 1), "outliers")) ==
				1,
		"JSON: sizes; the whole has no p-value");
	ok(json_number_value(json_object_get(json_array_get(widths, 0), "n")) == 63 &&
			json_is_null(json_object_get(json_array_get(widths, 1), "n")),
		"JSON: an infinite number is null");
	json_decref(root);
}

int main(void)
{
	text();
	matrix();
	csv();
	json();
	free(printed);
	return tap_done();
}
