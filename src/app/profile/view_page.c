/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A profile as an HTML page: answer, table, flame graph, pictures of the largest functions. */
#include "app/profile/view_parts.h"
#include "draw/html.h"
#include "draw/table.h"
#include "draw/terminal.h"
#include "draw/xml.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "report/warning.h"
#include "stats/profile/counts.h"
#include "stats/series/describe.h"
#include "stats/series/diagnosis.h"

enum { PICTURED = 6, SIDE = 420, LOW = 280, LEAST_RUNS = 3, MOST_LAGS = 40 };

/* A cell with a figure: et_html_element(out, CELL, …). */
#define CELL "td class=\"n\""

static void number_cell(FILE *out, double x)
{
	et_html_element(out, CELL, "%s", et_profile_number(x, ET_BUF));
}

static void measured_cell(FILE *out, double x, struct et_span interval)
{
	char number[ET_FIGURE], rest[ET_FIGURE];

	et_split_figure(x, interval, number, rest);
	et_html_element(out, CELL, "%.40s %.50s", number, rest);
}

static void model_cell(FILE *out, const struct et_profile_row *r, enum et_profile_model m)
{
	double x = r->predicted.by[m];

	if (isfinite(x))
		et_html_element(out, CELL, "%.3g%s", x, r->fit.holds[m] ? " ✓" : "");
	else
		et_html_element(out, CELL, ET_DASH);
}

/* The file's name; its path is in the title. */
static void module_cell(FILE *out, const char *module)
{
	fputs("<td title=\"", out);
	et_xml_text(out, module ? module : "");
	fputs("\">", out);
	et_xml_text(out, et_profile_module_name(module));
	fputs("</td>\n", out);
}

static void p_cell(FILE *out, double p)
{
	et_html_element(out, CELL, !isfinite(p) ? ET_DASH : p < 0.01 ? "< 0.01" : "%.2f", p);
}

static void table_row(
	const struct et_profile_result *all, const struct et_profile_row *r, FILE *out)
{
	fputs("<tr>", out);
	et_html_element(out, "td", "%s", et_profile_row_name(r));
	if (all->by == ET_BY_FUNCTION)
		module_cell(out, r->module);
	et_html_element(out, CELL, "%s", et_format_share(r->share, r->share_interval, ET_BUF));
	et_html_element(
		out, CELL, "%s", et_format_share(r->total_share, r->total_share_interval, ET_BUF));
	measured_cell(out, r->mean, r->interval);
	et_html_element(out, CELL, "%zu of %zu", r->seen_in_runs, all->runs);
	number_cell(out, r->sd);
	for (int m = 0; m < ET_PROFILE_MODELS; m++)
		model_cell(out, r, (enum et_profile_model)m);
	fputs("</tr>\n", out);
}

static void table(const struct et_profiled *p, const struct et_profile_result *r, FILE *out)
{
	const char *unit = et_profile_unit(p->experiment->profile);
	const char *const headings[] = { "function", "module", "self", "total", unit, "seen in",
		"sd", "√N", "multinomial", "quantisation", "and total", NULL };
	size_t shown = et_profile_shown(&p->view, r);

	et_html_table_begin(out, headings + (r->by == ET_BY_MODULE));
	for (size_t i = 0; i < shown; i++)
		table_row(r, &r->rows[i], out);
	et_html_table_end(out);
	double most = 0;
	for (size_t i = shown; i < r->n_rows; i++)
		most = fmax(most, r->rows[i].share);
	if (shown < r->n_rows)
		et_html_element(out, "p class=\"dim\"", "and %zu more, each at most %.2g %%",
			r->n_rows - shown, 100 * most);
	ET_AUTO_FREE char *larger = et_profile_larger_k(r);
	et_html_element(out, "p class=\"dim\"",
		"± holds at %g %% for %zu statement%s together (k = %.3f%s%s). ✓: the model "
		"predicts "
		"the standard deviation (sd) within its interval. %zu runs, %zu invalid.",
		100 * r->level, r->statements, r->statements == 1 ? "" : "s", r->coverage_factor,
		larger ? "; " : "", larger ? larger : "", r->runs, r->invalid);
}

/* --- the pictures of one function --- */

static void in_order(const double *y, size_t n, double mean, const struct et_chart_to *to)
{
	struct et_chart c = { .title = "Samples in order of the runs",
		.x = { .label = "run" },
		.y = { .label = "samples" },
		.marks = { { mean, "mean", true } },
		.n_marks = 1,
		.width = SIDE,
		.height = LOW };
	struct et_curve *k = et_chart_curve(&c, ET_SVG_POINTS, ET_SVG_BLUE, NULL);

	et_curve_add_all(k, 1, 1, y, n);
	et_chart_put(&c, to);
}

/* Counts are whole, so the bandwidth is at least half a sample (N2.9 of NIST TN 1826). */
static void density(const double *y, size_t n, const struct et_chart_to *to)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(y, n);
	struct et_chart c = { .title = "Density",
		.x = { .label = "samples per run" },
		.y = { .label = "density" },
		.width = SIDE,
		.height = LOW };
	struct et_curve *k = et_chart_curve(&c, ET_SVG_LINE, ET_SVG_BLUE, NULL);
	struct et_kde kde;

	et_kde(sorted, n, 1, &kde);
	et_curve_add_all(k, kde.lo, kde.step, kde.density, ET_KDE_POINTS);
	et_chart_put(&c, to);
}

/* Whole counts are dithered, because their steps look like a correlation (NIST TN 1826, 5.1). */
static void autocorrelation(const double *y, size_t n, const struct et_chart_to *to)
{
	struct et_description d;
	struct et_rng rng;
	ET_AUTO_FREE double *dithered = et_calloc(n, sizeof(*dithered));

	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < n; i++)
		dithered[i] = y[i] + et_rng_uniform(&rng) - 0.5;
	et_describe(dithered, n, ET_UNIT_NONE,
		&(struct et_describe_options){ .level = 0.95, .threads = 1, .seed = 1 }, &d);
	struct et_chart c = { .title = "Autocorrelation, dithered",
		.x = { .label = "lag" },
		.y = { .label = "correlation", .lo = -1, .hi = 1 },
		.marks = { { .at = d.acf_band, .across = true },
			{ .at = -d.acf_band, .across = true } },
		.n_marks = 2,
		.width = SIDE,
		.height = LOW };
	struct et_curve *bars = et_chart_curve(&c, ET_SVG_BARS, ET_SVG_BLUE, NULL);
	if (d.acf)
		et_curve_add_bars(
			bars, 0.6, 1, 0.8, d.acf, d.n_acf < MOST_LAGS ? d.n_acf : MOST_LAGS);
	et_chart_put(&c, to);
	et_description_free(&d);
}

static void pictures(const struct et_profiled *p, size_t c, FILE *out)
{
	const struct et_profile_result *r = &p->results[c];
	const struct et_chart_to to = { .page = out };
	struct et_profile_counts counts;

	if (r->by != ET_BY_FUNCTION || r->runs < LEAST_RUNS)
		return;
	et_profile_counts_make(p->experiment, (uint32_t)c, ET_BY_FUNCTION, &counts);
	ET_AUTO_FREE double *y = et_calloc(counts.n_runs, sizeof(*y));
	for (size_t i = 0; i < r->n_rows && i < PICTURED; i++) {
		et_profile_counts_fill(&counts, r->rows[i].function, false, y);
		et_html_element(out, "h3", "%s", et_profile_row_name(&r->rows[i]));
		et_html_warnings(out, &r->rows[i].warnings);
		et_html_pictures_begin(out);
		in_order(y, counts.n_runs, r->rows[i].mean, &to);
		density(y, counts.n_runs, &to);
		autocorrelation(y, counts.n_runs, &to);
		et_html_pictures_end(out);
	}
	et_profile_counts_free(&counts);
}

static void changes(const struct et_profiled *p, FILE *out)
{
	const struct et_profile_comparison *c = &p->comparison;
	const struct et_profile_options *v = &p->view;
	const char *const headings[] = { "function", "module", et_profile_samples_of(0, ET_BUF),
		et_profile_samples_of(1, ET_BUF), "change", "p (Holm)", "changed", NULL };
	size_t shown = v->top && v->top < c->n_rows ? v->top : c->n_rows;
	char number[ET_FIGURE];

	ET_AUTO_FREE char *answer = et_profile_changes_answer(p);
	et_html_element(out, "h2", "Changes from %s to %s", et_name_by_number(0, number),
		et_name_by_number(1, ET_BUF));
	et_html_element(out, "p", "%s", answer);
	for (size_t i = 0; i < p->n; i++)
		et_html_element(out, "p", "%s %s", et_name_by_number(i, number),
			p->experiment->commands[i].name);
	et_html_warnings(out, &c->warnings);
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < shown; i++) {
		const struct et_profile_change *r = &c->rows[i];
		fputs("<tr>", out);
		et_html_element(out, "td", "%s", r->name ? r->name : "all");
		module_cell(out, r->module);
		number_cell(out, r->mean_a);
		number_cell(out, r->mean_b);
		measured_cell(out, r->difference, r->interval);
		p_cell(out, r->contrast.p_holm);
		et_html_element(out, "td", "%s",
			!r->contrast.family       ? ET_DASH
			: r->contrast.significant ? "yes"
						  : "");
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

static void section(const struct et_profiled *p, size_t c, FILE *out)
{
	const struct et_profile_result *r = &p->results[c];

	ET_AUTO_FREE char *answer = et_profile_answer(p, c);
	et_html_element(out, "h2", "%s", p->experiment->commands[c].name);
	et_html_element(out, "p", "%s", answer);
	et_html_warnings(out, &r->warnings);
	if (!r->n_rows)
		return;
	table(p, r, out);
	if (p->modules) {
		et_html_element(out, "h3", "By module");
		table(p, &p->modules[c], out);
	}
	fputs("<div class=\"figs\"><figure class=\"wide\" tabindex=\"0\">\n", out);
	et_profile_flame_embed(p, c, out);
	fputs("</figure></div>\n", out);
	pictures(p, c, out);
}

void et_profile_page(const struct et_profiled *p, FILE *out)
{
	const struct et_experiment *e = p->experiment;
	char when[32];

	ET_AUTO_FREE char *title = et_asprintf("Profile of %s", e->label ? e->label
								: p->n   ? e->commands[0].name
									 : "nothing");
	et_html_begin(out, title);
	if (e->id[0])
		et_html_element(out, "p class=\"dim\"", "%s, %s, %s, %s", e->id,
			et_format_rfc3339(e->started_wall_ns, when), e->host.name, e->host.cpu);
	et_html_warnings(out, &p->warnings);
	if (p->compared)
		changes(p, out);
	for (size_t c = 0; c < p->n; c++)
		section(p, c, out);
	et_html_end(out);
}
