/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Ranges of parameters, their combinations, and the replacement of {VAR}. */
#include "protocol/parameters.h"
#include "base/base.h"
#include "tap.h"

static struct et_error err;

static void free_picked(struct et_parameter *p, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		free(p[i].name);
		free(p[i].value);
	}
	free(p);
}

static void filled(const char *text, const char *want)
{
	char n[] = "n", seven[] = "7", mode[] = "mode", fast[] = "fast";
	struct et_parameter p[] = { { n, seven }, { mode, fast } };
	char *out = NULL;

	if (ok(et_parameters_fill(text, p, 2, &out, &err) == 0, "fill: %s is accepted", text))
		is_str(out, want, "fill: the result is %s", want);
	free(out);
}

int main(void)
{
	struct et_ranges r = { 0 };
	char name[] = "n", value[] = "1";
	struct et_parameter *p, one = { name, value };
	char *out;

	ok(et_ranges_add_scan(&r, "x", "0", "1", "0.25", &err) == 0,
		"scan: 0 to 1 by 0.25 is accepted");
	ok(r.list[0].n_values == 5, "scan: 0 to 1 by 0.25 gives five values");
	is_str(r.list[0].values[1], "0.25", "scan: values have the decimals of the step");
	is_str(r.list[0].values[4], "1.00", "scan: the last value is the end of the range");
	ok(et_ranges_add_list(&r, "y", "a,,b c", &err) == 0 && r.list[1].n_values == 3,
		"list: an empty value counts");
	ok(et_ranges_product(&r) == 15, "combinations: 5 and 3 values give 15");
	et_ranges_pick(&r, 5, &p);
	is_str(p[0].value, "0.25", "combinations: number 5 has the second x");
	is_str(p[1].value, "b c", "combinations: number 5 has the third y");
	free_picked(p, 2);
	r.first_fastest = true;
	et_ranges_pick(&r, 6, &p);
	is_str(p[0].value, "0.25", "combinations: as hyperfine, number 6 has the second x");
	is_str(p[1].value, "", "combinations: as hyperfine, number 6 has the second y");
	free_picked(p, 2);
	r.first_fastest = false;
	ok(et_ranges_add_list(&r, "x", "1", &err) < 0, "list: a name that is in use is refused");
	ok(et_ranges_add_list(&r, "1x", "1", &err) < 0,
		"list: a name that begins with a digit is refused");
	ok(et_ranges_add_scan(&r, "z", "5", "1", "1", &err) < 0,
		"scan: an end below the start is refused");
	ok(et_ranges_add_scan(&r, "z", "1", "5", "0", &err) < 0, "scan: a step of 0 is refused");
	ok(et_ranges_add_scan(&r, "z", "1", "1e12", "1", &err) < 0,
		"scan: too many values are refused");
	ok(et_ranges_add_scan(&r, "z", "nan", "2", "1", &err) < 0, "scan: nan is refused");
	et_ranges_free(&r);
	ok(et_ranges_add_scan(&r, "t", "0", "1", "0.1", &err) == 0 && r.list[0].n_values == 11,
		"scan: 0 to 1 by 0.1 reaches 1");
	et_ranges_free(&r);

	filled("sort -n {n} {mode}", "sort -n 7 fast");
	filled("{n}{n}", "77");
	filled("awk '{ print }' {n", "awk '{ print }' {n");
	filled("{}", "{}");
	ok(et_parameters_fill("x {size}", &one, 1, &out, &err) < 0 && strstr(err.what, "{size}"),
		"fill: an unknown name is refused");
	ok(et_parameters_fill("x {size}", NULL, 0, &out, &err) == 0,
		"fill: braces have no meaning without parameters");
	free(out);
	return tap_done();
}
