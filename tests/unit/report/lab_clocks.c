/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables, curves and pictures of the labs about clocks, from made-up figures. */
#include "report/lab_clocks.h"
#include "report/error_curves.h"
#include "tap.h"

#include <stdlib.h>

static char *text;
static size_t size;

static FILE *begin(void)
{
	free(text);
	return open_memstream(&text, &size);
}

static void test_errors(void)
{
	static const struct {
		double error;
		const char *want;
	} cases[] = { { 0.00012, "+0.01" }, { -0.05, "-5.00" }, { 0.09996, "+10.0" },
		{ 0.5, "+50.0" }, { 0.9997, "+100" }, { 9, "+900" }, { NAN, ET_DASH } };
	char buf[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(cases); i++)
		is_str(et_format_error(cases[i].error, buf), cases[i].want, "%s", cases[i].want);
}

static void test_curves(void)
{
	struct et_error_curves c = { 0 };
	struct et_page page = { .width = 80 };

	et_error_curves_length(&c, 8e6);
	et_error_curves_length(&c, 1e6);
	et_error_curves_length(&c, 8e6);
	ok(c.n == 2 && c.x_ns[0] == 1e6 && et_error_curves_at(&c, 8e6) == 1,
		"lengths in order, each once");
	struct et_error_curve *curve = et_error_curves_add(&c, 'q');
	snprintf(curve->label, sizeof(curve->label), "a <curve>");
	curve->y[0] = 10;
	curve->y[1] = -1e-4;
	page.out = begin();
	et_error_curves_text(&c, &page);
	fclose(page.out);
	ok(!strncmp(text, "1000 % │q", strlen("1000 % │q")), "1000 %% is at the top on the left");
	ok(strstr(text, "q\n") && strstr(strstr(text, "0.01 % │"), "q\n"),
		"0.01 %% at the bottom, its sign dropped");
	/* Of one series the title speaks, two have a legend. */
	et_error_curves_add(&c, 'r')->y[0] = 0.5;
	FILE *out = begin();
	et_error_curves_svg(&c, "a title", out);
	fclose(out);
	ok(strstr(text, "<svg") && strstr(text, "a &#60;curve"), "the same as SVG");
	while (c.n_curves < ET_ERROR_CURVES)
		et_error_curves_add(&c, 'x');
	ok(!et_error_curves_add(&c, 'x'), "no more than there is room for");
	for (int i = 0; i < 100; i++)
		et_error_curves_length(&c, 1e7 + i);
	ok(c.n == ET_ERROR_POINTS, "nor lengths");
}

/* Two loads of one length; nobody measured the second by libetalon. */
static void test_kbest(void)
{
	struct et_timed_call calls[] = { { 1000100, 1000000, 1e6, 1e6 }, { 3e6, 3e6, 1e6, 1e6 },
		{ 1000200, 1e6, 1e6, 1e6 }, { 1000300, 1e6, 1e6, 1e6 } };
	struct et_accuracy_cell cells[] = {
		{ .load = 1,
			.length_ns = 1000000,
			.calls = calls,
			.n_calls = 4,
			.fit_ns = 1e6,
			.ours_ns = 1000500,
			.ours_truth_ns = 1e6,
			.ours_error_ns = 2001,
			.ours_converged = true },
		{ .load = 11,
			.length_ns = 1000000,
			.calls = calls,
			.n_calls = 2,
			.fit_ns = NAN,
			.ours_ns = NAN,
			.ours_truth_ns = NAN,
			.ours_error_ns = NAN },
	};
	struct et_kbest_accuracy a = { 4e6, 0, 0.001, cells, 2 };
	struct et_page page = { .width = 80 };
	struct et_experiment e = { .state = ET_STATE_DONE };

	page.out = begin();
	et_kbest_accuracy_text(&a, false, &page);
	fclose(page.out);
	ok(strstr(text, " 1.00 ms  +0.01   +0.01   +0.01*  +0.01   +0.00   +0.05   +0.20   +0.00"),
		"a row: K=1, 3, 5, compensated, gettimeofday, ours, its doubt, the line");
	ok(strstr(text, " 1.00 ms  +0.01   +0.01*"), "two calls do not make three agree");
	ok(strstr(text, "load  1, error within 0.10 %: K=3 up to 1.00 ms, etalon up to 1.00 ms"),
		"how far the goal is reached");
	ok(strstr(text, "load 11, error within 1.0 %: K=3 up to 1.00 ms, etalon up to –"),
		"and where it is not");
	size_t plain = size;
	page.out = begin();
	et_kbest_accuracy_text(&a, true, &page);
	fclose(page.out);
	ok(size > plain && strstr(text, "load 11, by gettimeofday"), "every K when asked for");
	FILE *out = begin();
	et_kbest_accuracy_json(&e, &a, out);
	fclose(out);
	ok(strstr(text, "\"k\": 5") && !strstr(text, "nan"), "JSON without NaN");
}

static void test_cache(void)
{
	struct et_cache_effects c = {
		.a_bytes = NAN, .b_bytes = 1 << 20, .cleared_bytes = 1 << 26
	};
	struct et_page page = { .width = 40 };

	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		c.steps[i] = (struct et_cache_effects_times){ 3, i == 2 ? NAN : 100 << i, 50, 1e6 };
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++)
		c.kbest_ns[i] = c.error_ns[i] = i ? NAN : 123;
	page.out = begin();
	et_cache_effects_text(&c, &page);
	fclose(page.out);
	ok(strstr(text, "cache cleared"), "a table on a narrow page");
	ok(strstr(text, "A  warm               120 ns ± 120 ns") &&
			strstr(text, "cold               –"),
		"what was not measured is a dash");
	page.width = 80;
	page.out = begin();
	et_cache_effects_text(&c, &page);
	fclose(page.out);
	ok(strstr(text, "▇"), "bars on a wide one");
	FILE *out = begin();
	et_cache_effects_svg(&c, out);
	fclose(out);
	ok(strstr(text, "A after B"), "the lanes of the picture");
}

int main(void)
{
	test_errors();
	test_curves();
	test_kbest();
	test_cache();
	free(text);
	return tap_done();
}
