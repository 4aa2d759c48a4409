/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that -v adds to a profile: spread, models of it, intervals, modules, losses. */
#include "base/alloc.h"
#include "report/profile_parts.h"
#include "report/rows.h"
#include "report/sheet.h"
#include "report/warning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NAME = 20, SHORT = 7, CELL = 11, METHOD = 14, WIDE = 19 };

#define DIM "2"
#define BOLD "1"

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

static void name_cell(const struct et_page *page, const char *name)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");
	ET_AUTO_FREE char *fitted = et_shorten(clean, NAME);

	fprintf(page->out, "%s%*s", fitted, NAME - et_columns(fitted), "");
}

/* Three digits, or whole numbers if there are more before the point. */
static const char *number(double x, char buf[ET_FIGURE])
{
	if (!isfinite(x))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else
		snprintf(buf, ET_FIGURE, "%.*f", fabs(x) >= 100 ? 0 : fabs(x) >= 10 ? 1 : 2, x);
	return buf;
}

static void figure_cell(const struct et_page *page, double x)
{
	char buf[ET_FIGURE];

	et_cell(page, CELL, number(x, buf));
}

static void span_cell(const struct et_page *page, struct et_span s)
{
	char lo[ET_FIGURE], hi[ET_FIGURE], both[ET_FIGURE];

	if (isfinite(s.lo) && isfinite(s.hi))
		snprintf(both, sizeof(both), "%.40s … %.40s", number(s.lo, lo), number(s.hi, hi));
	else
		snprintf(both, sizeof(both), ET_DASH);
	et_cell(page, WIDE, both);
}

/* --- the models --- */

static void model_cell(
	const struct et_page *page, const struct et_profile_row *r, enum et_profile_model m)
{
	char text[ET_FIGURE], marked[ET_FIGURE];

	number(et_profile_prediction(r, m), text);
	snprintf(marked, sizeof(marked), "%.80s%s", text, et_profile_model_holds(r, m) ? "*" : " ");
	et_cell(page, m == ET_MODEL_WITH_TOTAL ? CELL + 2 : CELL, marked);
}

/* "√N for 3 of 15, multinomial for 12 of 15 …". */
static void print_holding(const struct et_profile_result *r, const struct et_page *page)
{
	const struct et_profile_verdict *v = &r->models;
	const size_t holds[] = { v->gprof, v->multinomial, v->quantisation, v->with_total };
	char *text = NULL;

	for (int m = 0; m < ET_PROFILE_MODELS; m++) {
		size_t tested = m == ET_MODEL_QUANTISATION ? v->quantisation_tested : v->tested;
		if (tested)
			et_append(&text, ", ", "%s for %zu of %zu rows", et_profile_model_names[m],
				holds[m], tested);
		else
			et_append(&text, ", ", "%s not tested%s", et_profile_model_names[m],
				!v->tested                   ? " (too few runs)"
				: m == ET_MODEL_QUANTISATION ? " (see --calls)"
							     : "");
	}
	et_page_paragraph(page, 2, "* holds:", DIM, text, NULL);
	free(text);
}

static void print_models(
	const struct et_profile_result *r, size_t shown, const struct et_page *given)
{
	struct et_rows rows;

	heading(given, "Spread of the samples per run, and what models predict");
	const struct et_page *page = et_rows_begin(&rows, given);
	fprintf(page->out, "%-*s", NAME, "");
	et_cell(page, CELL, "sd");
	et_cell(page, WIDE, "its interval");
	et_cell(page, CELL, "IQR/1.349");
	et_cell(page, CELL, "√N ");
	et_cell(page, CELL, "multinom. ");
	et_cell(page, CELL, "quantis. ");
	et_cell(page, CELL + 2, "and total ");
	putc('\n', page->out);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		name_cell(page, et_profile_row_name(row));
		figure_cell(page, row->sd);
		span_cell(page, et_profile_sd_interval(row, NULL));
		figure_cell(page, row->robust_sd);
		for (int m = 0; m < ET_PROFILE_MODELS; m++)
			model_cell(page, row, (enum et_profile_model)m);
		putc('\n', page->out);
	}
	et_rows_end(&rows);
	print_holding(r, given);
}

static void print_intervals(
	const struct et_profile_result *r, size_t shown, const struct et_page *given)
{
	struct et_rows rows;
	char buf[ET_FIGURE];

	heading(given, "Mean samples per run, and intervals of it");
	const struct et_page *page = et_rows_begin(&rows, given);
	fprintf(page->out, "%-*s", NAME, "");
	et_cell(page, CELL, "mean");
	et_cell(page, CELL, "u");
	et_cell(page, SHORT, "k");
	et_cell(page, METHOD, "method");
	et_cell(page, WIDE, "mean ± k u");
	et_cell(page, WIDE, "percentile");
	et_cell(page, WIDE, "BCa");
	et_cell(page, CELL, "pooled %");
	et_cell(page, CELL, "calls");
	et_cell(page, CELL, "at entry %");
	putc('\n', page->out);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		name_cell(page, et_profile_row_name(row));
		figure_cell(page, row->mean);
		figure_cell(page, row->standard_uncertainty);
		et_cell(page, SHORT, number(row->coverage_factor, buf));
		et_cell(page, METHOD, r->runs > 1 ? et_profile_method(row) : ET_DASH);
		span_cell(page, row->interval);
		span_cell(page, row->mean_percentile);
		span_cell(page, row->mean_bca);
		figure_cell(page, 100 * row->pooled_share);
		figure_cell(page, row->calls);
		figure_cell(page, 100 * row->at_entry);
		putc('\n', page->out);
	}
	et_rows_end(&rows);
}

static void print_modules(const struct et_profile_result *r, const struct et_page *page)
{
	static const struct et_sheet_column columns[] = { { "module", ET_SHEET_NAME, 0 },
		{ "self %", ET_SHEET_FIGURE, 0 }, { "samples", ET_SHEET_FIGURE, 2 },
		{ "", ET_SHEET_BAR, 1 } };
	struct et_sheet s = { .columns = columns, .n_columns = ET_LENGTH(columns) };

	heading(page, "By module");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_sheet_name(&s, row->module, NULL);
		et_sheet_interval(&s, 100 * row->share, et_percent(row->share_interval), NULL);
		et_sheet_interval(&s, row->mean, row->interval, NULL);
		et_sheet_bar(&s, row->share, NULL);
	}
	et_sheet_print(&s, page);
}

static void print_sampling(const struct et_profiled *p, size_t c, const struct et_page *page)
{
	const struct et_profile *profile = p->experiment->profile;
	const struct et_profile_result *r = &p->results[c];

	heading(page, "How it was sampled");
	ET_AUTO_FREE char *text = et_asprintf("event %s (%s events, call graph %s)", profile->event,
		et_profile_way_names[profile->way], et_chains_names[profile->plan.chains]);
	if (isfinite(r->period_ns))
		et_append(
			&text, ", ", "a sample stands for %.4g ms of CPU time", r->period_ns / 1e6);
	et_append(&text, "; ",
		"%" PRIu64 " samples in %zu runs that count, %zu invalid; lost %" PRIu64
		", not taken in time %" PRIu64 ", throttled %" PRIu64 "; seed %" PRIu64,
		r->samples, r->runs, r->invalid, r->lost, r->overruns, r->throttled,
		p->experiment->plan.seed);
	et_append(&text, "; ", "level of each row %.9g, of bootstrap intervals of means %.9g",
		r->row_level, r->bootstrap_level);
	et_page_paragraph(page, 0, "", NULL, text, NULL);
}

/* "first half of the runs: 812 ± 12 samples; second half: 934 ± 15". */
static void print_halves(const struct et_profile_half h[2], int indent, const struct et_page *page)
{
	char mean[2][ET_FIGURE], rest[2][ET_FIGURE];

	for (size_t k = 0; k < 2; k++)
		et_split_figure(h[k].mean, h[k].interval, mean[k], rest[k]);
	ET_AUTO_FREE char *text = et_asprintf(
		"samples per run in the first half of the runs %s %s, in the second %s %s", mean[0],
		rest[0], mean[1], rest[1]);
	et_page_paragraph(page, indent, "", NULL, text, NULL);
}

static void print_row_warnings(
	const struct et_profile_result *r, size_t shown, const struct et_page *page)
{
	bool any = false;

	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		if (!row->warnings.n)
			continue;
		if (!any)
			heading(page, "Notes on single rows");
		any = true;
		et_page_paragraph(page, 0, "", NULL, et_profile_row_name(row), NULL);
		et_warnings_text(page, 2, &row->warnings);
		if (et_warnings_have(&row->warnings, ET_WARN_PROFILE_DRIFT))
			print_halves(row->halves, 2, page);
	}
}

void et_profile_details(const struct et_profiled *p, size_t command, const struct et_page *page)
{
	const struct et_profile_result *r = &p->results[command];
	size_t shown = et_profile_shown(&p->view, r);

	if (!r->n_rows)
		return;
	print_models(r, shown, page);
	print_intervals(r, shown, page);
	if (p->modules)
		print_modules(&p->modules[command], page);
	print_sampling(p, command, page);
	if (et_warnings_have(&r->warnings, ET_WARN_PROFILE_DRIFT))
		print_halves(r->total_halves, 0, page);
	print_row_warnings(r, shown, page);
}
