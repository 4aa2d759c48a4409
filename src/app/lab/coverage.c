/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab coverage` */
#include "app/lab/experiments.h"
#include "stats/series/interval.h"

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

/* The figures of a method in a case. */
struct attained {
	const char *of, *method;
	uint32_t defined;
	double attained, lo, hi; /* the share, and its Monte-Carlo interval of 95 % */
	double missed_without_warning;
	double runs; /* 0: not counted */
	bool outside;
};

static struct attained attained_by(const struct et_coverage_cell *c, int m)
{
	const struct et_attained *a = &c->attained[m];
	struct et_interval i = et_share_interval_wilson(a->covered, a->defined, 0.95);
	double p = et_lab_share(a->covered, a->defined);

	return (struct attained){ .of = et_target_names[et_coverage_methods[m].target],
		.method = et_coverage_methods[m].name,
		.defined = a->defined,
		.attained = p,
		.lo = a->defined ? i.lo : NAN,
		.hi = a->defined ? i.hi : NAN,
		.missed_without_warning = et_lab_share(a->silent, a->defined),
		.runs = (double)a->runs / c->repetitions,
		.outside = p < least || p > most };
}

/* "84.2 ± 1.6!": the coverage and half its interval; '!': that is outside, '?': it may be. */
static void add_attained(const struct attained *a, struct et_table *t)
{
	bool surely = a->hi < least || a->lo > most;
	char text[ET_FIGURE] = "- ";

	/* 100 is printed without a decimal, which keeps it apart from the cell before. */
	if (a->defined)
		snprintf(text, sizeof(text), "%.*f ±%4.1f%c", a->attained < 1, 100 * a->attained,
			50 * (a->hi - a->lo),
			!a->outside ? ' '
			: surely    ? '!'
				    : '?');
	et_table_text(t, text, "", a->outside && surely ? "31" : NULL);
}

static void add_warned(uint32_t warned, uint32_t repetitions, struct et_table *t)
{
	et_table_add(t, "%.0f", 100 * et_lab_share(warned, repetitions));
}

static void add_row(const struct et_coverage_cell *c, enum et_target target, struct et_table *t)
{
	et_table_add(t, "%-*s%5zu", LAW_COLUMNS, c->law->title, c->n);
	for (int m = 0; m < ET_COVERAGE_METHODS; m++) {
		struct attained a = attained_by(c, m);
		if (et_coverage_methods[m].target != target)
			continue;
		add_attained(&a, t);
		if (target == ET_TARGET_RUN)
			et_table_add(t, "%.1f", 100 * a.missed_without_warning);
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

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_coverage *c = result;

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

ET_FIELDS(attained_fields, ET_KEYS(attained, of, method, defined, attained),
	ET_KEY_SPAN(attained, "interval", lo, hi),
	ET_KEYS(attained, outside, missed_without_warning),
	ET_KEY(attained, "runs", runs, ET_GIVEN(attained, runs), .omitted = true));

static void write_cases(struct et_json *w, const char *key, const void *result)
{
	const struct et_coverage *all = result;

	et_json_array(w, key);
	for (const struct et_coverage_cell *c = all->cells; c < all->cells + all->n_cells; c++) {
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
		et_json_double(
			w, "run_missed_without_warning", et_lab_share(run->silent, run->defined));
		et_json_array(w, "intervals");
		for (int m = 0; m < ET_COVERAGE_METHODS; m++) {
			struct attained a = attained_by(c, m);
			et_fields_flat(w, NULL, attained_fields, &a);
		}
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

/* --- steps --- */

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	(void)err;
	r->coverage.simulation = r->simulation;
	et_coverage_run(&r->coverage, result);
	return 0;
}

const struct et_lab et_lab_coverage = { .size = sizeof(struct et_coverage),
	.simulate = simulate,
	.fields =
		ET_TABLE(ET_KEYS(et_coverage, level), ET_KEY(et_coverage, "seed", simulation.seed),
			ET_KEY(et_coverage, "repetitions", simulation.repetitions),
			ET_KEY(et_coverage, "bootstrap", simulation.replicates),
			ET_KEY_MADE("cases", write_cases)),
	.text = print_text,
	.free = et_coverage_free };
