/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Figures and sentences of designed experiments at their boundaries: missing treatments, levels
 * without a run, ties, several programs, and names of treatments.
 */
#include "app/doe/doe.h"
#include "base/base.h"
#include "base/parse.h"
#include "stats/doe/doe.h"
#include "tap.h"

#include <errno.h>
#include <math.h>

/* --- figures --- */

static void check_decimals(void)
{
	static const struct {
		double x;
		int want;
	} rows[] = { { 200, 0 }, { 1, 0 }, { 0.96, 0 }, { 0.95, 1 }, { 0.1, 1 }, { 0.096, 1 },
		{ 0.09, 2 }, { 0.0012, 3 }, { 1e-9, 3 }, { 0, 1 }, { -3, 1 }, { NAN, 1 } };

	for (size_t i = 0; i < ET_LENGTH(rows); i++)
		ok(et_doe_decimals(rows[i].x) == rows[i].want, "decimals: %g needs %d, got %d",
			rows[i].x, rows[i].want, et_doe_decimals(rows[i].x));
	ok(!signbit(et_doe_no_minus_zero(-0.04, 1)), "decimals: -0.04 is 0.0 with one decimal");
	near(et_doe_no_minus_zero(-0.06, 1), -0.06, 0, 0, "decimals: -0.06 stays -0.1 with one");
	near(et_doe_no_minus_zero(-0.04, 2), -0.04, 0, 0, "decimals: -0.04 stays with two");
}

static void check_p(void)
{
	static const struct {
		double p;
		const char *want;
	} rows[] = { { 0, "< 0.0001" }, { 0.000099, "< 0.0001" }, { 0.0001, "0.0001" },
		{ 0.0123, "0.012" }, { 0.05, "0.05" }, { 0.1, "0.10" }, { 0.999, "1.00" },
		{ 1, "1.00" }, { NAN, "–" }, { -1, "–" } };
	char buf[ET_FIGURE];

	for (size_t i = 0; i < ET_LENGTH(rows); i++)
		is_str(et_doe_p(rows[i].p, buf), rows[i].want, "p: %g is printed as %s", rows[i].p,
			rows[i].want);
}

static void check_values(void)
{
	char buf[ET_FIGURE];

	ok(et_doe_value(-5e6, 1e4, ET_UNIT_NS, buf)[0] == '-' && strstr(buf, " ms"),
		"value: a difference below 0 has its sign, got %s", buf);
	ok(et_doe_value(5e6, 1e4, ET_UNIT_NS, buf)[0] == '5', "value: 5 ms has no sign, got %s",
		buf);
	ok(et_doe_value(-1e-9, 1, ET_UNIT_NS, buf)[0] == '0', "value: there is no -0, got %s", buf);
}

/* --- an experiment of two factors --- */

struct experiment {
	struct et_design *design;
	struct et_estimate cells[2][6];
	struct et_doe_effect effects[2][2];
	struct et_doe_program programs[2];
	struct et_doe_result result;
	struct et_doe_view view;
};

static void add_factor(struct et_design *d, const char *name, const char *levels)
{
	struct et_design_factor *f = et_design_add_factor(d, name);
	struct et_error err;

	if (et_split_words(levels, &f->levels, &err))
		tap_bail("%s", err.what);
	f->n_levels = et_strv_length(f->levels);
}

/* Treatments n=1,t=a … n=3,t=b, and means of 10 to 60 ms; all of them with 8 runs. */
static void make(struct experiment *x)
{
	*x = (struct experiment){ .design = et_design_new() };
	add_factor(x->design, "n", "1 2 3");
	add_factor(x->design, "t", "a b");
	for (uint32_t n = 0; n < 3; n++) {
		for (uint32_t t = 0; t < 2; t++)
			et_design_add_treatment(x->design, (const uint32_t[]){ n, t });
	}
	for (size_t p = 0; p < 2; p++) {
		for (size_t i = 0; i < 6; i++) {
			double mean = 1e7 * (double)(i + 1);
			x->cells[p][i] = (struct et_estimate){
				.n = 8, .mean = mean, .lo = mean - 1e5, .hi = mean + 1e5
			};
		}
		x->effects[p][0] = (struct et_doe_effect){ .term = (char *)"n", .factors = 1 };
		x->effects[p][1] = (struct et_doe_effect){ .term = (char *)"t", .factors = 2 };
		x->programs[p] = (struct et_doe_program){ .name = p ? "q" : "p",
			.cells = x->cells[p],
			.n_cells = 6,
			.effects = x->effects[p],
			.n_effects = 2 };
	}
	x->result = (struct et_doe_result){ .design = x->design,
		.unit = ET_UNIT_NS,
		.alpha = 0.05,
		.programs = x->programs,
		.n_programs = 1 };
	x->view = (struct et_doe_view){ .result = &x->result };
}

static void misses(const struct experiment *x, const char *want, const char *label)
{
	ET_AUTO_FREE char *got = et_doe_missing(&x->view);

	is_str(got, want, "missing: %s", label);
}

static void check_missing(void)
{
	struct experiment x;

	make(&x);
	misses(&x, "", "nothing is missing");
	x.cells[0][5].n = 0;
	misses(&x, "no run of p counts with n=3,t=b", "one treatment is named");
	x.cells[0][1].n = x.cells[0][2].n = 0;
	misses(&x, "no run of p counts with n=1,t=b and n=2,t=a and n=3,t=b",
		"three treatments are named");
	x.cells[0][3].n = x.cells[0][4].n = 0;
	misses(&x, "no run of p counts with n=1,t=b and n=2,t=a and n=2,t=b and 2 more treatments",
		"further treatments are counted");
	et_design_free(x.design);
	make(&x);
	x.view.parts = (struct et_doe_parts){ .all = 6, .missing = 1, .missing_runs = 40 };
	misses(&x, "0 of 40 runs are done; 1 of 6 parts is missing", "one part of a campaign");
	x.view.parts.missing = 2;
	x.result.n_programs = 2;
	x.cells[1][0].n = 0;
	misses(&x,
		"0 of 40 runs are done; 2 of 6 parts are missing; no run of q counts with n=1,t=a",
		"parts and treatments of the second program are one sentence");
	et_design_free(x.design);
}

static void check_terms(void)
{
	struct experiment x;

	make(&x);
	x.programs[0].not_estimated = (char *)"t, n:t";
	x.programs[0].n_effects = 1;
	for (size_t i = 1; i < 6; i += 2)
		x.cells[0][i].n = 0;
	misses(&x,
		"no run of p counts with n=1,t=b and n=2,t=b and n=3,t=b; t, n:t could not be "
		"estimated in p, because no run counts with t=b",
		"a factor with one level left has its reason");
	x.effects[0][0].factors = 2;
	for (size_t i = 0; i < 6; i++)
		x.cells[0][i].n = i < 4 ? 8 : 0;
	x.programs[0].not_estimated = (char *)"n";
	misses(&x,
		"no run of p counts with n=3,t=a and n=3,t=b; n could not be estimated in p, "
		"because no run counts with n=3; pairs compare its other levels (-v)",
		"a factor with two levels left can be compared by pairs");
	et_design_free(x.design);
}

static void check_levels(void)
{
	struct experiment x;
	const struct et_doe_program *p = &x.programs[0];

	make(&x);
	near(et_doe_mean_at(x.design, p, 0, 1, 0, 1), 3.5e7, 1e-12, 0,
		"mean: n=2 is the mean of its two treatments");
	near(et_doe_mean_at(x.design, p, 0, 1, 1, 1), 4e7, 1e-12, 0,
		"mean: n=2 and t=b is one treatment");
	ET_AUTO_FREE char *up = et_doe_levels(&x.view, p, &x.effects[0][0]);
	is_str(up, "1 → 3", "levels: of three, from the fastest to the slowest");
	x.cells[0][0].mean = x.cells[0][1].mean = 9e7;
	ET_AUTO_FREE char *down = et_doe_levels(&x.view, p, &x.effects[0][0]);
	is_str(down, "2 → 1", "levels: their order is by time, not by the plan");
	x.cells[0][0].n = x.cells[0][1].n = 0;
	near(et_doe_mean_at(x.design, p, 0, 0, 0, 0), NAN, 0, 0,
		"mean: a level without a run has none");
	ET_AUTO_FREE char *rest = et_doe_levels(&x.view, p, &x.effects[0][0]);
	is_str(rest, "2 → 3", "levels: a first level without a run is not named");
	ET_AUTO_FREE char *two = et_doe_levels(&x.view, p, &x.effects[0][1]);
	is_str(two, "a → b", "levels: two are in the order of the plan");
	x.effects[0][0].factors = 3;
	ET_AUTO_FREE char *none = et_doe_levels(&x.view, p, &x.effects[0][0]);
	is_str(none, "", "levels: an interaction has none");
	et_design_free(x.design);
}

/* --- the line about all programs --- */

static void sums_up(const struct experiment *x, const char *want, const char *label)
{
	ET_AUTO_FREE char *got = et_doe_summary(&x->view);

	is_str(got, want, "summary: %s", label);
}

static void check_programs(void)
{
	const uint32_t second = 2;
	struct experiment x;

	make(&x);
	x.result.n_programs = 2;
	sums_up(&x, "n moves none, t moves none", "no factor moves a program");
	x.effects[0][0].significant = x.effects[1][0].significant = true;
	x.effects[1][1].significant = true;
	sums_up(&x, "n moves both programs, t moves 1 of 2 programs",
		"factors that move all or some programs");
	x.programs[0].n_pairs = 15;
	x.programs[1].n_pairs = 10;
	x.programs[0].before = 7;
	x.programs[1].before = 2;
	x.programs[1].after = 1;
	sums_up(&x,
		"n moves both programs, t moves 1 of 2 programs; 9 of 25 pairs of treatments "
		"differ, 1 after Holm",
		"pairs of all programs are added up");
	x.view.terms = &second;
	x.view.n_terms = 1;
	x.programs[0].n_pairs = x.programs[1].n_pairs = 0;
	sums_up(&x, "t moves 1 of 2 programs", "factors that are not wanted are omitted");
	ok(et_doe_next(&x.view, &x.programs[0], NULL) == &x.effects[0][1],
		"terms: an effect is shown if it is wanted");
	et_design_free(x.design);
}

static void check_fastest(void)
{
	struct et_contrast same[5] = { 0 };
	struct experiment x;

	make(&x);
	for (size_t i = 0; i < 6; i++)
		x.cells[0][i].n = i == 2 ? 8 : 0;
	sums_up(&x, "fastest: n=2,t=a (30.00 ms)", "a single treatment is not the slowest, too");
	x.cells[0][2].n = 0;
	sums_up(&x, "", "without a run there is no sentence");
	et_design_free(x.design);
	make(&x);
	x.result.unit = ET_UNIT_NONE;
	ET_AUTO_FREE char *plain = et_doe_summary(&x.view);
	ok(!strncmp(plain, "smallest: n=1,t=a", 17) && strstr(plain, "; largest: n=3,t=b"),
		"summary: what is no time is small or large");
	x.result.unit = ET_UNIT_NS;
	for (uint32_t i = 0; i < 5; i++)
		same[i] = (struct et_contrast){ .a = i + 1,
			.b = 0,
			.conclusion = i % 2 ? ET_CONCLUDED_SAME_BY_HOLM : ET_CONCLUDED_SAME };
	x.programs[0].pairs = same;
	x.programs[0].n_pairs = 5;
	sums_up(&x,
		"fastest: n=1,t=a (10.00 ms); not shown to differ: n=1,t=b; n=2,t=a; n=2,t=b and 2 "
		"more",
		"of many treatments that may be as fast, three are named");
	et_design_free(x.design);
}

/* --- names of treatments --- */

static void names(
	const char *first, const char *its, const char *second, const char *their, const char *want)
{
	struct et_design *d = et_design_new();
	bool numbers;
	uint32_t last[2];

	add_factor(d, first, its);
	last[0] = (uint32_t)d->factors[0].n_levels - 1;
	if (second)
		add_factor(d, second, their);
	last[1] = second ? (uint32_t)d->factors[1].n_levels - 1 : 0;
	et_design_add_treatment(d, (const uint32_t[]){ 0, 0 });
	et_design_add_treatment(d, last);
	char **list = et_doe_short_names(d, &numbers);
	ET_AUTO_FREE char *got =
		et_asprintf("%s%s|%s", numbers ? "by number: " : "", list[0], list[1]);
	is_str(got, want, "names: %s=%s%s%s is %s", first, its, second ? " and " : "",
		second ? second : "", want);
	et_strv_free(list);
	et_design_free(d);
}

static void check_names(void)
{
	names("size", "64 128", NULL, NULL, "64|128");
	names("huge-pages", "always never", "t", "1 2", "alwayst1|nevert2");
	names("env_size", "0 1", "cpu", "0 1", "ES0cpu0|ES1cpu1");
	names("size", "123456789 1", NULL, NULL, "123456789|1");
	names("size", "1234567890 1", NULL, NULL, "by number: 1|2");
	names("ab", "1 11", "ab", "11 1", "ab1ab11|ab11ab1");
	names("size", "a\x1b[1m b", NULL, NULL, "a␛[1m|b");
}

/* --- command lines and errors --- */

static void check_lines(void)
{
	ET_AUTO_FREE char *plain = et_doe_line("analyse", "a.yaml", NULL);
	ET_AUTO_FREE char *odd = et_doe_line("run", "my plan's.yaml", "sqlite:x y.db");
	char **words = NULL;
	struct et_error err = { 0 };

	is_str(plain, "etalon doe analyse a.yaml", "line: a plain path is not quoted");
	if (et_split_words(odd, &words, &err))
		tap_bail("%s", err.what);
	ok(et_strv_length(words) == 6 && !strcmp(words[3], "my plan's.yaml") &&
			!strcmp(words[5], "sqlite:x y.db"),
		"line: a path and a store with blanks and quotes are one word each: %s", odd);
	et_strv_free(words);
	int rc = et_doe_changed("a.yaml", "20251115-000001-000001", "-1\n+2\n", &err);
	ok(rc == -EINVAL && err.exit == ET_EXIT_USAGE && strstr(err.what, "a.yaml differs") &&
			strstr(err.what, "20251115-000001-000001") &&
			strstr(err.hint, "'etalon doe run --new a.yaml'"),
		"changed: the error names the plan and the experiment, the hint begins anew");
}

int main(void)
{
	check_decimals();
	check_p();
	check_values();
	check_missing();
	check_terms();
	check_levels();
	check_programs();
	check_fastest();
	check_names();
	check_lines();
	return tap_done();
}
