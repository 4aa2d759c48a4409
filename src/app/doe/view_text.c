/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A designed experiment as text, with -v all that it rests on; and as a page with charts. */
#include "app/doe/view.h"
#include "draw/html.h"
#include "report/pair.h"
#include "report/warning.h"

#include <ctype.h>

/* The first columns of the effects, which text has; a page has all. */
enum { COLUMNS_OF_TEXT = 7 };

void et_doe_heading(const struct et_page *page, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	putc('\n', page->out);
	et_page_paragraph(page, 0, "", NULL, text, ET_DOE_BOLD);
}

void et_doe_say(const struct et_page *page, const char *style, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	ET_AUTO_FREE char *text = et_vasprintf(fmt, ap);
	va_end(ap);
	if (*text)
		et_page_paragraph(page, 2, "", NULL, text, style);
}

void et_doe_put_table(const struct et_doe_to *to, const char *title, struct et_table *t)
{
	t->whole = true;
	if (title && to->page)
		et_doe_heading(to->page, "%s", title);
	else if (title)
		et_html_element(to->html, "h3", "%c%s", toupper((unsigned char)*title), title + 1);
	if (to->page)
		et_table_print(t, to->page);
	else
		et_table_html(t, to->html);
}

void et_doe_share_cell(struct et_table *t, int decimals, size_t n, size_t of, const char *after)
{
	if (of)
		et_table_add(t, "%.*f%s", decimals, 100 * (double)n / (double)of, after);
	else
		et_table_add(t, ET_DASH);
}

void et_doe_percent_cell(struct et_table *t, double x, double lo, double hi, const char *style)
{
	char text[ET_FIGURE], right[ET_FIGURE];

	et_doe_percent(x, lo, hi, text);
	char *sign = strchr(text, ' ');
	snprintf(right, sizeof(right), "%s", sign ? sign : "");
	if (sign)
		*sign = '\0';
	et_table_text(t, text, right, style);
}

static const char *format_digits(double x, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.5g", x);
	return isfinite(x) ? buf : ET_DASH;
}

static const char *format_share(double x, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.1f %%", 100 * x);
	return isfinite(x) ? buf : ET_DASH;
}

static const char *format_f(double x, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.*f", x < 100 ? 2 : 0, x);
	return isfinite(x) ? buf : ET_DASH;
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

static void put_title(const struct et_doe_view *v, const struct et_page *page)
{
	const struct et_doe_result *r = v->result;
	const struct et_design *d = r->design;
	ET_AUTO_FREE char *shape = shape_of(d);
	char machines[48] = "";
	size_t n = 0;

	for (size_t i = 0; i < r->n_programs; i++)
		n += r->programs[i].n;
	if (r->n_machines > 1)
		snprintf(machines, sizeof(machines), " on %zu machines", r->n_machines);
	putc('\n', page->out);
	et_doe_say(page, NULL, "%s: %s treatment%s of %zu program%s, %zu runs count%s, %s", d->name,
		shape, et_doe_plural(d->n_treatments), d->n_programs, et_doe_plural(d->n_programs),
		n, machines, et_metrics[r->metric].label);
}

void et_doe_print_short(const struct et_doe_view *v, const struct et_page *page)
{
	for (size_t i = 0; i < v->result->n_programs; i++) {
		ET_AUTO_FREE char *finding = et_doe_finding(v, &v->result->programs[i]);
		et_doe_say(page, ET_DOE_BOLD, "%s", finding);
	}
	ET_AUTO_FREE char *missing = et_doe_missing(v);
	ET_AUTO_FREE char *summary = et_doe_summary(v);
	et_doe_say(page, ET_DOE_BOLD, "%s", missing);
	et_doe_say(page, NULL, "%s", summary);
}

/* --- effects --- */

static void effect_row(struct et_table *s, const struct et_doe_view *v,
	const struct et_doe_program *p, const struct et_doe_effect *e)
{
	const char *style = e->significant ? ET_DOE_BOLD : NULL;
	bool page = s->n_columns > COLUMNS_OF_TEXT;
	double half = et_doe_has_interval(e) ? (e->hi - e->lo) / 2 : NAN;
	struct et_doe_change c = et_doe_change_of(p, e);
	ET_AUTO_FREE char *levels = et_doe_levels(v, p, e), *term = et_strdup(e->term);

	if (page && e->aliases)
		et_append(&term, " = ", "%s", e->aliases);
	et_table_name(s, term, style);
	et_table_text(s, "", levels, NULL);
	et_table_text(s, et_doe_value(e->effect, half, v->result->unit, ET_BUF), "", style);
	et_doe_percent_cell(s, c.percent, c.lo, c.hi, style);
	et_table_row(s, e->share, e->f);
	et_table_text(s, et_doe_p(e->p_holm, ET_BUF), "", style);
	if (page) {
		et_table_add(s, "%g", e->df);
		et_table_number(s, e->p);
	}
}

/* On a page, the variation that no effect explains. */
static void noise_row(struct et_table *s, const char *name, double share, double df)
{
	et_table_name(s, name, NULL);
	et_table_add(s, "\t\t");
	et_table_number(s, share);
	et_table_add(s, "\t\t%g\t", df);
}

/* In the table they would leave no room for the names of the terms. */
static void aliases(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;

	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));) {
		if (e->aliases)
			et_append(&text, "; ", "%s = %s", e->term, e->aliases);
	}
	if (text)
		et_page_paragraph(page, 2, "aliased: ", NULL, text, NULL);
}

static void effects(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_to *to)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "term"),
		ET_COLUMN(FIGURE, "levels", .drop = 4), ET_COLUMN(FIGURE, "effect", .drop = 5),
		ET_COLUMN(FIGURE, "change"),
		ET_COLUMN(FIGURE, "share", .drop = 3, .format = format_share),
		ET_COLUMN(FIGURE, "F", .drop = 2, .format = format_f),
		ET_COLUMN(FIGURE, "p (Holm)"), ET_COLUMN(FIGURE, "df"),
		ET_COLUMN(FIGURE, "p", .format = et_doe_p) };
	struct et_table s = { ET_COLUMNS(columns), .names_first = 4 };

	if (to->page)
		s.n_columns = COLUMNS_OF_TEXT;
	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));)
		effect_row(&s, v, p, e);
	if (!to->page && p->df_blocks > 0)
		noise_row(&s, et_doe_blocks_name(v->result), p->ss_blocks / p->ss_total,
			p->df_blocks);
	if (!to->page)
		noise_row(&s, "residual", p->share_residual, p->df_residual);
	et_doe_put_table(to, NULL, &s);
}

static void variation_row(struct et_table *s, const char *name, double share)
{
	et_table_row(s, name, share);
	et_table_bar(s, share, NULL);
}

/* The allocation of variation; terms that explain little are one row. */
static void variation(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "variation"),
		ET_COLUMN(FIGURE, "share", .format = format_share), ET_COLUMN(BAR, "") };
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

static void anova(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "term"),
		ET_COLUMN(FIGURE, "df", .format = format_digits),
		ET_COLUMN(FIGURE, "sum of sq.", .format = format_digits),
		ET_COLUMN(FIGURE, "mean square", .drop = 1, .format = format_digits),
		ET_COLUMN(FIGURE, "F", .format = format_digits),
		ET_COLUMN(FIGURE, "p", .drop = 2, .format = et_doe_p),
		ET_COLUMN(FIGURE, "p (Holm)", .format = et_doe_p) };
	struct et_table s = { ET_COLUMNS(columns), .names_first = 1 };
	const double scale = v->result->unit == ET_UNIT_NS ? 1e-12 : 1;

	et_doe_heading(page, "analysis of variance%s",
		v->result->unit == ET_UNIT_NS ? " (squares in ms²)" : "");
	for (const struct et_doe_effect *e = NULL; (e = et_doe_next(v, p, e));)
		et_table_row(&s, e->term, e->df, e->sum_squares * scale, e->mean_square * scale,
			e->f, e->p, e->p_holm);
	if (p->df_blocks > 0) {
		et_table_row(&s, et_doe_blocks_name(v->result), p->df_blocks, p->ss_blocks * scale,
			p->ss_blocks / p->df_blocks * scale);
		et_table_add(&s, "\t\t");
	}
	et_table_row(&s, "residual", p->df_residual, p->ss_residual * scale,
		p->ss_residual / p->df_residual * scale);
	et_table_add(&s, "\t\t");
	et_table_print(&s, page);
}

static void cells(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_doe_to *to)
{
	static const struct et_table_column columns[] = { ET_COLUMN(FIGURE, "no."),
		ET_COLUMN(NAME, "treatment"), ET_COLUMN(FIGURE, "runs", .drop = 1),
		ET_COLUMN(FIGURE, "mean"), ET_COLUMN(FIGURE, "sd", .drop = 2),
		ET_COLUMN(FIGURE, "median", .drop = 2) };
	struct et_table s = { ET_COLUMNS(columns) };
	enum et_unit unit = v->result->unit;

	for (size_t t = 0; t < p->n_cells; t++) {
		const struct et_estimate *c = &p->cells[t];
		double half = (c->hi - c->lo) / 2;

		et_table_add(&s, "%zu", t + 1);
		et_table_name(&s, v->result->design->treatments[t].name, NULL);
		et_table_add(&s, "%zu\t%s\t%s\t%s", c->n,
			c->n ? et_format_value_measured(c->mean, half, unit, ET_BUF) : ET_DASH,
			c->n > 1 ? et_doe_value(c->sd, half, unit, ET_BUF) : ET_DASH,
			c->n ? et_doe_value(c->median, half, unit, ET_BUF) : ET_DASH);
	}
	et_doe_put_table(to, "treatments", &s);
}

static void residuals(const struct et_doe_program *p, const struct et_page *page)
{
	et_doe_heading(page, "residuals");
	et_doe_say(page, NULL,
		"normal: p %s; equal spread of all treatments: p %s; independent in the order of "
		"runs: p %s",
		et_doe_p(p->residuals.normal_p, ET_BUF), et_doe_p(p->residuals.equal_p, ET_BUF),
		et_doe_p(p->residuals.serial_p, ET_BUF));
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
	et_doe_heading(page, "pairs of treatments%s",
		brief && numbers ? ", by their numbers in the table above" : "");
	for (size_t i = 0; i < p->n_pairs && i < MOST; i++) {
		size_t a = p->pairs[i].a, b = p->pairs[i].b;
		et_pair_text(page, brief ? names[b] : d->treatments[b].name,
			brief ? names[a] : d->treatments[a].name, &p->pairs[i], false);
	}
	et_strv_free(names);
	if (p->n_pairs > MOST)
		et_doe_say(page, NULL, "… and %zu more: --json has all of them", p->n_pairs - MOST);
}

/* --- a program, and all of them --- */

/* "tested by analysis of variance; differences between blocks are removed". */
static char *method_of(const struct et_doe_view *v, const struct et_doe_program *p)
{
	static const char *const names[] = { "analysis of variance", "Welch's tests",
		"aligned ranks" };
	char *text = et_asprintf("tested by %s", names[p->method]);

	if (p->why)
		et_append(&text, " ", "(%s)", p->why);
	if (v->result->blocked)
		et_append(&text, "; ", "differences between %s are removed",
			et_doe_blocks_name(v->result));
	return text;
}

static void program(
	const struct et_doe_view *v, const struct et_doe_program *p, const struct et_page *page)
{
	const struct et_doe_to to = { .page = page };
	double u = p->sd_residual / sqrt((double)p->n);

	et_doe_heading(page, "%s: mean %s of %zu runs", p->name,
		et_format_value_to(p->mean, u, v->result->unit, ET_BUF), p->n);
	effects(v, p, &to);
	aliases(v, p, page);
	variation(v, p, page);
	ET_AUTO_FREE char *method = method_of(v, p);
	ET_AUTO_FREE char *components = et_doe_components(p);
	et_doe_say(page, NULL, "%s", method);
	et_doe_say(page, NULL, "%s", components);
	if (v->result->n_programs > 1 && v->verbose) {
		ET_AUTO_FREE char *fastest = et_doe_fastest(v, p);
		et_doe_say(page, NULL, "%s", fastest);
	}
	et_warnings_text(page, 2, &p->warnings);
	if (!v->verbose)
		return;
	et_doe_machines_tables(v, p, &to);
	anova(v, p, page);
	cells(v, p, &to);
	residuals(p, page);
	pairs(v, p, page);
}

void et_doe_text(const struct et_doe_view *v, const struct et_page *page)
{
	et_doe_print_short(v, page);
	put_title(v, page);
	et_warnings_text(page, 0, &v->result->warnings);
	for (size_t i = 0; i < v->result->n_programs; i++)
		program(v, &v->result->programs[i], page);
	if (v->tables)
		et_doe_tables(v, page);
	if (v->plot || v->verbose)
		et_doe_plot(v, page);
}

/* --- page --- */

static void pairs_of_page(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "treatment"),
		ET_COLUMN(TEXT, "compared with"), ET_COLUMN(TEXT, "result"),
		ET_COLUMN(TEXT, "test"), ET_COLUMN(FIGURE, "p", .format = et_doe_p),
		ET_COLUMN(FIGURE, "p (Holm)", .format = et_doe_p) };
	const struct et_treatment *t = v->result->design->treatments;
	struct et_table s = { ET_COLUMNS(columns) };

	for (size_t i = 0; i < p->n_pairs; i++) {
		const struct et_contrast *c = &p->pairs[i];
		ET_AUTO_FREE char *conclusion = et_conclusion_text(c);

		et_table_row(&s, t[c->b].name, t[c->a].name, conclusion,
			c->method ? c->method : ET_DASH, c->p, c->p_holm);
	}
	ET_AUTO_FREE char *title =
		et_asprintf("pairs of treatments: %zu of %zu differ, %zu after Holm", p->before,
			p->n_pairs, p->after);
	if (p->n_pairs)
		et_doe_put_table(&(struct et_doe_to){ .html = out }, title, &s);
}

static void program_of_page(const struct et_doe_view *v, const struct et_doe_program *p, FILE *out)
{
	const struct et_doe_to to = { .html = out };
	ET_AUTO_FREE char *method = method_of(v, p);

	et_html_element(out, "h2", "%s", p->name);
	et_html_warnings(out, &p->warnings);
	effects(v, p, &to);
	et_html_element(out, "p class=\"dim\"", "T%s.", method + 1);
	et_html_pictures_begin(out);
	et_doe_charts(v, p, &(struct et_chart_to){ .page = out });
	et_html_pictures_end(out);
	et_doe_machines_tables(v, p, &to);
	cells(v, p, &to);
	pairs_of_page(v, p, out);
}

/* A table of pairs over programs, as the paper has it, with a column per treatment. */
static void over_programs(const struct et_doe_view *v, FILE *out)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "pair"),
		ET_COLUMN(FIGURE, "programs"), ET_COLUMN(FIGURE, "differ (%)"),
		ET_COLUMN(FIGURE, "after Holm (%)"), ET_COLUMN(FIGURE, "Student (%)"),
		ET_COLUMN(FIGURE, "Welch (%)"), ET_COLUMN(FIGURE, "Wilcoxon (%)") };
	const struct et_doe_result *r = v->result;
	struct et_table s = { ET_COLUMNS(columns) };

	if (r->n_programs < 2 || !r->n_pairs)
		return;
	et_html_element(out, "h2", "Pairs of treatments over all programs");
	for (size_t i = 0; i < r->n_pairs; i++) {
		const struct et_doe_pair *p = &r->pairs[i];
		const size_t counts[] = { p->before, p->after, p->student, p->welch, p->wilcoxon };
		ET_AUTO_FREE char *name = et_asprintf("%s, %s", r->design->treatments[p->a].name,
			r->design->treatments[p->b].name);

		et_table_name(&s, name, NULL);
		et_table_add(&s, "%zu", p->programs);
		for (size_t k = 0; k < ET_LENGTH(counts); k++)
			et_doe_share_cell(&s, 2, counts[k], p->programs,
				k == 1 && p->after < p->before ? "*" : "");
	}
	et_doe_put_table(&(struct et_doe_to){ .html = out }, NULL, &s);
}

void et_doe_page(const void *view, FILE *out)
{
	const struct et_doe_view *v = view;
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
		program_of_page(v, &v->result->programs[i], out);
	over_programs(v, out);
	et_html_end(out);
}
