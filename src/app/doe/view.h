/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A designed experiment as a person reads it: findings in words, the effects, the tables of
 * Nogueira and Matias, pictures, JSON; and as data for other tools.
 */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "model/design/result.h"
#include "model/experiment/experiment.h"

struct et_svg_sheet;

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

/* Whether an effect is to be shown. */
bool et_doe_shows(const struct et_doe_view *v, const struct et_doe_effect *e);

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
/* Whether the tests of a program had anything to rest on; NULL, or why not. */
const char *et_doe_untested(const struct et_doe_program *p);
/* A line about all programs or, of one program, about its treatments. The caller frees it. */
char *et_doe_summary(const struct et_doe_view *v) __attribute__((malloc, returns_nonnull));
/*
 * "21 of 160 runs are done; no run of loop counts with n=2": runs, treatments and terms that the
 * analysis lacks; "" if it lacks none. The caller frees it.
 */
char *et_doe_missing(const struct et_doe_view *v) __attribute__((malloc, returns_nonnull));
/* "4.9 % (4.7 … 5.1)": et_doe_change_of as text, the same as in the sentences. */
const char *et_doe_effect_percent(
	const struct et_doe_program *p, const struct et_doe_effect *e, char buf[ET_FIGURE]);
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
/* "30000000 → 31500000" of two levels, else from the fastest to the slowest. The caller frees it.
 */
char *et_doe_levels(const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_doe_effect *e) __attribute__((malloc, returns_nonnull));
/* The number of the first factor of a term that is at or after `from`. */
size_t et_doe_factor_of(const struct et_doe_effect *e, size_t from);
/* "analysis of variance", and why. The caller frees it. */
char *et_doe_method_text(const struct et_doe_program *p) __attribute__((malloc, returns_nonnull));
/* The mean of all treatments of a program with this level of a factor, and of a second one. */
double et_doe_mean_at(const struct et_design *d, const struct et_doe_program *p, size_t factor,
	uint32_t level, size_t second, uint32_t second_level);
/*
 * Names of the treatments as short as those of the paper, "RL3O2", or their numbers if they would
 * not be short. The list ends with NULL; et_strv_free frees it.
 */
char **et_doe_short_names(const struct et_design *d, bool *numbers);

/* --- several machines --- */

/* "on machines like these, ": the beginning of a finding; nothing of one machine. */
void et_doe_machines_begin(const struct et_doe_view *v, FILE *out);
/* "; the 5 machines differ by 8 % (sd), and …": its end; nothing of one machine. */
void et_doe_machines_end(
	const struct et_doe_view *v, const struct et_doe_program *p, bool begun, FILE *out);
/* "machines" or "blocks": of which differences were removed. */
const char *et_doe_blocks_name(const struct et_doe_result *r);
/*
 * "variance: 95 % between machines, …", if they differ, and how many machines were left out; or "".
 * The caller frees it.
 */
char *et_doe_components(const struct et_doe_program *p) __attribute__((malloc, returns_nonnull));
/* Tables of machines, components of variance and effects on each machine. */
void et_doe_machines_text(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page);
void et_doe_machines_page(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out);

/* --- text, JSON, pictures, page --- */

/* The findings alone. */
void et_doe_print_short(const struct et_doe_view *v, const struct et_page *page);
void et_doe_text(const struct et_doe_view *v, const struct et_page *page);
/* The tables of pairs: before and after Holm, tests used, false positives per program. */
void et_doe_tables(const struct et_doe_view *v, const struct et_page *page);
void et_doe_plot(const struct et_doe_view *v, const struct et_page *page);
void et_doe_json(const struct et_doe_view *v, struct et_json *w);
void et_doe_svg(const struct et_doe_view *v, FILE *out);
void et_doe_page(const struct et_doe_view *v, FILE *out);
/* Adds the charts of a program to a sheet or, if that is NULL, to a page. */
void et_doe_charts(const struct et_doe_view *v, const struct et_doe_program *p,
	struct et_svg_sheet *sheet, FILE *page);

/* --- data for other tools --- */

/* One row per run: program, factors, block, order, whether it counts, response. */
void et_doe_csv(const struct et_experiment *const *experiments, size_t n, FILE *out);
/* A script for R that repeats the analysis of these data. */
void et_doe_r(
	const struct et_experiment *const *experiments, size_t n, const char *data, FILE *out);
/* The name of the column of a factor, or of the response. The caller frees it. */
char *et_doe_column(const struct et_design *d, size_t factor)
	__attribute__((malloc, returns_nonnull));
char *et_doe_response_column(const struct et_design *d) __attribute__((malloc, returns_nonnull));
