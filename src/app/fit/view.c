/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/fit/view.h"
#include "base/alloc.h"
#include "draw/table.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

#define BOLD "1"
#define FAINT "2"

enum { LABEL = 12 };

/* --- the answer --- */

struct et_fit_answer et_fit_answer(const struct et_fit_view *v)
{
	const struct et_growth *g = &v->growth;
	struct et_fit_answer a = { .from = g->points[g->n - 1].size };

	a.to = g->best == ET_GROWTH_EXP ? a.from + 1 : ET_GROWTH_FAR * a.from;
	et_growth_ratio(g, a.from, a.to, &a.ratio);
	return a;
}

const char *et_fit_name(const struct et_growth *g, enum et_growth_model m, char buf[64])
{
	const struct et_growth_fit *f = &g->fits[m];

	if (m != ET_GROWTH_POWER || f->excluded)
		snprintf(buf, 64, "%s", et_growth_names[m]);
	else
		snprintf(buf, 64, "n^%.3g", f->c);
	return buf;
}

/* "11.6 times as long (11.2 … 12.1)". */
static const char *times_as_long(const struct et_growth_value *r, char buf[2 * ET_FIGURE])
{
	char value[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];
	if (!(r->hi < 1e6)) { /* 2ⁿ is possible, and nothing bounds it */
		snprintf(buf, 2 * ET_FIGURE, "%.4g times as long (%.4g or more)", r->value, r->lo);
		return buf;
	}
	/* No more than four digits. */
	double below = fmin(r->lo, 0.9995 * r->value), above = fmax(r->hi, 1.0005 * r->value);

	snprintf(buf, 2 * ET_FIGURE, "%.50s times as long (%.50s … %.50s)",
		et_format_bound(r->value, r->value, below, above, value),
		et_format_bound(r->lo, r->value, below, above, lo),
		et_format_bound(r->hi, r->value, below, above, hi));
	return buf;
}

char *et_fit_sentence(const struct et_fit_view *v)
{
	const struct et_growth *g = &v->growth;
	const struct et_growth_fit *best = &g->fits[g->best];
	struct et_fit_answer a = et_fit_answer(v);
	char ratio[2 * ET_FIGURE], name[64];

	times_as_long(&a.ratio, ratio);
	if (g->all_rejected && g->points[g->n - 1].mean < g->points[0].mean)
		return et_strdup("time falls as n grows, so no model of growth fits");
	if (g->all_rejected)
		return et_asprintf("no model fits; the nearest is %s, by which %s takes %s",
			et_fit_name(g, g->best, name),
			g->best == ET_GROWTH_EXP ? "an n larger by 1" : "10 times the input",
			ratio);
	if (g->best == ET_GROWTH_CONSTANT)
		return et_asprintf("time does not grow with n (weight %.2f); 10 times the input "
				   "takes %s",
			best->weight, ratio);
	return et_asprintf("time grows as %s (weight %.2f); %s takes %s",
		et_fit_name(g, g->best, name), best->weight,
		g->best == ET_GROWTH_EXP ? "an n larger by 1" : "10 times the input", ratio);
}

/* --- models --- */

const char *et_fit_objection(const struct et_growth_fit *f, char buf[64])
{
	static const char *const exclusions[] = { "", "would need a negative factor",
		"log n is negative below 1", "sizes too far apart for 2ⁿ" };
	double p = f->rejected == ET_GROWTH_RUNS ? f->runs_p : f->p;
	const char *by = f->rejected == ET_GROWTH_RUNS ? "runs of residuals" : "lack of fit";

	if (f->excluded)
		snprintf(buf, 64, "%s", exclusions[f->excluded]);
	else if (!f->rejected)
		*buf = '\0';
	else if (p < 0.0001)
		snprintf(buf, 64, "%s, p < 0.0001", by);
	else
		snprintf(buf, 64, "%s, p = %.2g", by, p);
	return buf;
}

static bool before(const struct et_growth *g, enum et_growth_model a, enum et_growth_model b)
{
	const struct et_growth_fit *x = &g->fits[a], *y = &g->fits[b];

	if (!x->excluded != !y->excluded)
		return !x->excluded;
	return !x->excluded && x->aicc != y->aicc && a != ET_GROWTH_POWER && b != ET_GROWTH_POWER
		       ? x->aicc < y->aicc
		       : x->weight > y->weight;
}

void et_fit_order(const struct et_growth *g, enum et_growth_model order[ET_GROWTH_MODELS])
{
	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		int at = m;

		for (; at > 0 && before(g, (enum et_growth_model)m, order[at - 1]); at--)
			order[at] = order[at - 1];
		order[at] = (enum et_growth_model)m;
	}
}

static void print_models(const struct et_growth *g, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "model"),
		ET_COLUMN(NUMBER, "weight"), ET_COLUMN(NUMBER, "R²  "),
		ET_COLUMN(NUMBER, "off by up to"), ET_COLUMN(TEXT, "rejected by") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };
	enum et_growth_model order[ET_GROWTH_MODELS];
	char name[64], why[64], off[ET_FIGURE];

	et_fit_order(g, order);
	for (int i = 0; i < ET_GROWTH_MODELS; i++) {
		const struct et_growth_fit *f = &g->fits[order[i]];

		et_fit_name(g, order[i], name);
		et_fit_objection(f, why);
		if (f->excluded)
			et_table_add(
				&t, "%s\t%s\t%s\t%s\t%s", name, ET_DASH, ET_DASH, ET_DASH, why);
		else
			et_table_add(&t, "%s\t%.3f\t%.4f\t%s\t%s", name, f->weight, f->r2,
				et_format_percent(f->off, off), why);
	}
	et_table_print(&t, page);
}

/* --- figures --- */

static void row(const struct et_page *page, const char *label, const char *fmt, ...)
	ET_PRINTF(3, 4);

static void row(const struct et_page *page, const char *label, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	et_page_row(page, LABEL + 3, label, NULL, fmt, ap);
	va_end(ap);
}

/* "t = 1.2 ms + 0.45 ns · n²". */
static void print_formula(const struct et_growth *g, const struct et_page *page)
{
	const struct et_growth_fit *f = &g->fits[g->best];
	char constant[ET_FIGURE], name[64], error[64] = "";

	et_format_time(f->a, constant);
	if (g->best == ET_GROWTH_CONSTANT) {
		row(page, "curve", "t = %s", constant);
		return;
	}
	if (isfinite(f->c_error))
		snprintf(error, sizeof(error), ", exponent %.4g ± %.2g (one standard error)", f->c,
			f->c_error);
	row(page, "curve", "t = %s%s%.4g ns · %s%s", f->a > 0 ? constant : "",
		f->a > 0 ? " + " : "", f->b, et_fit_name(g, g->best, name), error);
}

/* "1.2 ms … 3.4 ms", with no more than five digits. */
static const char *span(double lo, double hi, char buf[2 * ET_FIGURE])
{
	double half = fmax((hi - lo) / 2, 1e-4 * hi);
	char first[ET_FIGURE], last[ET_FIGURE];

	snprintf(buf, 2 * ET_FIGURE, "%.80s … %.80s",
		et_format_value_to(lo, half, ET_UNIT_NS, first),
		et_format_value_to(hi, half, ET_UNIT_NS, last));
	return buf;
}

static void print_measured(const struct et_fit_view *v, const struct et_page *page)
{
	const struct et_growth *g = &v->growth;
	const struct et_metric_row *metric = v->points->metric;

	row(page, "measured", "%zu sizes from %.6g to %.6g, %zu runs%s%s", g->n, g->points[0].size,
		g->points[g->n - 1].size, g->samples, metric ? ", " : "",
		metric ? metric->label : "");
	for (size_t i = 0; i < g->n_anomalies && i < 8; i++) {
		const struct et_growth_anomaly *a = &g->anomalies[i];
		double half = fmax((a->hi - a->lo) / 2, 1e-4 * a->mean);
		char mean[ET_FIGURE], predicted[2 * ET_FIGURE];

		row(page, i ? "" : "anomalies",
			"size %.6g takes %s, but the other sizes predict %s", a->size,
			et_format_value_to(a->mean, half, ET_UNIT_NS, mean),
			span(fmax(a->lo, 0), a->hi, predicted));
	}
	if (g->n_anomalies > 8)
		row(page, "", "and %zu more sizes", g->n_anomalies - 8);
}

static void print_predictions(const struct et_fit_view *v, const struct et_page *page)
{
	const struct et_growth *g = &v->growth;
	char level[ET_FIGURE], head[ET_FIGURE];
	const struct et_table_column columns[] = { ET_COLUMN(NUMBER, "size"),
		ET_COLUMN(NUMBER, "mean time"), ET_COLUMN(NUMBER, head),
		ET_COLUMN(NUMBER, "one run") };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };

	if (!v->n_predict)
		return;
	putc('\n', page->out);
	snprintf(head, sizeof(head), "%.80s interval", et_format_percent(g->level, level));
	for (size_t i = 0; i < v->n_predict; i++) {
		struct et_growth_value at;
		char value[ET_FIGURE], interval[2 * ET_FIGURE], run[2 * ET_FIGURE];

		et_growth_at(g, v->predict[i], &at);
		et_table_add(&t, "%.8g\t%s\t%s\t%s", v->predict[i],
			et_format_value_to(at.value, fmax((at.hi - at.lo) / 2, 1e-4 * at.value),
				ET_UNIT_NS, value),
			span(at.lo, at.hi, interval), span(at.run_lo, at.run_hi, run));
	}
	et_table_print(&t, page);
}

void et_fit_text(const struct et_fit_view *v, const struct et_page *page)
{
	const struct et_growth *g = &v->growth;
	ET_AUTO_FREE char *sentence = et_fit_sentence(v),
			  *lead = et_asprintf("%s:", v->points->name);
	ET_AUTO_FREE char *clean = et_clean(lead, "");
	struct et_warnings w = { 0 };

	et_page_paragraph(page, 2, clean, BOLD, sentence, NULL);
	print_formula(g, page);
	print_measured(v, page);
	putc('\n', page->out);
	print_models(g, page);
	print_predictions(v, page);
	putc('\n', page->out);
	et_fit_plot(v, page);
	et_growth_warn(g, &w);
	et_warnings_text(page, 2, &w);
	et_warnings_free(&w);
}

/* --- several series --- */

void et_fit_compare_text(const struct et_fit_view *list, size_t n, const struct et_page *page)
{
	double from = INFINITY;
	ET_AUTO_FREE struct et_growth_value *ratio = et_calloc(n, sizeof(*ratio));
	ET_AUTO_FREE size_t *order = et_calloc(n, sizeof(*order));

	for (size_t i = 0; i < n; i++)
		from = fmin(from, list[i].growth.points[list[i].growth.n - 1].size);
	for (size_t i = 0; i < n; i++) {
		size_t at = i;

		et_growth_ratio(&list[i].growth, from, ET_GROWTH_FAR * from, &ratio[i]);
		for (; at > 0 && ratio[i].value > ratio[order[at - 1]].value; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	bool sure = ratio[order[0]].lo > ratio[order[1]].hi;
	ET_AUTO_FREE char *text =
		et_asprintf(sure ? "%s grows fastest" : "it is not certain that %s grows fastest",
			list[order[0]].points->name);
	et_page_paragraph(page, 2, "", NULL, text, BOLD);
	fprintf(page->out, "  from n = %.6g to %.6g:\n", from, ET_GROWTH_FAR * from);
	for (size_t i = 0; i < n; i++) {
		const struct et_fit_view *v = &list[order[i]];
		char buf[2 * ET_FIGURE], name[64];
		ET_AUTO_FREE char *line =
			et_asprintf("%s, %s: %s", et_fit_name(&v->growth, v->growth.best, name),
				v->points->name, times_as_long(&ratio[order[i]], buf));
		et_page_paragraph(page, 4, "  ", NULL, line, NULL);
	}
}
