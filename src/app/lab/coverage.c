/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab coverage` */
#include "lab/coverage.h"
#include "app/lab/experiments.h"
#include "stats/series/interval.h"

#include <math.h>

/* The coverage of a 95 % interval is acceptable within these bounds. */
static const double least = 0.93, most = 0.97;

enum { LAW_COLUMNS = 13 };

/* --- text --- */

static const char *const headings[ET_TARGETS] = {
	[ET_TARGET_RUN] = "mean, as run prints it",
	[ET_TARGET_MEAN] = "mean",
	[ET_TARGET_MEDIAN] = "median",
	[ET_TARGET_SD] = "standard deviation",
	[ET_TARGET_PAIRS] = "ratio of two programs run in pairs",
	[ET_TARGET_SEPARATE] = "ratio of two independent series",
};

/* '!': outside of the bounds; '?': outside, but within the Monte-Carlo uncertainty. */
static char mark_of(const struct et_attained *a, const struct et_interval *i)
{
	double p = et_lab_share(a->covered, a->defined);

	if (p >= least && p <= most)
		return ' ';
	return i->hi < least || i->lo > most ? '!' : '?';
}

/* "84.2 ± 1.6!": the coverage, the half width of its 95 % Monte-Carlo interval, and a mark. */
static void add_attained(const struct et_attained *a, struct et_table *t)
{
	double p = et_lab_share(a->covered, a->defined);
	struct et_interval i = et_share_interval_wilson(a->covered, a->defined, 0.95);
	char mark = mark_of(a, &i), text[ET_FIGURE] = "- ";

	/* 100 is printed without a decimal, which keeps it apart from the cell before. */
	if (!isnan(p))
		snprintf(text, sizeof(text), "%.*f ±%4.1f%c", p < 1, 100 * p, 50 * (i.hi - i.lo),
			mark);
	et_table_text(t, text, "", !isnan(p) && mark == '!' ? "31" : NULL);
}

static void add_warned(uint32_t warned, uint32_t repetitions, struct et_table *t)
{
	et_table_add(t, "%.0f", 100 * et_lab_share(warned, repetitions));
}

static void add_row(const struct et_coverage_cell *c, enum et_target target, struct et_table *t)
{
	et_table_add(t, "%-*s%5zu", LAW_COLUMNS, c->law->title, c->n);
	for (int m = 0; m < ET_COVERAGE_METHODS; m++) {
		const struct et_attained *a = &c->attained[m];
		if (et_coverage_methods[m].target != target)
			continue;
		add_attained(a, t);
		if (target == ET_TARGET_RUN)
			et_table_add(t, "%.1f", 100 * et_lab_share(a->silent, a->defined));
	}
	if (target == ET_TARGET_RUN) {
		const struct et_attained *until = &c->attained[ET_COVERAGE_OF_UNTIL];
		et_table_add(t, "%.0f", (double)until->runs / c->repetitions);
	} else if (target == ET_TARGET_PAIRS) {
		add_warned(c->warned_pairs, c->repetitions, t);
	} else if (target == ET_TARGET_SEPARATE) {
		add_warned(c->warned_separate, c->repetitions, t);
	} else {
		add_warned(c->attained[ET_COVERAGE_OF_RUN].warned, c->repetitions, t);
		add_warned(c->warned_describe, c->repetitions, t);
	}
}

static void print_table(
	const struct et_coverage *c, enum et_target target, const struct et_page *page)
{
	static const char *const last[ET_TARGETS] = { [ET_TARGET_RUN] = "runs",
		[ET_TARGET_PAIRS] = "w:run",
		[ET_TARGET_SEPARATE] = "w:comp" };
	struct et_table t = { .split = true };
	char lead[32];

	et_lab_heading(page, "%s", headings[target]);
	snprintf(lead, sizeof(lead), "%-*s%5s", LAW_COLUMNS, "law", "n");
	et_table_column(&t, ET_TABLE_TEXT, lead);
	for (int m = 0; m < ET_COVERAGE_METHODS; m++) {
		if (et_coverage_methods[m].target != target)
			continue;
		et_table_column(&t, ET_TABLE_NUMBER, et_coverage_methods[m].title);
		if (target == ET_TARGET_RUN)
			et_table_column(&t, ET_TABLE_NUMBER, "sil.");
	}
	et_table_column(&t, ET_TABLE_NUMBER, last[target] ? last[target] : "w:run");
	if (!last[target])
		et_table_column(&t, ET_TABLE_NUMBER, "w:desc");
	for (size_t i = 0; i < c->n_cells; i++)
		add_row(&c->cells[i], target, &t);
	et_lab_table(&t, page);
}

static void print_text(const struct et_coverage *c, const struct et_page *page)
{
	et_lab_text(page,
		"Coverage of intervals at %.0f %%, in %%, with its Monte-Carlo uncertainty (%u "
		"simulations, 95 %%). !: outside of %.0f to %.0f %%; ?: outside, but within that "
		"uncertainty. w: percentage of the simulations in which run, describe or compare "
		"printed a warning; sil.: in which the interval missed without one. default and "
		"emp are protocols; --until has the goal that n values attain on average, and "
		"makes at least 30 runs (runs: on average).",
		100 * c->level, c->n_cells ? c->cells[0].repetitions : 0, 100 * least, 100 * most);
	putc('\n', page->out);
	for (int target = 0; target < ET_TARGETS; target++)
		print_table(c, (enum et_target)target, page);
	et_lab_text(page,
		"Outliers follow NIST's mixture: the number is how many are expected among 1000 "
		"values, 20 standard deviations away. 3 %% slow: of runs with a spread of 2 %%, "
		"this share takes 40 %% longer; 1 %% slow: three times as long. With 10 values "
		"describe always warns, because they are too few to show rare values or "
		"dependence.");
}

/* --- JSON --- */

static void write_method(struct et_json *w, const struct et_coverage_cell *c, int m)
{
	const struct et_coverage_method *method = &et_coverage_methods[m];
	const struct et_attained *a = &c->attained[m];
	struct et_interval i = et_share_interval_wilson(a->covered, a->defined, 0.95);
	double p = et_lab_share(a->covered, a->defined);

	et_json_flat_object(w, NULL);
	et_json_string(w, "of", et_target_names[method->target]);
	et_json_string(w, "method", method->name);
	et_json_u64(w, "defined", a->defined);
	et_json_double(w, "attained", p);
	et_json_flat_array(w, "interval");
	et_json_double(w, NULL, a->defined ? i.lo : NAN);
	et_json_double(w, NULL, a->defined ? i.hi : NAN);
	et_json_end(w);
	et_json_bool(w, "outside", p < least || p > most);
	et_json_double(w, "missed_without_warning", et_lab_share(a->silent, a->defined));
	if (a->runs)
		et_json_double(w, "runs", (double)a->runs / c->repetitions);
	et_json_end(w);
}

static void write_cell(struct et_json *w, const struct et_coverage_cell *c)
{
	const struct et_attained *run = &c->attained[ET_COVERAGE_OF_RUN];

	et_json_object(w, NULL);
	et_json_string(w, "law", c->law->name);
	et_json_u64(w, "n", c->n);
	et_json_u64(w, "repetitions", c->repetitions);
	et_json_flat_object(w, "warned");
	et_json_double(w, "run", et_lab_share(run->warned, run->defined));
	et_json_double(w, "describe", et_lab_share(c->warned_describe, c->repetitions));
	et_json_double(w, "pairs", et_lab_share(c->warned_pairs, c->repetitions));
	et_json_double(w, "compare", et_lab_share(c->warned_separate, c->repetitions));
	et_json_end(w);
	et_json_double(w, "run_missed_without_warning", et_lab_share(run->silent, run->defined));
	et_json_array(w, "intervals");
	for (int m = 0; m < ET_COVERAGE_METHODS; m++)
		write_method(w, c, m);
	et_json_end(w);
	et_json_end(w);
}

static void write_json(const struct et_coverage *c, const struct et_lab_request *r)
{
	struct et_json w;

	et_lab_json_begin(&w, NULL, "coverage", stdout);
	et_json_double(&w, "level", c->level);
	et_json_u64(&w, "seed", r->simulation.seed);
	et_json_u64(&w, "repetitions", r->simulation.repetitions);
	et_json_u64(&w, "bootstrap", r->simulation.replicates);
	et_json_array(&w, "cases");
	for (size_t i = 0; i < c->n_cells; i++)
		write_cell(&w, &c->cells[i]);
	et_json_end(&w);
	et_json_end(&w);
}

int et_lab_coverage(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	struct et_coverage_options *o = &r->coverage;
	struct et_coverage c;

	(void)err;
	o->simulation = r->simulation;
	et_coverage_run(o, &c);
	et_progress_erase(&r->progress);
	if (r->given & ET_LAB_JSON)
		write_json(&c, r);
	else
		print_text(&c, &r->page);
	et_coverage_free(&c);
	return 0;
}
