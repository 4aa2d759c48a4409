/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as a person reads it, and as data for other tools. */
#pragma once

#include "base/parse.h"
#include "draw/chart.h"
#include "draw/table.h"
#include "model/design/progress.h"
#include "model/design/terms.h"
#include "stats/doe/doe.h"

/* The parts of a campaign that an analysis is based on; all 0 if it is none. */
struct et_doe_parts {
	size_t all, missing;
	uint64_t missing_runs;
};

struct et_doe_view {
	const struct et_doe_result *result;
	const struct et_experiment *const *experiments; /* that it is the result of */
	size_t n_experiments;
	struct et_doe_parts parts;
	const uint32_t *terms; /* effects to show, bits of factors; NULL: all */
	size_t n_terms;
	bool verbose, tables, plot;
};

/* Where tables go: text or, if page is NULL, a page of HTML. */
struct et_doe_to {
	const struct et_page *page;
	FILE *html;
};

#define ET_DOE_BOLD "1" /* as the style of a cell or a paragraph */

/* The effect to be shown after e or, if that is NULL, the first one; NULL: there is none. */
const struct et_doe_effect *et_doe_next(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_effect *e);

/* --- words --- */

/* "work moves loop by 4.9 % (4.7 … 5.1); pad does not (-0.1 … 0.2 %)". The caller frees it. */
char *et_doe_finding(const struct et_doe_view *v, const struct et_doe_program *p)
	__attribute__((malloc, returns_nonnull));
/* An effect in percent of the first level's mean or, of three and more levels, of the smallest. */
struct et_doe_change {
	double percent, lo, hi; /* NaN: it has no interval */
	size_t from, to;        /* the levels that it is between */
};
struct et_doe_change et_doe_change_of(
	const struct et_doe_program *p, const struct et_doe_effect *e);
/* "fastest: a=1,b=2 (12.3 ms); not shown to differ: …; slowest: …". The caller frees it. */
char *et_doe_fastest(const struct et_doe_view *v, const struct et_doe_program *p);
/* A line about all programs or, of one program, about its treatments. The caller frees it. */
char *et_doe_summary(const struct et_doe_view *v) __attribute__((malloc, returns_nonnull));
/* "21 of 160 runs are done; …": what the analysis lacks, or "". The caller frees it. */
char *et_doe_missing(const struct et_doe_view *v) __attribute__((malloc, returns_nonnull));
/* "4.9 % (4.7 … 5.1)". */
const char *et_doe_percent(double x, double lo, double hi, char buf[ET_FIGURE]);
/* Decimals that show the first digit of x, at most three. */
int et_doe_decimals(double x);
double et_doe_no_minus_zero(double x, int decimals);
/* Whether an effect has an interval. */
bool et_doe_has_interval(const struct et_doe_effect *e);
/* "1.23 ms" of any sign, with as many digits as the resolution supports. */
const char *et_doe_value(double x, double resolution, enum et_unit unit, char buf[ET_FIGURE]);
/* "0.012", "< 0.0001". */
const char *et_doe_p(double p, char buf[ET_FIGURE]);
/* "30000000 → 31500000" of two levels, else from the fastest to the slowest; free it. */
char *et_doe_levels(const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_doe_effect *e) __attribute__((malloc, returns_nonnull));
/* The mean of all treatments of a program with this level of a factor, and of a second one. */
double et_doe_mean_at(const struct et_design *d, const struct et_doe_program *p, size_t factor,
	uint32_t level, size_t second, uint32_t second_level);
/* "RL3O2", or numbers if such names would not be short. The list ends with NULL; et_strv_free. */
char **et_doe_short_names(const struct et_design *d, bool *numbers);

/* --- several machines --- */

const char *et_doe_machine_name(
	const struct et_doe_view *v, const struct et_doe_fleet *f, size_t i);
/* "machines" or "blocks": of which differences were removed. */
const char *et_doe_blocks_name(const struct et_doe_result *r);
/* "variance: 95 % between machines, …", and how many were left out; or "". The caller frees it. */
char *et_doe_components(const struct et_doe_program *p) __attribute__((malloc, returns_nonnull));
/* Tables of machines and components of variance; in text also the effects on each machine. */
void et_doe_machines_tables(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_to *to);

/* --- text, JSON, pictures, page --- */

/* A bold line after an empty one, and an indented paragraph, or nothing if its text is empty. */
void et_doe_heading(const struct et_page *page, const char *fmt, ...) ET_PRINTF(2, 3);
void et_doe_say(const struct et_page *page, const char *style, const char *fmt, ...)
	ET_PRINTF(3, 4);
/* "s" but for 1. */
static inline const char *et_doe_plural(size_t n)
{
	return n == 1 ? "" : "s";
}
/* Writes a table and frees what it owns. title may be NULL. */
void et_doe_put_table(const struct et_doe_to *to, const char *title, struct et_table *t);
/* n of this many in percent, without the sign, or a dash of none. */
void et_doe_share_cell(struct et_table *t, int decimals, size_t n, size_t of, const char *after);
/* "3.1 %" and "(2.8 … 3.4)" in two parts, aligned at the sign of percent. */
void et_doe_percent_cell(struct et_table *t, double x, double lo, double hi, const char *style);

/* The findings alone. */
void et_doe_print_short(const struct et_doe_view *v, const struct et_page *page);
void et_doe_text(const struct et_doe_view *v, const struct et_page *page);
/* The tables of pairs: before and after Holm, tests used, false positives per program. */
void et_doe_tables(const struct et_doe_view *v, const struct et_page *page);
void et_doe_plot(const struct et_doe_view *v, const struct et_page *page);
void et_doe_json(const struct et_doe_view *v, struct et_json *w);
/* The view is a struct et_doe_view. */
void et_doe_svg(const void *view, FILE *out);
void et_doe_page(const void *view, FILE *out);
/* Adds the charts of a program to a sheet or, if that is NULL, to a page. */
void et_doe_charts(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_chart_to *to);

/* --- data for other tools --- */

/* One row per run: program, factors, block, order, whether it counts, response. */
void et_doe_csv(const struct et_experiment *const *experiments, size_t n, FILE *out);
/* A script for R that repeats the analysis of these data. */
void et_doe_r(
	const struct et_experiment *const *experiments, size_t n, const char *data, FILE *out);
/* --- a plan --- */

/* The pilot runs of a program. */
struct et_doe_pilot {
	size_t n;
	double run_ns;   /* mean duration of a run; NaN: none was made */
	bool cut;        /* a run was ended because it took too long: run_ns is a lower bound */
	double mean, sd; /* of the response, within treatments; NaN: not known */
};

struct et_doe_outlook {
	const struct et_experiment *e;
	const struct et_planned_run *runs; /* the first of all_runs */
	size_t n_runs;
	uint64_t all_runs;
	const struct et_doe_pilot *pilots; /* one per program; NULL: none were made */
	const char *no_pilot;              /* why, as a sentence */
	const uint32_t *terms;             /* whose power is shown */
	size_t n_terms;
	double alpha;
	bool large; /* `doe run` asks for --yes */
	const struct et_page *page;
	bool verbose;
};

/* The expected duration; NaN: not known. *at_least: it is a lower bound. */
double et_doe_plan_ns(const struct et_doe_outlook *o, bool *at_least);
/* The standard deviation of a program's runs over their mean; NaN: not known. */
double et_doe_relative_sd(const struct et_doe_outlook *o, size_t program);
/* The classes of terms with the effects that are found; et_doe_classes_free frees them. */
struct et_doe_class *et_doe_power_of(const struct et_doe_outlook *o, size_t *n);
/* "a:b", with a minus if the word between it and `to` is negative. The caller frees it. */
char *et_doe_signed_term(const struct et_design *d, uint32_t term, uint32_t to, const char *minus);

/* A text that `doe run` executes: a command, a build, or a hook of commands. */
struct et_doe_executed {
	const char *what; /* the program, "build" or "--prepare" */
	const char *text; /* as in the plan, or with the levels of a treatment */
};
/* Each text once. The caller frees the list, but not the texts, which are of e. */
struct et_doe_executed *et_doe_executed(const struct et_experiment *e, size_t *n);

/* The first sentence alone, the whole text, and JSON. */
void et_doe_plan_answer(const struct et_doe_outlook *o);
void et_doe_plan_text(const struct et_doe_outlook *o);
void et_doe_plan_json(const struct et_doe_outlook *o);
/* --- how far it is --- */

struct et_doe_state {
	const struct et_experiment *e;
	const struct et_design_progress *progress;
	bool running;             /* a process runs it now */
	const char *continuation; /* the command line that continues it */
};

/* "exit status 3", "signal 11 (Segmentation fault)", "cannot be executed". Returns buf. */
const char *et_doe_format_failure(const struct et_design_cell *c, char buf[80]);

void et_doe_status_text(const struct et_doe_state *s, const struct et_page *page);
void et_doe_status_json(const struct et_doe_state *s, struct et_json *w);
