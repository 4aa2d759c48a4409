/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison of several series: constant and single values, ties, the matrix, narrow pages. */
#include "app/compare/view.h"
#include "base/base.h"
#include "tap.h"

#include <jansson.h>
#include <math.h>

static struct et_series_set set;
static char *printed;

/* A series of n values around a mean, which differ by up to spread; names may repeat. */
static void add(const char *name, size_t n, double mean, double spread)
{
	struct et_series *s = et_series_add(&set, name, ET_UNIT_NS);

	for (size_t i = 0; i < n; i++) {
		double share = n > 1 ? (double)((i * 7) % n) / (double)(n - 1) : 0.5;
		et_series_append(s, mean + spread * (share - 0.5));
	}
}

static FILE *begin(void)
{
	static size_t size;

	free(printed);
	printed = NULL;
	return open_memstream(&printed, &size);
}

/* Compares the series of the set and prints the comparison as text. */
static void print(const struct et_compare_options *o, int width)
{
	struct et_comparison c;
	struct et_page page = { .out = begin(), .width = width };

	et_compare(set.list, set.n, o, &c);
	et_compare_text(set.list, &c, &page, false);
	fclose(page.out);
	et_comparison_free(&c);
}

static void forget(void)
{
	et_series_set_free(&set);
	set = (struct et_series_set){ 0 };
}

static bool fits(int width)
{
	for (const char *line = printed; *line;) {
		size_t n = strcspn(line, "\n");
		ET_AUTO_FREE char *copy = et_strndup(line, n);
		if (et_columns(copy) > width)
			return false;
		line += n + (line[n] == '\n');
	}
	return true;
}

static const struct et_compare_options usual = { .alpha = 0.05 };

static void check_two(void)
{
	add("first", 20, 100e6, 2e6);
	add("second", 20, 120e6, 2e6);
	print(&usual, 80);
	ok(strstr(printed, "first: ") && strstr(printed, "20 values, mean 100.0"),
		"two series: each has its number of values and its mean");
	ok(strstr(printed, "second vs first: 1.200 × (") && strstr(printed, ", slower by 20.0 %"),
		"two series: the sentence has the later series first");
	ok(!strstr(printed, "matrix") && !strstr(printed, "pairs that differ") &&
			!strstr(printed, "all series together"),
		"two series: one pair needs no matrix and no correction");
	ok(fits(80), "two series: the text fits into 80 columns");
	forget();
	add("first", 20, 100e6, 2e6);
	add("second", 20, 100e6, 2e6);
	print(&usual, 80);
	ok(strstr(printed, "no difference shown") && !strstr(printed, "slower"),
		"two series: equal values show no difference");
	forget();
}

static void check_constant(void)
{
	add("flat", 12, 5e6, 0);
	add("flat too", 12, 5e6, 0);
	print(&usual, 80);
	ok(strstr(printed, "flat: ") && strstr(printed, "12 values, all 5.000 ms"),
		"constant series: one value is printed, without a standard deviation");
	ok(!strstr(printed, "nan") && !strstr(printed, "inf") && !strstr(printed, "Shapiro"),
		"constant series: nothing is tested for normality");
	forget();
}

static void check_matrix(void)
{
	add("a", 20, 100e6, 2e6);
	add("b", 20, 100e6, 2e6);
	add("c", 20, 150e6, 2e6);
	print(&usual, 100);
	ok(strstr(printed, "matrix: the change from the row to the column; =: no difference shown"),
		"matrix: three series have one, with its legend");
	const char *matrix = strstr(printed, "matrix:");
	ok(matrix && strstr(matrix, "·") && strstr(matrix, "=") && strstr(matrix, "+50") &&
			strstr(matrix, "-33"),
		"matrix: the change to the other direction is the inverse ratio");
	ok(strstr(printed, "pairs that differ: 67 % of 3 at a level of 0.05 each, 67 % after"),
		"matrix: two of three pairs differ, before and after Holm's correction");
	ok(strstr(printed, "all series together: "), "matrix: three series are tested together");
	print(&usual, 40);
	ok(!strstr(printed, "matrix"), "matrix: a narrow page omits it");
	ok(fits(40), "matrix: the rest fits into 40 columns");
	forget();
}

static void check_reference(void)
{
	const size_t second = 1;
	const struct et_compare_options o = { .alpha = 0.05, .reference = &second };
	const struct et_compare_options together = { .alpha = 0.05, .simultaneous = true };

	add("a", 20, 100e6, 2e6);
	add("b", 20, 100e6, 2e6);
	add("c", 20, 150e6, 2e6);
	print(&o, 80);
	ok(strstr(printed, "  c vs b: ") && strstr(printed, "  a vs b: ") &&
			!strstr(printed, "c vs a"),
		"reference: only pairs with it are compared");
	ok(strstr(printed, "50 % of 2 at a level of"), "reference: the family has two pairs");
	print(&together, 80);
	/* 1 - 0.95^(1/3): 0.0169524 */
	ok(strstr(printed, "intervals: 98.3048 % each, 95 % together (Sidak)"),
		"simultaneous: the level of one interval of three is by Sidak");
	forget();
}

static void check_names(void)
{
	add("./a-program-with-a-very-long-name --and-an-option=1 --and-another-one", 20, 100e6,
		2e6);
	add("./a-program-with-a-very-long-name --and-an-option=2 --and-another-one", 20, 150e6,
		2e6);
	print(&usual, 60);
	ok(fits(60), "long names: the text fits into 60 columns");
	ok(strstr(printed, "…1…other-one: 20") && strstr(printed, "…2…other-one: 20"),
		"long names: the part that differs is not cut");
	forget();
}

static void check_json(void)
{
	struct et_comparison c;
	FILE *out = begin();

	add("a \"b\"\n", 20, 100e6, 2e6);
	add("c", 20, 150e6, 2e6);
	add("flat", 20, 150e6, 0);
	et_compare(set.list, set.n, &usual, &c);
	et_compare_json(set.list, &c, out);
	fclose(out);
	et_comparison_free(&c);
	json_t *root = json_loads(printed, 0, NULL);
	json_t *samples = json_object_get(root, "samples"), *pairs = json_object_get(root, "pairs");
	ok(json_array_size(samples) == 3 && json_array_size(pairs) == 3,
		"JSON: three series have three pairs");
	is_str(json_string_value(json_object_get(json_array_get(samples, 0), "name")), "a \"b\"\n",
		"JSON: a name is escaped, and otherwise as it is");
	near(json_number_value(json_object_get(json_array_get(samples, 0), "mean")), 100e6, 1e-9, 0,
		"JSON: a series has its mean");
	ok(json_integer_value(json_object_get(json_array_get(samples, 2), "n")) == 20,
		"JSON: a series has its number of values");
	ok(json_number_value(json_object_get(json_array_get(samples, 2), "sd")) == 0,
		"JSON: the standard deviation of a constant series is 0");
	is_str(json_string_value(json_object_get(root, "intervals")), "single",
		"JSON: intervals are single ones");
	json_decref(root);
	forget();
}

int main(void)
{
	check_two();
	check_constant();
	check_matrix();
	check_reference();
	check_names();
	check_json();
	free(printed);
	return tap_done();
}
