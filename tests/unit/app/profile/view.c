/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as text, JSON, CSV, stacks, flame graph and page; names of functions are hostile. */
#include "app/profile/view.h"
#include "app/profile/view_parts.h"
#include "base/memstream.h"
#include "draw/table.h"
#include "draw/terminal.h"
#include "profile_of.h"
#include "tap.h"

#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <string.h>

#define HOSTILE "ev\033[2Jil;<script>&\"'\nx"

enum { RUNS = 6 };

/* Counts of three functions; the last is in two runs only. */
static const uint64_t counts[RUNS][3] = { { 80, 20, 0 }, { 82, 19, 1 }, { 79, 21, 0 },
	{ 81, 18, 2 }, { 80, 22, 0 }, { 84, 20, 0 } };

static struct et_experiment *make(const char *third)
{
	struct et_experiment *e = profile_of(1);
	struct et_profile *p = e->profile;
	uint32_t main_fn = et_profile_function_of(p, "main", "/bin/demo", ET_SPACE_USER, false);
	uint32_t outer = et_profile_node_of(p, ET_PROFILE_ROOT, main_fn), nodes[3];
	const char *names[] = { "fn2", "fn1", third };

	for (size_t k = 0; k < 3; k++)
		nodes[k] = et_profile_node_of(p, outer,
			et_profile_function_of(p, names[k], "/bin/demo", ET_SPACE_USER, false));
	p->plan.chains = ET_CHAINS_FP;
	p->kernel_allowed = true;
	for (uint32_t r = 0; r < RUNS; r++) {
		struct et_profile_run run = profile_run();
		for (size_t k = 0; k < 3; k++) {
			if (counts[r][k])
				et_profile_run_add(&run, nodes[k], counts[r][k], 0);
		}
		profile_add(e, 0, r + 1, &run);
	}
	return e;
}

static struct et_profiled judge(const struct et_experiment *e, struct et_profile_options view)
{
	struct et_profiled p;

	et_profiled_judge(e, &view, &p);
	return p;
}

static char *text_of(const struct et_profiled *p, struct et_text_options o)
{
	struct et_memstream s;

	et_profile_text(p, &o, et_memstream_open(&s));
	return et_memstream_close(&s);
}

static char *written(const struct et_profiled *p, const char *format)
{
	struct et_memstream s;

	et_profile_format_find(format)->write(p, et_memstream_open(&s));
	return et_memstream_close(&s);
}

static int widest_line(const char *text)
{
	int widest = 0;

	while (*text) {
		size_t n = strcspn(text, "\n");
		ET_AUTO_FREE char *line = et_strndup(text, n);
		int columns = et_columns(line);
		widest = columns > widest ? columns : widest;
		text += n + (text[n] == '\n');
	}
	return widest;
}

/* --- text --- */

static void text(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *wide = text_of(&p, (struct et_text_options){ .width = 120 });

	ok(!strncmp(wide, "fn2 has 79.", 11), "text: the answer is the first line");
	ok(strstr(wide, ", then fn1 19."), "text: the answer names the second function");
	ok(strstr(wide, "2 of 6"), "text: it shows in how many runs a function was seen");
	ok(strstr(wide, "6 runs of 102 samples"), "text: it names the runs and their samples");
	ok(strstr(wide, "functions together at 95 %"),
		"text: it says which statements hold together");
	for (int width = 40; width <= 120; width += 20) {
		ET_AUTO_FREE char *t = text_of(&p, (struct et_text_options){ .width = width });
		ok(widest_line(t) <= width, "text: no line is wider than %d columns", width);
		ok(strstr(t, "self %"), "text: %d columns have the share", width);
	}
	ET_AUTO_FREE char *more =
		text_of(&p, (struct et_text_options){ .width = 80, .verbose = true });
	ok(strstr(more, "multinom."), "text: -v prints the models");
	ok(strstr(more, "By module"), "text: -v prints the modules");
	ok(widest_line(more) <= 80, "text: -v fits into 80 columns");
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* The k below the table is not that of rows whose counts are skewed. */
static void factors(void)
{
	static const uint64_t odd[20] = { [3] = 1, [11] = 2 };
	struct et_experiment *e = profile_of(1);
	struct et_profile *p = e->profile;
	uint32_t nodes[2];

	for (size_t k = 0; k < 2; k++)
		nodes[k] = et_profile_node_of(p, ET_PROFILE_ROOT,
			et_profile_function_of(
				p, k ? "odd" : "fn", "/bin/a", ET_SPACE_USER, false));
	for (uint32_t i = 0; i < 20; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, nodes[0], 100 + i * 7 % 20, 0);
		if (odd[i])
			et_profile_run_add(&run, nodes[1], odd[i], 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profiled result = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *t =
		text_of(&result, (struct et_text_options){ .width = 250, .verbose = true });
	ET_AUTO_FREE char *page = written(&result, "html");
	ET_AUTO_FREE char *json = written(&result, "profile");
	json_t *root = json_loads(json, 0, NULL);
	const json_t *row = json_array_get(json_object_get(root, "functions"), 1);
	ok(strstr(t, "; k is larger for 2 functions whose counts are skewed or dependent (-v)"),
		"factors: the line below the table counts the rows with a larger k");
	ok(strstr(page, "; k is larger for 2 functions"), "factors: the page does, too");
	ok(strstr(t, "mean ± k u") && strstr(t, "t, skewed") && !strstr(t, "Student's t"),
		"factors: -v has the method of each row");
	is_str(json_string_value(json_object_get(row, "interval_method")), "student-t-widened",
		"factors: JSON has the method");
	near(json_number_value(json_object_get(row, "df")), 19, 0, 0,
		"factors: JSON has the degrees of freedom");
	ok(json_number_value(json_object_get(row, "coverage_factor")) >
			json_number_value(json_object_get(root, "coverage_factor")),
		"factors: JSON has the row's own k");
	json_decref(root);
	et_profiled_free(&result);
	et_experiment_free(e);
}

/* An uncertainty never hides the value, and nothing impossible is printed. */
static void figures(void)
{
	static const struct {
		double x, lo, hi;
		const char *left, *right;
	} cases[] = {
		{ 79.84, 79.24, 80.44, "79.84", "± 0.60" },
		{ 28, -1572, 1628, "28", "± 1600" },
		{ 28, 0, 1628, "28", "(0 … 1600)" },
		{ 2.84, -17, 22.68, "2.8", "± 20" },
		{ 98, 30, 100, "98", "(30 … 100)" },
		{ 0, 0, 0.123, "0.00", "(0 … 0.12)" },
		{ -0.0001, -2.0001, 1.9999, "0.000", "± 2.0" },
		{ 5, NAN, NAN, "5.000", "" },
		{ NAN, NAN, NAN, ET_DASH, "" },
	};
	char left[ET_FIGURE], right[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(cases); i++) {
		et_split_figure(
			cases[i].x, (struct et_span){ cases[i].lo, cases[i].hi }, left, right);
		is_str(left, cases[i].left, "figure: %g", cases[i].x);
		is_str(right, cases[i].right, "figure: its interval %g … %g", cases[i].lo,
			cases[i].hi);
	}
}

/* Three runs that disagree: the intervals end at 0 and at 100 %. */
static void bounded(void)
{
	static const uint64_t odd[] = { 1, 40, 2 };
	struct et_experiment *e = profile_of(1);
	struct et_profile *p = e->profile;
	uint32_t nodes[2];

	for (size_t k = 0; k < 2; k++)
		nodes[k] = et_profile_node_of(p, ET_PROFILE_ROOT,
			et_profile_function_of(
				p, k ? "odd" : "fn", "/bin/a", ET_SPACE_USER, false));
	for (uint32_t i = 0; i < 3; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, nodes[0], 50, 0);
		et_profile_run_add(&run, nodes[1], odd[i], 0);
		profile_add(e, 0, i + 1, &run);
	}
	struct et_profiled result = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *t = text_of(&result, (struct et_text_options){ .width = 120 });
	ET_AUTO_FREE char *page = written(&result, "html");
	ET_AUTO_FREE char *flame = written(&result, "flame");
	/* Shares 0.0196, 0.4444, 0.0385: mean 16.8 %, u 13.9 %, t(2) at sqrt(0.95) is 6.164,
	 * at 0.95, of boxes, 4.303; counts: mean 14.3, u 12.84 */
	ok(strstr(t, " 83 (0 … 100) ") || strstr(t, " 83 (0 … 100)\n"),
		"bounded: the share of the first is between 0 and 100 %%");
	ok(strstr(t, " 17 (0 … 100)"), "bounded: that of the second, too");
	ok(strstr(t, " 14 (0 … 93)"), "bounded: its samples are not negative");
	ok(strstr(page, "83 % (0 … 100)") && strstr(page, "14 (0 … 93)"),
		"bounded: the page agrees");
	ok(strstr(flame, "17 % (0 … 76)"), "bounded: the flame graph agrees");
	et_profiled_free(&result);
	et_experiment_free(e);
}

static void top_rows(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profile_options view = et_default_profile_options;

	view.top = 1;
	struct et_profiled p = judge(e, view);
	ET_AUTO_FREE char *t = text_of(&p, (struct et_text_options){ .width = 100 });
	ok(strstr(t, "… 3 more functions, each at most 20 % and together 20 %"),
		"text: --top says how many functions are hidden, and how much they have");
	et_profiled_free(&p);
	et_experiment_free(e);
}

static void top_totals(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profile_options view = et_default_profile_options;

	view.top = 1;
	view.total = true;
	for (size_t i = 0; i < e->profile->n_runs; i++)
		e->profile->runs[i].period = 1e4;
	struct et_profiled p = judge(e, view);
	ET_AUTO_FREE char *t = text_of(&p, (struct et_text_options){ .width = 100 });
	ok(strstr(t, "… 3 more functions, each at most 80 % with callees and together 100 % of "
		     "their own"),
		"text: --total does not add up totals");
	ok(strstr(t, "(cpu-clock, 100 kHz, "), "text: a high frequency is in kHz");
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* Five pairs: odd differences by ranks, and a function that is too rare to be tested. */
static void few_pairs(void)
{
	static const uint64_t a[] = { 100, 101, 99, 100, 100 }, b[] = { 101, 103, 101, 102, 900 };
	struct et_experiment *e = profile_of(2);
	struct et_profile *p = e->profile;
	uint32_t nodes[3];
	const char *names[] = { "fn", "gn", "rare" };

	for (size_t k = 0; k < 3; k++)
		nodes[k] = et_profile_node_of(p, ET_PROFILE_ROOT,
			et_profile_function_of(p, names[k], "/bin/a", ET_SPACE_USER, false));
	for (uint32_t i = 0; i < 5; i++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, nodes[0], a[i], 0);
		et_profile_run_add(&run, nodes[1], 50 + i, 0);
		profile_add(e, 0, i + 1, &run);
		et_profile_run_add(&run, nodes[0], b[i], 0);
		et_profile_run_add(&run, nodes[1], 50 + i, 0);
		if (i == 2)
			et_profile_run_add(&run, nodes[2], 10, 0);
		profile_add(e, 1, i + 1, &run);
	}
	struct et_profiled result = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *t = text_of(&result, (struct et_text_options){ .width = 120 });
	const char *rare = strstr(t, "\nrare ");
	ok(rare && !memmem(rare + 1, strcspn(rare + 1, "\n"), "█", strlen("█")),
		"compare: a function that was not tested has no bar");
	et_profiled_free(&result);
	et_experiment_free(e);
}

static void missed_until(void)
{
	struct et_experiment *e = make("fn3");

	e->plan.until_ratio = 0.001;
	struct et_profiled p = judge(e, et_default_profile_options);
	ok(et_warnings_have(&p.results[0].warnings, ET_WARN_PROFILE_UNTIL_MISSED),
		"until: a share that is less certain is reported");
	et_profiled_free(&p);
	e->plan.until_ratio = 0.5;
	p = judge(e, et_default_profile_options);
	ok(!et_warnings_have(&p.results[0].warnings, ET_WARN_PROFILE_UNTIL_MISSED),
		"until: nothing is reported if all shares are certain enough");
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* --- figures --- */

static double number(const json_t *o, const char *key)
{
	return json_number_value(json_object_get(o, key));
}

static void json_figures(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *t = written(&p, "profile");
	json_error_t err;
	json_t *root = json_loads(t, 0, &err);
	const json_t *fn2 = json_array_get(json_object_get(root, "functions"), 0);
	double mean = 0, squares = 0, share = 0;

	ok(root, "json: it can be parsed (%s)", root ? "" : err.text);
	for (size_t r = 0; r < RUNS; r++) {
		mean += (double)counts[r][0] / RUNS;
		share += (double)counts[r][0] /
			 (double)(counts[r][0] + counts[r][1] + counts[r][2]) / RUNS;
	}
	for (size_t r = 0; r < RUNS; r++)
		squares += pow((double)counts[r][0] - mean, 2);
	is_str(json_string_value(json_object_get(fn2, "name")), "fn2", "json: largest share first");
	ok(fabs(number(fn2, "mean_samples") - mean) < 1e-9, "json: mean");
	ok(fabs(number(fn2, "sd") - sqrt(squares / (RUNS - 1))) < 1e-9, "json: sd");
	ok(fabs(number(fn2, "standard_uncertainty") - sqrt(squares / (RUNS - 1) / RUNS)) < 1e-9,
		"json: standard uncertainty");
	ok(fabs(number(fn2, "share") - share) < 1e-12, "json: share");
	ok(fabs(number(json_object_get(fn2, "predicted_sd"), "gprof") - sqrt(mean)) < 1e-9,
		"json: gprof's prediction is the square root of the mean");
	ok(json_is_null(json_object_get(json_object_get(fn2, "predicted_sd"), "quantization")),
		"json: without calls the quantisation model predicts nothing");
	ok(json_is_null(json_object_get(json_object_get(fn2, "model_holds"), "quantization")),
		"json: nor is it known whether it holds");
	const json_t *halves = json_object_get(fn2, "halves");
	ok(json_array_size(halves) == 2 &&
			fabs(number(json_array_get(halves, 0), "mean") - 241.0 / 3) < 1e-9 &&
			fabs(number(json_array_get(halves, 1), "mean") - 245.0 / 3) < 1e-9 &&
			json_array_size(json_object_get(json_array_get(halves, 1), "interval")) ==
				2,
		"json: the halves of the runs");
	ok(json_integer_value(json_object_get(root, "runs")) == RUNS, "json: runs");
	ok(fabs(number(json_object_get(root, "samples_total"), "mean") - 609.0 / RUNS) < 1e-9,
		"json: mean of all samples");
	json_decref(root);
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* The boxes of the flame graph: shares of the runs, and Student's interval of their mean. */
static void boxes(void)
{
	const double t = 2.570581836; /* qt(0.975, 5) of R */
	struct et_experiment *e = make("fn3");
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE struct et_profile_box *b = et_profile_tree(e, 0, 0.95);
	ET_AUTO_FREE char *flame = written(&p, "flame");
	double shares[RUNS], mean = 0, squares = 0;

	for (size_t r = 0; r < RUNS; r++) {
		shares[r] =
			(double)counts[r][0] / (double)(counts[r][0] + counts[r][1] + counts[r][2]);
		mean += shares[r] / RUNS;
	}
	for (size_t r = 0; r < RUNS; r++)
		squares += pow(shares[r] - mean, 2);
	/* Node 1 is main, node 2 is fn2. */
	near(b[1].share, 1, 1e-12, 0, "flame: the outermost function has everything");
	near(b[1].self, 0, 0, 1e-12, "flame: and nothing of its own");
	near(b[2].share, mean, 1e-12, 0, "flame: share of a box");
	near(b[2].half, t * sqrt(squares / (RUNS - 1) / RUNS), 1e-8, 0,
		"flame: uncertainty of a box");
	/* The drawing is 1160 wide; boxes are half a pixel narrower than their share. */
	ET_AUTO_FREE char *width = et_asprintf("width=\"%.2f\"", 1160 * mean - 0.5);
	ok(strstr(flame, width), "flame: the box is as wide as its share (%s)", width);
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* A run without samples has no shares, in the table as in the flame graph. */
static void empty_run(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profile_run none = profile_run();

	profile_add(e, 0, RUNS + 1, &none);
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE struct et_profile_box *b = et_profile_tree(e, 0, 0.95);
	near(b[1].share, 1, 1e-12, 0, "flame: a run without samples does not lower the shares");
	near(b[2].share, p.results[0].rows[0].share, 1e-12, 0,
		"flame: they are those of the table");
	near(b[2].total, p.results[0].rows[0].mean, 1e-12, 0,
		"flame: it does lower the mean count");
	et_profiled_free(&p);
	et_experiment_free(e);
}

static void stacks(void)
{
	struct et_experiment *e = make("fn3");
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *folded = written(&p, "folded");
	ET_AUTO_FREE char *scope = written(&p, "speedscope");
	json_t *root = json_loads(scope, 0, NULL);
	const json_t *profile = json_array_get(json_object_get(root, "profiles"), 0);
	const json_t *weights = json_object_get(profile, "weights");
	double sum = 0;

	is_str(folded, "main;fn2 81\nmain;fn1 20\nmain;fn3 0.5\n", "folded: means over the runs");
	ok(json_array_size(weights) == json_array_size(json_object_get(profile, "samples")),
		"speedscope: as many weights as stacks");
	for (size_t i = 0; i < json_array_size(weights); i++)
		sum += json_number_value(json_array_get(weights, i));
	ok(fabs(sum - number(profile, "endValue")) < 1e-6, "speedscope: the weights add up");
	json_decref(root);
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* --- hostile names --- */

static bool has_control(const char *s)
{
	for (; *s; s++) {
		if ((unsigned char)*s < 0x20 && *s != '\n')
			return true;
	}
	return false;
}

static void hostile(void)
{
	struct et_experiment *e = make(HOSTILE);
	struct et_profiled p = judge(e, et_default_profile_options);

	for (const struct et_profile_format *f = et_profile_formats; f->name; f++) {
		ET_AUTO_FREE char *t = written(&p, f->name);
		ok(!has_control(t), "%s: control characters of names are replaced", f->name);
		ok(*t != '<' || !strstr(t, "<script"), "%s: names cannot contain markup", f->name);
	}
	ET_AUTO_FREE char *folded = written(&p, "folded");
	folded[strlen(folded) - 1] = '\0';
	const char *last = strrchr(folded, '\n');
	ok(last && strchr(last, ';') == strrchr(last, ';'),
		"folded: a semicolon in a name does not add a function");
	ET_AUTO_FREE char *t =
		text_of(&p, (struct et_text_options){ .width = 80, .verbose = true });
	ok(!has_control(t), "text: control characters of names are replaced");
	et_profiled_free(&p);
	et_experiment_free(e);
}

/* --- nothing --- */

/* As templates of C++ have them. */
static void long_names(void)
{
	char name[2001];

	memset(name, 'x', sizeof(name) - 1);
	memcpy(name, "begin", 5);
	memcpy(name + sizeof(name) - 4, "end", 4);
	struct et_experiment *e = profile_of(1);
	uint32_t f = et_profile_function_of(e->profile, name, "/bin/demo", ET_SPACE_USER, false);
	uint32_t node = et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
	for (uint32_t r = 0; r < RUNS; r++) {
		struct et_profile_run run = profile_run();
		et_profile_run_add(&run, node, 50 + r, 0);
		profile_add(e, 0, r + 1, &run);
	}
	struct et_profiled p = judge(e, (struct et_profile_options){ 0 });
	ET_AUTO_FREE char *answer = et_profile_answer(&p, 0);
	ok(!strncmp(answer, "beginx", 6) && strstr(answer, "…xx") && strstr(answer, "end has ") &&
			strlen(answer) < 160,
		"long names: the answer shortens them: %s", answer);
	ET_AUTO_FREE char *shown = text_of(&p, (struct et_text_options){ .width = 80 });
	ok(widest_line(shown) <= 80, "long names: the text fits");
	et_profiled_free(&p);
	et_experiment_free(e);
}

static void empty(void)
{
	struct et_experiment *e = profile_of(1);
	struct et_profiled p = judge(e, et_default_profile_options);

	for (const struct et_profile_format *f = et_profile_formats; f->name; f++) {
		ET_AUTO_FREE char *t = written(&p, f->name);
		ok(t, "%s: a profile without runs", f->name);
	}
	ET_AUTO_FREE char *t = text_of(&p, (struct et_text_options){ .width = 80 });
	ok(strstr(t, "no run has a sample"), "text: a profile without runs says so");
	et_profiled_free(&p);
	et_experiment_free(e);
}

static void invalid(void)
{
	struct et_experiment *e = profile_of(1);

	for (uint32_t i = 1; i <= 3; i++) {
		struct et_profile_run run = profile_run();
		uint32_t f =
			et_profile_function_of(e->profile, "f", "/bin/a", ET_SPACE_USER, false);
		et_profile_run_add(
			&run, et_profile_node_of(e->profile, ET_PROFILE_ROOT, f), 100, 0);
		run.throttled = 1;
		profile_add(e, 0, i, &run);
	}
	struct et_profiled p = judge(e, et_default_profile_options);
	ET_AUTO_FREE char *t = text_of(&p, (struct et_text_options){ .width = 200 });
	ok(!strncmp(t, "no run counts, because the kernel stopped the sampling for a while", 66),
		"text: if every run was throttled, it says so");
	ok(!strstr(t, "no run has a sample"), "text: such runs have samples");
	et_profiled_free(&p);
	et_experiment_free(e);
}

int main(void)
{
	setlocale(LC_ALL, "C.UTF-8");
	text();
	factors();
	figures();
	bounded();
	top_rows();
	top_totals();
	few_pairs();
	missed_until();
	json_figures();
	boxes();
	empty_run();
	stacks();
	hostile();
	long_names();
	empty();
	invalid();
	return tap_done();
}
