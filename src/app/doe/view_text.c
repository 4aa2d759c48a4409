/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as text: the answer, then the effects; with -v all that they rest on. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "draw/table.h"
#include "report/pair.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

static void heading(const struct et_page *page, const char *text)
{
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

/* "2 × 3", and "2^(4-1)" of a fraction. */
static char *shape_of(const struct et_design *d)
{
	char *text = NULL;
	size_t generated = 0;

	for (size_t f = 0; f < d->n_factors; f++)
		generated += d->factors[f].generator != NULL;
	if (generated)
		return et_asprintf("2^(%zu-%zu)", d->n_factors, generated);
	for (size_t f = 0; f < d->n_factors; f++)
		et_append(&text, " × ", "%zu", d->factors[f].n_levels);
	return text ? text : et_strdup("");
}

/* The design and the number of runs, in one line. */
static char *title_of(const struct et_doe_view *v)
{
	const struct et_doe_result *r = v->result;
	const struct et_design *d = r->design;
	ET_AUTO_FREE char *shape = shape_of(d);
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++)
		n += r->programs[i].n;
	ET_AUTO_FREE char *machines =
		r->n_machines > 1 ? et_asprintf(" on %zu machines", r->n_machines) : et_strdup("");
	return et_asprintf("%s: %s treatment%s of %zu program%s, %zu runs count%s, %s", d->name,
		shape, d->n_treatments == 1 ? "" : "s", d->n_programs,
		d->n_programs == 1 ? "" : "s", n, machines, et_metrics[r->metric].label);
}

void et_doe_print_short(const struct et_doe_view *v, const struct et_page *page)
{
	for (size_t i = 0; i < v->result->n_programs; i++) {
		ET_AUTO_FREE char *finding = et_doe_finding(v, &v->result->programs[i]);
		et_page_paragraph(page, 2, "", NULL, finding, BOLD);
	}
	ET_AUTO_FREE char *missing = et_doe_missing(v);
	if (*missing)
		et_page_paragraph(page, 2, "", NULL, missing, BOLD);
	ET_AUTO_FREE char *summary = et_doe_summary(v);
	if (*summary)
		et_page_paragraph(page, 2, "", NULL, summary, NULL);
}

/* --- effects --- */

static void effect_row(struct et_table *s, const struct et_doe_view *v,
	const struct et_doe_program *p, const struct et_doe_effect *e)
{
	const char *style = e->significant ? BOLD : NULL;
	double half = et_doe_has_interval(e) ? (e->hi - e->lo) / 2 : NAN;
	char value[ET_FIGURE], percent[ET_FIGURE], text[ET_FIGURE];
	ET_AUTO_FREE char *levels = et_doe_levels(v, p, e);

	et_table_name(s, e->term, style);
	et_table_text(s, "", levels, NULL);
	et_table_text(s, et_doe_value(e->effect, half, v->result->unit, value), "", style);
	et_doe_effect_percent(p, e, percent);
	/* Aligned at the sign of percent. */
	char *sign = strchr(percent, ' ');
	snprintf(text, sizeof(text), "%s", sign ? sign : "");
	if (sign)
		*sign = '\0';
	et_table_text(s, percent, text, style);
	snprintf(text, sizeof(text), "%.1f %%", 100 * e->share);
	et_table_text(s, isfinite(e->share) ? text : ET_DASH, "", NULL);
	snprintf(text, sizeof(text), "%.*f", e->f < 100 ? 2 : 0, e->f);
	et_table_text(s, isfinite(e->f) ? text : ET_DASH, "", NULL);
	et_table_text(s, et_doe_p(e->p_holm, value), "", style);
}

/* In the table they would leave no room for the names of the terms. */
static void aliases(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		if (e->aliases && et_doe_shows(v, e))
			et_append(&text, "; ", "%s = %s", e->term, e->aliases);
	}
	if (text)
		et_page_paragraph(page, 2, "aliased: ", NULL, text, NULL);
}

static void effects(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "term"),
		ET_COLUMN(FIGURE, "levels", .drop = 4), ET_COLUMN(FIGURE, "effect", .drop = 5),
		ET_COLUMN(FIGURE, "change"), ET_COLUMN(FIGURE, "share", .drop = 3),
		ET_COLUMN(FIGURE, "F", .drop = 2), ET_COLUMN(FIGURE, "p (Holm)") };
	struct et_table s = { ET_COLUMNS(columns), .names_first = 4 };

	for (size_t i = 0; i < p->n_effects; i++) {
		if (et_doe_shows(v, &p->effects[i]))
			effect_row(&s, v, p, &p->effects[i]);
	}
	et_table_print(&s, page);
	aliases(v, p, page);
}

static void variation_row(struct et_table *s, const char *name, double share)
{
	char text[ET_FIGURE];

	et_table_name(s, name, NULL);
	snprintf(text, sizeof(text), "%.1f %%", 100 * share);
	et_table_text(s, text, "", NULL);
	et_table_bar(s, share, NULL);
}

/* The allocation of variation; terms that explain little are one row. */
static void variation(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "variation"),
		ET_COLUMN(FIGURE, "share"), ET_COLUMN(BAR, "") };
	struct et_table s = { ET_COLUMNS(columns), .names_first = 1 };
	const double little = 0.01;
	double rest = 0, blocks = p->ss_blocks / p->ss_total;

	if (!isfinite(p->share_residual))
		return;
	for (size_t i = 0; i < p->n_effects; i++) {
		if (p->effects[i].share >= little)
			variation_row(&s, p->effects[i].term, p->effects[i].share);
		else if (p->effects[i].share > 0)
			rest += p->effects[i].share;
	}
	if (rest >= 0.0005)
		variation_row(&s, "others", rest);
	if (p->df_blocks > 0)
		variation_row(&s, et_doe_blocks_name(v->result), blocks);
	variation_row(&s, "residual", p->share_residual);
	putc('\n', page->out);
	et_table_print(&s, page);
}

/* --- -v --- */

static void number_cell(struct et_table *s, double x)
{
	char text[ET_FIGURE] = ET_DASH;

	if (isfinite(x))
		snprintf(text, sizeof(text), "%.5g", x);
	et_table_text(s, text, "", NULL);
}

static void anova_row(struct et_table *s, const char *term, double df, double sum_squares,
	double mean_square, const struct et_doe_effect *e)
{
	char text[ET_FIGURE];

	et_table_name(s, term, NULL);
	number_cell(s, df);
	number_cell(s, sum_squares);
	number_cell(s, mean_square);
	if (e)
		number_cell(s, e->f);
	else
		et_table_text(s, "", "", NULL);
	et_table_text(s, e ? et_doe_p(e->p, text) : "", "", NULL);
	et_table_text(s, e ? et_doe_p(e->p_holm, text) : "", "", NULL);
}

static void anova(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "term"),
		ET_COLUMN(FIGURE, "df"), ET_COLUMN(FIGURE, "sum of sq."),
		ET_COLUMN(FIGURE, "mean square", .drop = 1), ET_COLUMN(FIGURE, "F"),
		ET_COLUMN(FIGURE, "p", .drop = 2), ET_COLUMN(FIGURE, "p (Holm)") };
	struct et_table s = { ET_COLUMNS(columns), .names_first = 1 };
	const double scale = v->result->unit == ET_UNIT_NS ? 1e-12 : 1;

	heading(page, v->result->unit == ET_UNIT_NS ? "analysis of variance (squares in ms²)"
						    : "analysis of variance");
	for (size_t i = 0; i < p->n_effects; i++) {
		const struct et_doe_effect *e = &p->effects[i];
		if (et_doe_shows(v, e))
			anova_row(&s, e->term, e->df, e->sum_squares * scale,
				e->mean_square * scale, e);
	}
	if (p->df_blocks > 0)
		anova_row(&s, et_doe_blocks_name(v->result), p->df_blocks, p->ss_blocks * scale,
			p->ss_blocks / p->df_blocks * scale, NULL);
	anova_row(&s, "residual", p->df_residual, p->ss_residual * scale,
		p->ss_residual / p->df_residual * scale, NULL);
	et_table_print(&s, page);
}

static void cells(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(FIGURE, "no."),
		ET_COLUMN(NAME, "treatment"), ET_COLUMN(FIGURE, "runs", .drop = 1),
		ET_COLUMN(FIGURE, "mean"), ET_COLUMN(FIGURE, "sd", .drop = 2),
		ET_COLUMN(FIGURE, "median", .drop = 2) };
	struct et_table s = { ET_COLUMNS(columns) };
	enum et_unit unit = v->result->unit;
	char text[ET_FIGURE];

	heading(page, "treatments");
	for (size_t t = 0; t < p->n_cells; t++) {
		const struct et_estimate *c = &p->cells[t];
		double half = (c->hi - c->lo) / 2;

		snprintf(text, sizeof(text), "%zu", t + 1);
		et_table_text(&s, text, "", NULL);
		et_table_name(&s, v->result->design->treatments[t].name, NULL);
		snprintf(text, sizeof(text), "%zu", c->n);
		et_table_text(&s, text, "", NULL);
		et_table_text(&s,
			c->n ? et_format_value_measured(c->mean, half, unit, text) : ET_DASH, "",
			NULL);
		et_table_text(
			&s, c->n > 1 ? et_doe_value(c->sd, half, unit, text) : ET_DASH, "", NULL);
		et_table_text(
			&s, c->n ? et_doe_value(c->median, half, unit, text) : ET_DASH, "", NULL);
	}
	et_table_print(&s, page);
}

static void residuals(const struct et_doe_program *p, const struct et_page *page)
{
	char normal[ET_FIGURE], equal[ET_FIGURE], serial[ET_FIGURE];
	ET_AUTO_FREE char *text = et_asprintf("normal: p %s; equal spread of all treatments: p %s; "
					      "independent in the order of runs: p %s",
		et_doe_p(p->residuals.normal_p, normal), et_doe_p(p->residuals.equal_p, equal),
		et_doe_p(p->residuals.serial_p, serial));

	heading(page, "residuals");
	et_page_paragraph(page, 2, "", NULL, text, NULL);
}

static void pairs(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	enum { MOST = 100, MANY_TREATMENTS = 8, LONG_NAME = 20 };
	const struct et_design *d = v->result->design;
	bool numbers, brief = d->n_treatments > MANY_TREATMENTS;

	/* Two long names in a line would be cut until they cannot be told apart. */
	for (size_t t = 0; t < d->n_treatments; t++)
		brief = brief || et_columns(d->treatments[t].name) > LONG_NAME;

	if (!p->n_pairs)
		return;
	char **names = et_doe_short_names(d, &numbers);
	heading(page, brief && numbers ? "pairs of treatments, by their numbers in the table above"
				       : "pairs of treatments");
	for (size_t i = 0; i < p->n_pairs && i < MOST; i++) {
		size_t a = p->pairs[i].a, b = p->pairs[i].b;
		et_pair_text(page, brief ? names[b] : d->treatments[b].name,
			brief ? names[a] : d->treatments[a].name, &p->pairs[i], false);
	}
	et_strv_free(names);
	if (p->n_pairs > MOST) {
		ET_AUTO_FREE char *more =
			et_asprintf("… and %zu more: --json has all of them", p->n_pairs - MOST);
		et_page_paragraph(page, 2, "", NULL, more, NULL);
	}
}

/* --- a program, and all of them --- */

static void program(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	ET_AUTO_FREE char *mean_text = NULL;
	char mean[ET_FIGURE];

	et_format_value_to(p->mean, p->sd_residual / sqrt((double)p->n), v->result->unit, mean);
	mean_text = et_asprintf("%s: mean %s of %zu runs", p->name, mean, p->n);
	heading(page, mean_text);
	effects(v, p, page);
	variation(v, p, page);
	ET_AUTO_FREE char *how = et_doe_method_text(p);
	ET_AUTO_FREE char *method = et_asprintf("tested by %s%s%s%s", how,
		v->result->blocked ? "; differences between " : "",
		v->result->blocked ? et_doe_blocks_name(v->result) : "",
		v->result->blocked ? " are removed" : "");
	et_page_paragraph(page, 2, "", NULL, method, NULL);
	ET_AUTO_FREE char *components = et_doe_components(p);
	if (*components)
		et_page_paragraph(page, 2, "", NULL, components, NULL);
	if (v->result->n_programs > 1 && v->verbose) {
		struct et_doe_result one = *v->result;
		struct et_doe_view single = *v;
		one.programs = (struct et_doe_program *)p;
		one.n_programs = 1;
		single.result = &one;
		ET_AUTO_FREE char *fastest = et_doe_summary(&single);
		et_page_paragraph(page, 2, "", NULL, fastest, NULL);
	}
	et_warnings_text(page, 2, &p->warnings);
	if (!v->verbose)
		return;
	et_doe_machines_text(v, p, page);
	anova(v, p, page);
	cells(v, p, page);
	residuals(p, page);
	pairs(v, p, page);
}

void et_doe_text(const struct et_doe_view *v, const struct et_page *page)
{
	ET_AUTO_FREE char *title = title_of(v);

	et_doe_print_short(v, page);
	putc('\n', page->out);
	et_page_paragraph(page, 2, "", NULL, title, NULL);
	et_warnings_text(page, 0, &v->result->warnings);
	for (size_t i = 0; i < v->result->n_programs; i++)
		program(v, &v->result->programs[i], page);
	if (v->tables)
		et_doe_tables(v, page);
	if (v->plot || v->verbose)
		et_doe_plot(v, page);
}
