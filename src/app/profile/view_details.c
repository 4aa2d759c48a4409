/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures that -v adds to a profile: spread, models of it, intervals, modules, losses. */
#include "app/profile/view_parts.h"
#include "base/alloc.h"
#include "draw/table.h"
#include "report/warning.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#define DIM "2"
#define BOLD "1"

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
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

static void figure_cell(struct et_table *t, double x)
{
	char buf[ET_FIGURE];

	et_table_add(t, "%s", number(x, buf));
}

static void span_cell(struct et_table *t, struct et_span s)
{
	char lo[ET_FIGURE], hi[ET_FIGURE];

	if (isfinite(s.lo) && isfinite(s.hi))
		et_table_add(t, "%s … %s", number(s.lo, lo), number(s.hi, hi));
	else
		et_table_add(t, ET_DASH);
}

/* --- the models --- */

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
	const struct et_profile_result *r, size_t shown, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, ""),
		ET_COLUMN(NUMBER, "sd"), ET_COLUMN(NUMBER, "its interval"),
		ET_COLUMN(NUMBER, "IQR/1.349"), ET_COLUMN(NUMBER, "√N "),
		ET_COLUMN(NUMBER, "multinom. "), ET_COLUMN(NUMBER, "quantis. "),
		ET_COLUMN(NUMBER, "and total ") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };
	char text[ET_FIGURE];

	heading(page, "Spread of the samples per run, and what models predict");
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&t, et_profile_row_name(row), NULL);
		figure_cell(&t, row->sd);
		span_cell(&t, et_profile_sd_interval(row, NULL));
		figure_cell(&t, row->robust_sd);
		for (int m = 0; m < ET_PROFILE_MODELS; m++)
			et_table_add(&t, "%s%s",
				number(et_profile_prediction(row, (enum et_profile_model)m), text),
				et_profile_model_holds(row, (enum et_profile_model)m) ? "*" : " ");
	}
	et_table_print(&t, page);
	print_holding(r, page);
}

static void print_intervals(
	const struct et_profile_result *r, size_t shown, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, ""),
		ET_COLUMN(NUMBER, "mean"), ET_COLUMN(NUMBER, "u"), ET_COLUMN(NUMBER, "k"),
		ET_COLUMN(NUMBER, "method"), ET_COLUMN(NUMBER, "mean ± k u"),
		ET_COLUMN(NUMBER, "percentile"), ET_COLUMN(NUMBER, "BCa"),
		ET_COLUMN(NUMBER, "pooled %"), ET_COLUMN(NUMBER, "calls"),
		ET_COLUMN(NUMBER, "at entry %") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	heading(page, "Mean samples per run, and intervals of it");
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&t, et_profile_row_name(row), NULL);
		figure_cell(&t, row->mean);
		figure_cell(&t, row->standard_uncertainty);
		figure_cell(&t, row->coverage_factor);
		et_table_add(&t, "%s", r->runs > 1 ? et_profile_method(row) : ET_DASH);
		span_cell(&t, row->interval);
		span_cell(&t, row->mean_percentile);
		span_cell(&t, row->mean_bca);
		figure_cell(&t, 100 * row->pooled_share);
		figure_cell(&t, row->calls);
		figure_cell(&t, 100 * row->at_entry);
	}
	et_table_print(&t, page);
}

static void print_modules(const struct et_profile_result *r, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "module"),
		ET_COLUMN(FIGURE, "self %"), ET_COLUMN(FIGURE, "samples", .drop = 2),
		ET_COLUMN(BAR, "", .drop = 1) };
	struct et_table s = { ET_COLUMNS(columns) };

	heading(page, "By module");
	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		et_table_name(&s, row->module, NULL);
		et_table_interval(&s, 100 * row->share, et_percent(row->share_interval), NULL);
		et_table_interval(&s, row->mean, row->interval, NULL);
		et_table_bar(&s, row->share, NULL);
	}
	et_table_print(&s, page);
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
