/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as a page: the findings, the effects, the charts, the pairs. */
#include "app/doe/view.h"
#include "base/alloc.h"
#include "draw/html.h"
#include "report/pair.h"
#include "report/warning.h"

#include <math.h>

static void cell(FILE *out, const char *text)
{
	et_html_element(out, "td class=\"n\"", "%s", text);
}

static void number_cell(FILE *out, const char *format, double x)
{
	char text[ET_FIGURE] = ET_DASH;

	if (isfinite(x))
		snprintf(text, sizeof(text), "%.*f%s", x < 100 ? 2 : 0, x, format);
	cell(out, text);
}

static void effect_row(const struct et_doe_view *v, const struct et_doe_program *p,
	const struct et_doe_effect *e, FILE *out)
{
	ET_AUTO_FREE char *levels = et_doe_levels(v, p, e);
	double half = et_doe_has_interval(e) ? (e->hi - e->lo) / 2 : NAN;
	char text[ET_FIGURE];

	fputs("<tr>", out);
	et_html_element(out, "td", "%s%s%s", e->term, e->aliases ? " = " : "",
		e->aliases ? e->aliases : "");
	et_html_element(out, "td", "%s", levels);
	cell(out, et_doe_value(e->effect, half, v->result->unit, text));
	cell(out, et_doe_effect_percent(p, e, text));
	number_cell(out, " %", 100 * e->share);
	et_html_element(out, "td class=\"n\"", "%g", e->df);
	number_cell(out, "", e->f);
	cell(out, et_doe_p(e->p, text));
	cell(out, et_doe_p(e->p_holm, text));
	fputs("</tr>\n", out);
}

static void noise_row(const char *name, double share, double df, FILE *out)
{
	fprintf(out, "<tr><td>%s</td><td></td><td></td><td></td>", name);
	number_cell(out, " %", 100 * share);
	et_html_element(out, "td class=\"n\"", "%g", df);
	fputs("<td></td><td></td><td></td></tr>\n", out);
}

static void effects(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	static const char *const headings[] = { "term", "levels", "effect", "change",
		"of the variation", "df", "F", "p", "p (Holm)", NULL };

	et_html_table_begin(out, headings);
	for (size_t i = 0; i < p->n_effects; i++) {
		if (et_doe_shows(v, &p->effects[i]))
			effect_row(v, p, &p->effects[i], out);
	}
	if (p->df_blocks > 0)
		noise_row(et_doe_blocks_name(v->result), p->ss_blocks / p->ss_total, p->df_blocks,
			out);
	noise_row("residual", p->share_residual, p->df_residual, out);
	et_html_table_end(out);
}

static void treatments(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	static const char *const headings[] = { "treatment", "runs", "mean", "sd", NULL };
	char text[ET_FIGURE];

	et_html_table_begin(out, headings);
	for (size_t t = 0; t < p->n_cells; t++) {
		const struct et_estimate *c = &p->cells[t];
		double half = (c->hi - c->lo) / 2;

		fputs("<tr>", out);
		et_html_element(out, "td", "%s", v->result->design->treatments[t].name);
		et_html_element(out, "td class=\"n\"", "%zu", c->n);
		cell(out, c->n ? et_format_value_measured(c->mean, half, v->result->unit, text)
			       : ET_DASH);
		cell(out, c->n > 1 ? et_doe_value(c->sd, half, v->result->unit, text) : ET_DASH);
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

static void pairs(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	static const char *const headings[] = { "treatment", "compared with", "result", "test", "p",
		"p (Holm)", NULL };
	const struct et_treatment *t = v->result->design->treatments;
	char text[ET_FIGURE];

	if (!p->n_pairs)
		return;
	et_html_element(out, "h3", "Pairs of treatments: %zu of %zu differ, %zu after Holm",
		p->before, p->n_pairs, p->after);
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct et_contrast *c = &p->pairs[i];
		ET_AUTO_FREE char *conclusion = et_conclusion_text(c);

		fputs("<tr>", out);
		et_html_element(out, "td", "%s", t[c->b].name);
		et_html_element(out, "td", "%s", t[c->a].name);
		et_html_element(out, "td", "%s", conclusion);
		et_html_element(out, "td", "%s", c->method ? c->method : ET_DASH);
		cell(out, et_doe_p(c->p, text));
		cell(out, et_doe_p(c->p_holm, text));
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

static void program(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	ET_AUTO_FREE char *method = et_doe_method_text(p);

	et_html_element(out, "h2", "%s", p->name);
	et_html_warnings(out, &p->warnings);
	effects(v, p, out);
	et_html_element(out, "p class=\"dim\"", "Tested by %s%s%s%s.", method,
		v->result->blocked ? "; differences between " : "",
		v->result->blocked ? et_doe_blocks_name(v->result) : "",
		v->result->blocked ? " are removed" : "");
	et_html_pictures_begin(out);
	et_doe_charts(v, p, NULL, out);
	et_html_pictures_end(out);
	et_doe_machines_page(v, p, out);
	treatments(v, p, out);
	pairs(v, p, out);
}

/* A table of pairs over programs, as the paper has it, with a column per treatment. */
static void over_programs(const struct et_doe_view *v, FILE *out)
{
	static const char *const headings[] = { "pair", "programs", "differ (%)", "after Holm (%)",
		"Student (%)", "Welch (%)", "Wilcoxon (%)", NULL };
	const struct et_doe_result *r = v->result;

	if (r->n_programs < 2 || !r->n_pairs)
		return;
	et_html_element(out, "h2", "Pairs of treatments over all programs");
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct et_doe_pair *p = &r->pairs[i];
		double n = p->programs ? (double)p->programs : NAN;

		fputs("<tr>", out);
		et_html_element(out, "td", "%s, %s", r->design->treatments[p->a].name,
			r->design->treatments[p->b].name);
		et_html_element(out, "td class=\"n\"", "%zu", p->programs);
		number_cell(out, "", 100 * (double)p->before / n);
		number_cell(out, p->after < p->before ? "*" : "", 100 * (double)p->after / n);
		number_cell(out, "", 100 * (double)p->student / n);
		number_cell(out, "", 100 * (double)p->welch / n);
		number_cell(out, "", 100 * (double)p->wilcoxon / n);
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
}

void et_doe_page(const struct et_doe_view *v, FILE *out)
{
	ET_AUTO_FREE char *summary = et_doe_summary(v);

	ET_AUTO_FREE char *missing = et_doe_missing(v);

	et_html_begin(out, v->result->design->name);
	for (size_t i = 0; i < v->result->n_programs; i++) {
		ET_AUTO_FREE char *finding = et_doe_finding(v, &v->result->programs[i]);
		et_html_element(out, "p", "%s", finding);
	}
	if (*missing)
		et_html_element(out, "p", "%s", missing);
	if (*summary)
		et_html_element(out, "p", "%s", summary);
	et_html_warnings(out, &v->result->warnings);
	for (size_t i = 0; i < v->result->n_programs; i++)
		program(v, &v->result->programs[i], out);
	over_programs(v, out);
	et_html_end(out);
}
