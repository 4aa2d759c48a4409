/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/compare/view.h"
#include "base/parse.h"
#include "draw/terminal.h"
#include "draw/units.h"
#include "report/charts.h"
#include "report/pair.h"
#include "report/warning.h"

#define BOLD "1"

enum { NUMBER = 7 }; /* columns of the number of a series before its name */

/* --- text --- */

static void show_series(const struct et_page *page, const char *name, const struct et_series *s,
	const struct et_compared *f)
{
	double error =
		f->sd / sqrt((double)s->n); /* of the mean; of the sd it is less by sqrt(2) */
	ET_AUTO_FREE char *lead = et_asprintf("  %s:", name);
	ET_AUTO_FREE char *text = et_asprintf("%zu values, mean %s, sd %s, median %s, %s "
					      "(Shapiro-Wilk p = %.2g)",
		s->n, et_format_value_to(f->mean, error, s->unit, ET_BUF),
		et_format_value_to(f->sd, error / M_SQRT2, s->unit, ET_BUF),
		et_format_value_to(f->median, error, s->unit, ET_BUF),
		f->gaussian ? "may be normal" : "not normal", f->shapiro.p);
	ET_AUTO_FREE char *constant = et_asprintf(
		"%zu values, all %s", s->n, et_format_value(f->median, s->unit, ET_BUF));

	et_page_paragraph(page, 6, lead, NULL, isnan(f->shapiro.p) ? constant : text, NULL);
	et_warnings_text(page, 4, &f->warnings);
}

/* The cell of the matrix in row a and column b. */
static const char *cell(const struct et_comparison *c, size_t a, size_t b, char buf[ET_FIGURE])
{
	for (size_t i = 0; i < c->n_pairs; i++) {
		const struct et_contrast *p = &c->pairs[i];
		bool there = p->a == a && p->b == b, back = p->a == b && p->b == a;
		if (!there && !back)
			continue;
		struct et_ratio r = et_contrast_ratio(p);
		if (back)
			r = (struct et_ratio){ 1 / r.estimate, 1 / r.hi, 1 / r.lo, r.method };
		if (!p->significant)
			snprintf(buf, ET_FIGURE,
				p->conclusion == ET_CONCLUDED_SAME_BY_HOLM ? "~" : "=");
		else if (!isfinite(r.estimate) || r.estimate <= 0)
			snprintf(buf, ET_FIGURE, "≠");
		else
			et_format_change_signed(r.estimate, r.lo, r.hi, buf);
		return buf;
	}
	snprintf(buf, ET_FIGURE, "·");
	return buf;
}

/* The title of a column is its number. */
static int widest_cell(const struct et_comparison *c)
{
	int widest = et_columns(et_name_by_number(c->n_samples - 1, ET_BUF));

	for (size_t i = 0; i < c->n_samples * c->n_samples; i++) {
		int columns = et_columns(cell(c, i / c->n_samples, i % c->n_samples, ET_BUF));
		widest = columns > widest ? columns : widest;
	}
	return widest;
}

static void matrix_rows(
	const struct et_page *page, char *const *names, const struct et_comparison *c, int width)
{
	char buf[ET_FIGURE];
	int name = 0;

	for (size_t i = 0; i < c->n_samples; i++) {
		int columns = et_columns(names[i]);
		name = columns > name ? columns : name;
	}
	fprintf(page->out, "%*s", name + NUMBER, "");
	for (size_t b = 0; b < c->n_samples; b++)
		fprintf(page->out, "%*s", width, et_name_by_number(b, buf));
	fputc('\n', page->out);
	for (size_t a = 0; a < c->n_samples; a++) {
		fprintf(page->out, "%*s  %s%*s", NUMBER - 2, et_name_by_number(a, buf), names[a],
			name - et_columns(names[a]), "");
		for (size_t b = 0; b < c->n_samples; b++) {
			cell(c, a, b, buf);
			fprintf(page->out, "%*s%s", width - et_columns(buf), "", buf);
		}
		fputc('\n', page->out);
	}
}

/* Columns are numbered. A narrow page omits the matrix, which repeats the lines above it. */
static void show_matrix(
	const struct et_page *page, const struct et_series *s, const struct et_comparison *c)
{
	enum { NAME = 16, GAP = 2, LEAST_CELL = 5 };

	/* The cells of many series are not worth their layout. */
	if (c->n_samples < 3 || (int)(NAME + NUMBER + LEAST_CELL * c->n_samples) > page->width)
		return;
	int width = widest_cell(c) + GAP;
	if ((int)(NAME + NUMBER + (size_t)width * c->n_samples) > page->width)
		return;
	char **names = et_series_names(page, s, c->n_samples, 0, NAME);
	fputc('\n', page->out);
	bool by_holm = false;
	for (size_t i = 0; i < c->n_pairs; i++)
		by_holm = by_holm || c->pairs[i].conclusion == ET_CONCLUDED_SAME_BY_HOLM;
	et_page_paragraph(page, 0, "", NULL,
		by_holm ? "matrix: the change from the row to the column; =: no difference shown; "
			  "~: differs before the correction only"
			: "matrix: the change from the row to the column; =: no difference shown",
		BOLD);
	matrix_rows(page, names, c, width);
	et_strv_free(names);
}

/* The lines about all comparisons together. */
static void show_all(const struct et_page *page, const struct et_comparison *c)
{
	if (c->all.test && !isnan(c->all.p)) {
		ET_AUTO_FREE char *text = et_asprintf("all series together: %s, p = %.2g",
			!strcmp(c->all.test, "kruskal-wallis") ? "Kruskal-Wallis"
			: !strcmp(c->all.test, "anova")        ? "analysis of variance"
							       : "Welch's analysis of variance",
			c->all.p);
		et_page_paragraph(page, 2, "", NULL, text, NULL);
	}
	if (c->simultaneous)
		et_page_say(page, 2, "", NULL, NULL,
			"intervals: %.6g %% each, %.4g %% together (Sidak)", 100 * c->level,
			100 * (1 - c->alpha));
}

void et_compare_text(const struct et_series *s, const struct et_comparison *c,
	const struct et_page *page, bool verbose)
{
	char **names = et_series_names(page, s, c->n_samples, 0, page->width / 2);

	et_page_paragraph(page, 0, "", NULL, "series", BOLD);
	for (size_t i = 0; i < c->n_samples; i++)
		show_series(page, names[i], &s[i], &c->samples[i]);
	et_strv_free(names);
	fputc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, "comparison", BOLD);
	for (size_t i = 0; i < c->n_pairs; i++)
		et_pair_text(
			page, s[c->pairs[i].b].name, s[c->pairs[i].a].name, &c->pairs[i], verbose);
	et_forest(s, c, page);
	show_matrix(page, s, c);
	if (c->n_pairs > 1) {
		fputc('\n', page->out);
		et_page_say(page, 2, "", NULL, NULL,
			"pairs that differ: %.0f %% of %zu at a level of %.4g each, %.0f %% after "
			"Holm's correction",
			100 * c->before_holm, c->n_pairs, c->alpha, 100 * c->after_holm);
	}
	show_all(page, c);
	et_warnings_text(page, 2, &c->warnings);
}

/* --- JSON --- */

ET_FIELDS(series_fields, ET_KEYS(et_compared, mean, sd, median),
	ET_KEY_FLAT(et_compared, "shapiro", shapiro,
		ET_TABLE(ET_KEYS(et_normality, w, p), ET_KEY(et_normality, "n", n_used))),
	ET_KEYS(et_compared, gaussian), ET_KEY_WARNINGS(et_compared, warnings));

ET_FIELDS(comparison_fields,
	ET_KEY_WORD(et_comparison, "intervals", simultaneous, "single", "simultaneous"),
	ET_KEY_GROUP("all",
		ET_TABLE(ET_KEY(et_comparison, "test", all.test),
			ET_KEY(et_comparison, "statistic", all.statistic),
			ET_KEY(et_comparison, "df", all.df), ET_KEY(et_comparison, "df2", all.df2),
			ET_KEY(et_comparison, "p", all.p)),
		.flat = true, ET_GIVEN(et_comparison, all.test)),
	ET_KEY_GROUP("pairs_different", ET_TABLE(ET_KEYS(et_comparison, before_holm, after_holm)),
		.flat = true),
	ET_KEY_WARNINGS(et_comparison, warnings));

static void write_series(struct et_json *w, const struct et_series *s, const struct et_compared *f)
{
	et_json_object(w, NULL);
	et_json_string(w, "name", s->name);
	et_json_string(w, "unit", et_unit_names[s->unit]);
	et_json_u64(w, "n", s->n);
	et_fields_write(w, series_fields, f);
	et_json_end(w);
}

void et_compare_json(const struct et_series *s, const struct et_comparison *c, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_double(&w, "alpha", c->alpha);
	et_json_array(&w, "samples");
	for (size_t i = 0; i < c->n_samples; i++)
		write_series(&w, &s[i], &c->samples[i]);
	et_json_end(&w);
	et_json_array(&w, "pairs");
	for (size_t i = 0; i < c->n_pairs; i++)
		et_pair_json(&w, s[c->pairs[i].a].name, s[c->pairs[i].b].name, &c->pairs[i]);
	et_json_end(&w);
	et_fields_write(&w, comparison_fields, c);
	et_json_end(&w);
}
