/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables, curves and charts of the lab experiments about clocks, from invented figures. */
#include "app/lab/kbest.h"
#include "base/base.h"
#include "lab/branches.h"
#include "lab/cache_effects.h"
#include "model/experiment/figure.h"
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
		is_str(et_format_error(cases[i].error, buf), cases[i].want, "error %g in percent",
			cases[i].error);
}

static struct et_chart invented(void)
{
	struct et_chart c = { .title = "a title", .text = { ET_TEXT_ERRORS, 1e6, "ms" } };
	struct et_curve *first = et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_BLUE, "a <line>");
	struct et_curve *second = et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_RED, "other");

	first->mark = 'q';
	second->mark = 'r';
	et_curve_add(first, 8e6, 1e-4);
	et_curve_add(first, 1e6, 10);
	et_curve_sort(first);
	et_curve_add(second, 2e6, 0.5);
	return c;
}

static void test_pictures(void)
{
	struct et_page page = { .width = 80 };
	struct et_chart c = invented();

	ok(c.curves[0]->dots[0].x == 1e6 && c.curves[0]->dots[0].y == 10 &&
			c.curves[0]->dots[1].y == 1e-4,
		"picture: points are brought into the order of x");
	page.out = begin();
	et_lab_chart(&c, &page);
	fclose(page.out);
	ok(!strncmp(text, "1000 % │q", strlen("1000 % │q")),
		"picture: an error of 1000 %% at the least x is at the top left");
	ok(strstr(text, "0.01 % │") && strstr(strstr(text, "0.01 % │"), "q\n"),
		"picture: an error of 0.01 %% is at the bottom");
	ok(strstr(text, "1 ") && strstr(text, " 2 ") && strstr(text, "8  ms\n"),
		"picture: the axis has the values of x of all lines, in its unit");
	ok(strstr(text, "q a <line>\n") && strstr(text, "r other\n"),
		"picture: the legend has the letters of the lines");
	c = invented();
	FILE *out = begin();
	et_chart_put(&c, &(struct et_chart_to){ .file = out });
	fclose(out);
	ok(strstr(text, "<svg") && strstr(text, "a title") && strstr(text, "a &#60;line"),
		"picture: SVG has the title and the names, escaped");
	c = (struct et_chart){ .text = { ET_TEXT_ERRORS, 1, "ms" } };
	et_curve_add(et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_BLUE, NULL), 1, 1);
	page.out = begin();
	et_lab_chart(&c, &page);
	fclose(page.out);
	is_str(text, "\n", "picture: one value of x is not drawn in a terminal");
}

/* Two loads of one length; the second was not measured by libetalon. */
static void test_kbest(void)
{
	struct et_timed_call calls[] = { { 1000100, 1000000, 1e6, 1e6, 0 },
		{ 3e6, 3e6, 1e6, 1e6, 0 }, { 1000200, 1e6, 1e6, 1e6, 0 },
		{ 1000300, 1e6, 1e6, 1e6, 0 } };
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
	struct et_kbest_accuracy a = { .tick_ns = 4e6,
		.epsilon = 0.001,
		.k = 3,
		.line = { 49273.4, 166, 0.0004, 1, 10 },
		.cells = cells,
		.n_cells = 2 };
	struct et_page page = { .width = 80 };
	struct et_experiment e = { .state = ET_STATE_DONE };

	page.out = begin();
	et_lab_kbest.text(&(struct et_kbest_view){ a, .all = false }, &page);
	fclose(page.out);
	ok(strstr(text, "load  1, error within 0.10 %: K=3 up to 1.00 ms, etalon up to 1.00 ms"),
		"K-best: the summary shows up to which length the goal is reached");
	ok(strstr(text, "load 11, error within 1.0 %: K=3 up to 1.00 ms, etalon up to –"),
		"K-best: the summary has a dash where nothing was measured");
	ok(strstr(text, "load  1: K=3 agreed for 1 of 1 lengths, after 4 calls (median); it "
			"predicted\n") &&
			strstr(text,
				"an error of up to 0.020 % there and was off by up to 0.010 %"),
		"K-best: predicted and true error, and how quickly it converged");
	ok(strstr(text, "load 11: K=3 agreed for 0 of 1 lengths\n"),
		"K-best: a load without agreement");
	ok(strstr(text, "T(r) = 49.273 µs r + 166 ns, largest error 0.040 %"),
		"K-best: the line of the chapter");
	ok(!strstr(text, "K=3 td"), "K-best: the tables need -v");
	/* 4 ms of CPU time in 6.0006 ms, and 2 in 4.0001: less than load 1, more than load 11. */
	ok(strstr(text, "load  1: the timed thread got 67 % of the CPU, not 100 %: other programs "
			"ran") &&
			!strstr(text, "load 11: the timed thread"),
		"K-best: a load that is higher than its name has a line");
	calls[1].counter_ns = 1e6;
	page.out = begin();
	et_lab_kbest.text(&(struct et_kbest_view){ a, .all = false }, &page);
	fclose(page.out);
	ok(!strstr(text, "the timed thread got"),
		"K-best: a load that is what its name says has none");
	calls[1].counter_ns = 3e6;
	page.out = begin();
	et_lab_kbest.text(&(struct et_kbest_view){ a, .all = false }, &page);
	fclose(page.out);
	size_t plain = size;
	page.out = begin();
	et_lab_kbest.text(&(struct et_kbest_view){ a, .all = true }, &page);
	fclose(page.out);
	ok(size > plain && strstr(text, "load 11, by gettimeofday"),
		"K-best: with `all`, every K is printed");
	ok(strstr(text, "1.00 ms  +0.01   +0.01   +0.01*  +0.01    +0.00    +0.05   +0.20   +0.00"),
		"K-best: a row has K=1, 3, 5, compensated, gettimeofday, ours, its error, T(r)");
	ok(strstr(text, "1.00 ms  +0.01   +0.01*"), "K-best: K=3 does not converge with two calls");
	FILE *out = begin();
	et_lab_json(
		&et_lab_kbest, "kbest-accuracy", &e, &(struct et_kbest_view){ .accuracy = a }, out);
	fclose(out);
	ok(strstr(text, "\"k\": 5") && !strstr(text, "nan"), "K-best: JSON has every K and no NaN");
}

/* One result with a known error, and one whose error is infinite. */
static void test_unknown_error(void)
{
	struct et_experiment *e = et_figures_new("cache");
	const char *first = et_cache_effects_kbests[0].name,
		   *second = et_cache_effects_kbests[1].name;
	ET_AUTO_FREE char *known = et_asprintf("%s-doubt", first);
	ET_AUTO_FREE char *unknown = et_asprintf("%s-doubt", second);
	struct et_page page = { .width = 80 };
	struct et_cache_effects c;
	struct et_error err = { 0 };

	et_figure_add(e, et_cache_effects_calls[0].name, 0, 0, 100);
	et_figure_add(e, first, 0, 0, 2500);
	et_figure_add(e, known, 0, 0, 50);
	et_figure_add(e, second, 0, 0, 2747);
	et_figure_add(e, unknown, 0, 0, INFINITY);
	if (!ok(et_cache_effects_read(e, &c, &err) == 0, "lab cache: the experiment is read"))
		return;
	page.out = begin();
	et_lab_cache.text(&c, &page);
	fclose(page.out);
	ok(strstr(text, "2.500 µs ± 0.050 µs\n"), "lab cache: a known error is printed");
	ok(strstr(text, "2.747 µs ± –\n"), "lab cache: an unknown error is a dash");
	FILE *out = begin();
	et_lab_json(&et_lab_cache, "cache", e, &c, out);
	fclose(out);
	ok(strstr(text, "\"ns\": 2747, \"said\": null"), "lab cache: JSON has null for it");
	et_experiment_free(e);
}

/* Two lengths and two loads: calls of load 1 are right, those of load 4 four times too long. */
static void test_figures(void)
{
	static const struct {
		const char *shows, *draws;
	} wanted[] = {
		[ET_KBEST_LONG] = { "calls of 36.0 ms in order", ">load 4<" },
		[ET_KBEST_SHORT] = { "calls of 8.00 ms in order", ">load 1<" },
		[ET_KBEST_BY_LOAD] = { "b K=3, load 4", ">etalon, load 4<" },
		[ET_KBEST_BY_K] = { "5 K=5, load 4", ">K=1, load 4<" },
		[ET_KBEST_COMPENSATED] = { "B compensated, load 4", ">compensated, load 1<" },
		[ET_KBEST_TIME_OF_DAY] = { "A gettimeofday, load 1", ">gettimeofday, load 4<" },
		[ET_KBEST_CONVERGENCE] = { "8.00 ms       3        3", ">load 4<" },
		[ET_KBEST_PREDICTED] = { "k K=3", ">predicted = true<" },
	};
	struct et_timed_call calls[4][3];
	struct et_accuracy_cell cells[4];
	struct et_kbest_accuracy a = {
		.tick_ns = 4e6, .epsilon = 0.001, .k = 3, .cells = cells, .n_cells = 4
	};
	struct et_page page = { .width = 80 };

	for (int i = 0; i < 4; i++) {
		double ns = i % 2 ? 36e6 : 8e6, times = i < 2 ? 1 : 4;
		for (int j = 0; j < 3; j++)
			calls[i][j] =
				(struct et_timed_call){ times * ns + j, times * ns, ns, ns, 0 };
		cells[i] = (struct et_accuracy_cell){ .load = i < 2 ? 1 : 4,
			.length_ns = (uint64_t)ns,
			.calls = calls[i],
			.n_calls = 3,
			.ours_ns = ns * 1.0001,
			.ours_truth_ns = ns,
			.ours_error_ns = ns * 0.001 };
	}
	struct et_kbest_answers q = et_kbest_answers_of(&a, 4);
	ok(q.cases == 2 && q.converged == 2 && q.median_calls == 3 && q.worst == 3,
		"figures: load 4 agreed after three calls, three times off");
	near(q.predicted, 2 / 32e6, 1e-9, 0, "figures: and predicted next to nothing");
	for (int f = 0; et_kbest_figure_names[f]; f++) {
		page.out = begin();
		et_kbest_figure_text(&a, (enum et_kbest_figure)f, &page);
		fclose(page.out);
		ok(strstr(text, wanted[f].shows), "figures: %s in a terminal",
			et_kbest_figure_names[f]);
		FILE *out = begin();
		et_kbest_figure_draw(
			&a, (enum et_kbest_figure)f, &(struct et_chart_to){ .file = out });
		fclose(out);
		ok(strstr(text, "<svg") && strstr(text, wanted[f].draws), "figures: %s as SVG",
			et_kbest_figure_names[f]);
	}
	a.n_cells = 0;
	for (int f = 0; et_kbest_figure_names[f]; f++) {
		page.out = begin();
		et_kbest_figure_text(&a, (enum et_kbest_figure)f, &page);
		et_kbest_figure_draw(
			&a, (enum et_kbest_figure)f, &(struct et_chart_to){ .file = page.out });
		fclose(page.out);
		ok(!strstr(text, "nan"), "figures: %s without cases", et_kbest_figure_names[f]);
	}
}

static void test_branch(void)
{
	struct et_branches b = { .sorted_ns = 1, .random_ns = 5 };
	struct et_page page = { .width = 80 };

	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		b.period_ns[i] = i < 11 ? 1.2 : 4.9; /* periods up to 2048 are learned */
	b.period_ns[12] = 1;
	ok(et_branches_learned(&b) == 2048,
		"branch: a longer period that is fast by chance is none");
	ok(et_branches_miss_ns(&b) == 8, "branch: half of random branches are predicted wrongly");
	page.out = begin();
	et_lab_branch.text(&b, &page);
	et_lab_draw(&et_lab_branch, &b, page.out);
	fclose(page.out);
	ok(strstr(text, "1.00 ns with sorted data and 5.00 ns with random data") &&
			strstr(text, "up to 2048 branches") && strstr(text, "<svg"),
		"branch: text and chart");
}

static void test_cache(void)
{
	struct et_cache_effects c = {
		.a_bytes = NAN, .b_bytes = 1 << 20, .cleared_bytes = 1 << 26
	};
	struct et_page page = { .width = 40 };

	/* The chapter's own measurements, in cycles; its solution is 100, 49, 217 and 33. */
	static const double book[] = { 399, 132, 134, 100, 317, 100 };
	for (int i = 0; i < ET_CACHE_EFFECTS_CALLS; i++)
		c.calls[i] = (struct et_cache_effects_times){
			.n = 3, .median_ns = book[i], .min_ns = book[i], .max_ns = 606
		};
	c.parts = et_cache_effects_solve(book);
	for (int i = 0; i < ET_CACHE_EFFECTS_STEPS; i++)
		c.steps[i] = (struct et_cache_effects_times){
			.n = 3, .median_ns = i == 2 ? NAN : 100 << i, .min_ns = 50, .max_ns = 1e6
		};
	for (int i = 0; i < ET_CACHE_EFFECTS_KBESTS; i++)
		c.kbest_ns[i] = c.error_ns[i] = i ? NAN : 123;
	page.out = begin();
	et_lab_cache.text(&c, &page);
	fclose(page.out);
	ok(strstr(text, "cache cleared"), "cache: the table is printed on a narrow page");
	ok(strstr(text, "   c   100 ns") && strstr(text, "   d  33.0 ns") &&
			strstr(text, "   p   217 ns") && strstr(text, "   m  49.0 ns"),
		"cache: Figure 9.13 gives the solution of practice problem 9.6");
	ok(strstr(text, "5 procB(b1) c+p"), "cache: each call has the sum of its parts");
	ok(strstr(text, "A  warm                  120 ns ± 120 ns") &&
			strstr(text, "cold                  –"),
		"cache: a result that was not measured is a dash");
	page.width = 80;
	page.out = begin();
	et_lab_cache.text(&c, &page);
	fclose(page.out);
	ok(strstr(text, "███"), "cache: a wide page has bars");
	FILE *out = begin();
	et_lab_draw(&et_lab_cache, &c, out);
	fclose(out);
	ok(strstr(text, "A after B"), "cache: the chart names its tracks");
}

int main(void)
{
	test_errors();
	test_pictures();
	test_kbest();
	test_unknown_error();
	test_figures();
	test_branch();
	test_cache();
	free(text);
	return tap_done();
}
