/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/fit/fit.h"
#include "draw/html.h"
#include "draw/table.h"
#include "draw/units.h"
#include "num/line.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"
#include "report/warning.h"

#define BOLD "1"

enum { LABEL = 12, MARKS = 16, GRID = 120, WIDTH = 720, HEIGHT = 420, SHEET = 760 };

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
	if (!(r->hi < 1e6)) { /* 2ⁿ is possible, and nothing bounds it */
		snprintf(buf, 2 * ET_FIGURE, "%.4g times as long (%.4g or more)", r->value, r->lo);
		return buf;
	}
	/* No more than four digits. */
	double below = fmin(r->lo, 0.9995 * r->value), above = fmax(r->hi, 1.0005 * r->value);

	snprintf(buf, 2 * ET_FIGURE, "%.50s times as long (%.50s … %.50s)",
		et_format_bound(r->value, r->value, below, above, ET_BUF),
		et_format_bound(r->lo, r->value, below, above, ET_BUF),
		et_format_bound(r->hi, r->value, below, above, ET_BUF));
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

/* The models in that order; a page also has the formulas. */
static struct et_table models_table(const struct et_growth *g, bool page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "model"),
		ET_COLUMN(NUMBER, "weight"), ET_COLUMN(NUMBER, "R²  "),
		ET_COLUMN(NUMBER, "off by up to"), ET_COLUMN(TEXT, "rejected by"),
		ET_COLUMN(TEXT, "formula") };
	struct et_table t = { columns, ET_LENGTH(columns) - !page, .indent = 2, .split = true };
	enum et_growth_model order[ET_GROWTH_MODELS];
	char name[64], why[64];

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
				et_format_percent(f->off, ET_BUF), why);
		if (page)
			et_table_add(&t, "%s", et_growth_formulas[order[i]]);
	}
	return t;
}

/* --- figures --- */

#define row(page, label, ...) et_page_row(page, LABEL + 3, label, NULL, __VA_ARGS__)

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

	snprintf(buf, 2 * ET_FIGURE, "%.80s … %.80s",
		et_format_value_to(lo, half, ET_UNIT_NS, ET_BUF),
		et_format_value_to(hi, half, ET_UNIT_NS, ET_BUF));
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
		char predicted[2 * ET_FIGURE];

		row(page, i ? "" : "anomalies",
			"size %.6g takes %s, but the other sizes predict %s", a->size,
			et_format_value_to(a->mean, half, ET_UNIT_NS, ET_BUF),
			span(fmax(a->lo, 0), a->hi, predicted));
	}
	if (g->n_anomalies > 8)
		row(page, "", "and %zu more sizes", g->n_anomalies - 8);
}

static struct et_table predictions_table(const struct et_fit_view *v)
{
	const struct et_growth *g = &v->growth;
	struct et_table t = { .indent = 2, .split = true };
	char head[ET_FIGURE];

	snprintf(head, sizeof(head), "%.80s interval", et_format_percent(g->level, ET_BUF));
	et_table_column(&t, ET_TABLE_NUMBER, "size");
	et_table_column(&t, ET_TABLE_NUMBER, "mean time");
	et_table_column(&t, ET_TABLE_NUMBER, head);
	et_table_column(&t, ET_TABLE_NUMBER, "one run");
	for (size_t i = 0; i < v->r->n_predict; i++) {
		struct et_growth_value at;
		char interval[2 * ET_FIGURE], run[2 * ET_FIGURE];

		et_growth_at(g, v->r->predict[i], &at);
		et_table_add(&t, "%.8g\t%s\t%s\t%s", v->r->predict[i],
			et_format_value_to(at.value, fmax((at.hi - at.lo) / 2, 1e-4 * at.value),
				ET_UNIT_NS, ET_BUF),
			span(at.lo, at.hi, interval), span(at.run_lo, at.run_hi, run));
	}
	return t;
}

/* --- the curve with its band --- */

/* Adds the curve and the ends of its band at these sizes; NULL: without a name. */
static void add_curves(struct et_chart *c, const struct et_growth *g, const double *sizes, size_t n,
	const char *band, const char *model)
{
	struct et_curve *lo = et_chart_curve(c, ET_SVG_LINE, ET_SVG_GREY, band);
	struct et_curve *hi = et_chart_curve(c, ET_SVG_LINE, ET_SVG_GREY, NULL);
	struct et_curve *fitted = et_chart_curve(c, ET_SVG_LINE, ET_SVG_RED, model);

	for (size_t i = 0; i < n; i++) {
		struct et_growth_value at;

		et_growth_at(g, sizes[i], &at);
		et_curve_add(fitted, sizes[i], at.value);
		et_curve_add(lo, sizes[i], at.lo);
		et_curve_add(hi, sizes[i], at.hi);
	}
}

static const struct et_chart empty = { .x = { .label = "size", .log = true },
	.y = { .label = "time", .unit = ET_AXIS_NS, .log = true },
	.width = WIDTH,
	.height = HEIGHT,
	.wide = true,
	.text = { .x_label = "n" } };

/* Some of the measured sizes, and the predicted ones; ascending. Returns their number. */
static size_t choose_sizes(const struct et_fit_view *v, double *x)
{
	const struct et_growth *g = &v->growth;
	size_t n = 0, some = g->n < MARKS ? g->n : MARKS;

	for (size_t i = 0; i < some; i++)
		x[n++] = g->points[i * (g->n - 1) / (some - 1)].size;
	for (size_t i = 0; i < v->r->n_predict && i < MARKS; i++)
		x[n++] = v->r->predict[i];
	et_sort(x, n);
	return n;
}

static double mean_at(const struct et_growth *g, double size)
{
	for (size_t i = 0; i < g->n; i++)
		if (g->points[i].size == size)
			return g->points[i].mean;
	return NAN;
}

static void plot(const struct et_fit_view *v, const struct et_page *page)
{
	struct et_chart c = empty;
	double x[2 * MARKS] = { 0 };
	size_t n = choose_sizes(v, x);
	char name[64];

	add_curves(&c, &v->growth, x, n, NULL, NULL);
	struct et_curve *k = et_chart_curve(&c, ET_SVG_CURVE, ET_SVG_BLUE,
		et_chart_format(&c, "measured, on the curve of %s with its band",
			et_fit_name(&v->growth, v->growth.best, name)));
	k->mark = 'o';
	for (size_t i = 0; i < n; i++)
		et_curve_add(k, x[i], mean_at(&v->growth, x[i]));
	et_chart_print(&c, page);
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
	struct et_table models = models_table(g, false), predictions = predictions_table(v);
	et_table_print(&models, page);
	if (v->r->n_predict)
		putc('\n', page->out);
	if (v->r->n_predict)
		et_table_print(&predictions, page);
	putc('\n', page->out);
	et_table_free(&predictions);
	plot(v, page);
	et_growth_warn(g, &w);
	et_warnings_text(page, 2, &w);
	et_warnings_free(&w);
}

/* --- as SVG and as a page --- */

static void add_points(struct et_chart *c, const struct et_growth *g)
{
	struct et_curve *k = et_chart_curve(c, ET_SVG_POINTS, ET_SVG_BLUE, "measured mean");

	for (size_t i = 0; i < g->n; i++) {
		const struct et_growth_point *p = &g->points[i];
		double error = p->n > 1 ? sqrt(p->variance / (double)p->n) : NAN;
		char buf[ET_FIGURE];
		const char *title = et_chart_format(c, "size %.6g, %zu run%s: %s", p->size, p->n,
			p->n == 1 ? "" : "s",
			p->n > 1 ? et_format_measured(p->mean, error, buf)
				 : et_format_time(p->mean, buf));
		et_curve_add_dot(k, (struct et_dot){ .x = p->size, .y = p->mean, .title = title });
	}
}

static void draw(const struct et_fit_view *v, const struct et_chart_to *to)
{
	const struct et_growth *g = &v->growth;
	double begin = g->points[0].size, end = g->points[g->n - 1].size, x[GRID];
	struct et_chart c = empty;
	char name[64];

	for (size_t i = 0; i < v->r->n_predict; i++)
		end = fmax(end, v->r->predict[i]);
	for (int i = 0; i < GRID; i++)
		x[i] = begin * pow(end / begin, i / (GRID - 1.0));
	c.title = v->points->name;
	c.description = et_chart_own(&c, et_fit_sentence(v));
	add_curves(&c, g, x, GRID, et_chart_format(&c, "%.4g %% band", 100 * g->level),
		et_chart_format(&c, "curve of %s", et_fit_name(g, g->best, name)));
	add_points(&c, g);
	et_chart_put(&c, to);
}

void et_fit_svg(const void *list, FILE *out)
{
	const struct et_fit_list *l = list;
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);

	for (size_t i = 0; i < l->n; i++) {
		ET_AUTO_FREE char *sentence = et_fit_sentence(&l->views[i]);

		draw(&l->views[i], &(struct et_chart_to){ .sheet = sheet });
		et_svg_sheet_text(sheet, false, sentence);
	}
	et_svg_sheet_write(sheet, "growth of time with the size of the input", out);
}

void et_fit_page(const void *list, FILE *out)
{
	const struct et_fit_list *l = list;

	et_html_begin(out, "Growth of time with the size of the input");
	for (size_t i = 0; i < l->n; i++) {
		const struct et_fit_view *v = &l->views[i];
		ET_AUTO_FREE char *sentence = et_fit_sentence(v);
		struct et_warnings w = { 0 };

		et_html_element(out, "h2", "%s", v->points->name);
		et_html_element(out, "p", "%s", sentence);
		et_growth_warn(&v->growth, &w);
		et_html_warnings(out, &w);
		et_warnings_free(&w);
		et_html_pictures_begin(out);
		draw(v, &(struct et_chart_to){ .page = out });
		et_html_pictures_end(out);
		struct et_table models = models_table(&v->growth, true);
		struct et_table predictions = predictions_table(v);
		et_table_html(&models, out);
		if (v->r->n_predict)
			et_table_html(&predictions, out);
		et_table_free(&predictions);
	}
	et_html_end(out);
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
	et_page_say(page, 2, "", NULL, BOLD,
		sure ? "%s grows fastest" : "it is not certain that %s grows fastest",
		list[order[0]].points->name);
	fprintf(page->out, "  from n = %.6g to %.6g:\n", from, ET_GROWTH_FAR * from);
	for (size_t i = 0; i < n; i++) {
		const struct et_fit_view *v = &list[order[i]];
		char buf[2 * ET_FIGURE], name[64];
		et_page_say(page, 4, "  ", NULL, NULL, "%s, %s: %s",
			et_fit_name(&v->growth, v->growth.best, name), v->points->name,
			times_as_long(&ratio[order[i]], buf));
	}
}

/* --- JSON --- */

static const char *const exclusion_keys[] = { NULL, "negative-factor", "size-below-1",
	"too-steep" };
static const char *const rejection_keys[] = { NULL, "lack-of-fit", "runs" };

ET_FIELDS(fit_fields, ET_KEYS(et_growth_fit, aicc, weight, r2, off),
	ET_KEY_NAME(et_growth_fit, "rejected_by", rejected, rejection_keys),
	ET_KEY(et_growth_fit, "lack_of_fit_f", f), ET_KEY(et_growth_fit, "lack_of_fit_p", p),
	ET_KEYS(et_growth_fit, runs_p));

static void write_model(const struct et_growth *g, enum et_growth_model m, struct et_json *w)
{
	const struct et_growth_fit *f = &g->fits[m];

	et_json_object(w, NULL);
	et_json_string(w, "name", et_growth_keys[m]);
	et_json_string(w, "formula", et_growth_formulas[m]);
	et_json_string(w, "excluded", exclusion_keys[f->excluded]);
	if (!f->excluded) {
		et_json_flat_array(w, "coefficients");
		et_json_double(w, NULL, f->a);
		if (m != ET_GROWTH_CONSTANT)
			et_json_double(w, NULL, f->b);
		if (m == ET_GROWTH_POWER)
			et_json_double(w, NULL, f->c);
		et_json_end(w);
		if (m == ET_GROWTH_POWER)
			et_json_double(w, "exponent_error", f->c_error);
		et_fields_write(w, fit_fields, f);
	}
	et_json_end(w);
}

static double point_sd(const void *point)
{
	return sqrt(((const struct et_growth_point *)point)->variance);
}

ET_FIELDS(value_fields, ET_KEY(et_growth_value, "time_ns", value),
	ET_KEYS_NS(et_growth_value, lo, hi, run_lo, run_hi));

static void write_predictions(const struct et_fit_view *v, struct et_json *w)
{
	et_json_array(w, "prediction");
	for (size_t i = 0; i < v->r->n_predict; i++) {
		struct et_growth_value at;

		et_growth_at(&v->growth, v->r->predict[i], &at);
		et_json_flat_object(w, NULL);
		et_json_double(w, "size", v->r->predict[i]);
		et_fields_write(w, value_fields, &at);
		et_json_end(w);
	}
	et_json_end(w);
}

ET_FIELDS(growth_fields,
	ET_KEY_LIST(et_growth, "sizes", points, n,
		ET_TABLE(ET_KEYS(et_growth_point, size), ET_KEY(et_growth_point, "runs", n),
			ET_KEYS_NS(et_growth_point, mean), ET_KEY_OF("sd_ns", point_sd)),
		.flat = true));

ET_FIELDS(anomaly_fields, ET_KEY_LIST(et_growth, "anomalies", anomalies, n_anomalies,
				  ET_TABLE(ET_KEYS(et_growth_anomaly, size),
					  ET_KEYS_NS(et_growth_anomaly, mean, expected, lo, hi)),
				  .flat = true));

ET_FIELDS(answer_fields, ET_KEYS(et_fit_answer, from, to),
	ET_KEY(et_fit_answer, "ratio", ratio.value), ET_KEY(et_fit_answer, "lo", ratio.lo),
	ET_KEY(et_fit_answer, "hi", ratio.hi));

void et_fit_json(const struct et_fit_view *v, struct et_json *w)
{
	const struct et_growth *g = &v->growth;
	struct et_fit_answer a = et_fit_answer(v);
	struct et_warnings warnings = { 0 };

	et_json_object(w, NULL);
	et_json_string(w, "name", v->points->name);
	et_json_string(w, "metric", v->points->metric ? v->points->metric->name : NULL);
	et_json_string(w, "best", et_growth_keys[g->best]);
	et_fields_flat(w, "growth", answer_fields, &a);
	et_json_double(w, "level", g->level);
	et_json_double(w, "scatter", g->all_rejected ? g->excess : 0);
	et_json_array(w, "models");
	for (int m = 0; m < ET_GROWTH_MODELS; m++)
		write_model(g, (enum et_growth_model)m, w);
	et_json_end(w);
	et_fields_write(w, growth_fields, g);
	write_predictions(v, w);
	et_fields_write(w, anomaly_fields, g);
	et_growth_warn(g, &warnings);
	et_warnings_json(w, &warnings);
	et_warnings_free(&warnings);
	et_json_end(w);
}

/* --- lines --- */

static double r2_of(const struct et_fit_view *l)
{
	double total = et_variance(l->y, l->n) * (double)(l->n - 1);

	return 1 - l->line.residual_sd * l->line.residual_sd * l->line.df / total;
}

static enum et_unit unit_of(const struct et_fit_view *l)
{
	return l->points->times ? ET_UNIT_NS : ET_UNIT_NONE;
}

/* A value of y, which may be negative, with the digits that its uncertainty supports. */
static const char *figure(
	const struct et_fit_view *l, double x, double uncertainty, char buf[ET_FIGURE])
{
	if (!l->points->times || x >= 0)
		return et_format_value_to(x, uncertainty, unit_of(l), buf);
	snprintf(buf, ET_FIGURE, "-%.90s", et_format_value_to(-x, uncertainty, unit_of(l), ET_BUF));
	return buf;
}

static void print_prediction(const struct et_fit_view *l, double x, const struct et_page *page)
{
	struct et_line_at at;

	et_line_at(&l->line, x, l->r->level, &at);
	ET_AUTO_FREE char *lead = et_asprintf("  at %.6g:", x);
	et_page_say(page, 6, lead, NULL, NULL,
		"%s ± %s for one more point, ± %s for the line itself "
		"(%.4g %%)",
		figure(l, at.value, at.prediction, ET_BUF),
		figure(l, at.prediction, at.prediction, ET_BUF),
		figure(l, at.confidence, at.confidence, ET_BUF), 100 * l->r->level);
}

static void print_verdict(const struct et_fit_view *l, const struct et_page *page)
{
	struct et_line_at at;
	char expect[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];

	et_line_at(&l->line, l->r->predict[0], l->r->level, &at);
	bool off = et_line_is_off(&at, l->r->expect);
	double digits = at.prediction;
	for (int i = 0; i < 2; i++) {
		figure(l, l->r->expect, digits, expect);
		figure(l, at.value - at.prediction, digits, lo);
		figure(l, at.value + at.prediction, digits, hi);
		if (!off || (strcmp(expect, lo) && strcmp(expect, hi)))
			break;
		/* A value just outside needs the digits that show it. */
		digits = fabs(l->r->expect - at.value) - at.prediction;
	}
	et_page_say(page, 4, off ? "  anomalous:" : "  consistent:", BOLD, NULL, "%s is %s %s … %s",
		expect,
		!off                      ? "inside"
		: l->r->expect > at.value ? "above"
					  : "below",
		lo, hi);
}

void et_fit_line_text(const struct et_fit_view *l, const struct et_page *page)
{
	const struct et_line *line = &l->line;
	double k = et_qt((1 + l->r->level) / 2, line->df);
	double slope_half = k * line->slope_error, start_half = k * line->intercept_error;
	ET_AUTO_FREE char *name = et_asprintf("%s:", l->points->name);

	et_page_say(page, 2, name, BOLD, NULL, "y = (%s ± %s) + (%s ± %s) x",
		figure(l, line->intercept, start_half, ET_BUF),
		figure(l, start_half, start_half, ET_BUF),
		figure(l, line->slope, slope_half, ET_BUF),
		figure(l, slope_half, slope_half, ET_BUF));
	fprintf(page->out, "  %zu points, R² = %.4f, residual sd %s, intervals of %.4g %%\n", l->n,
		r2_of(l), figure(l, line->residual_sd, line->residual_sd, ET_BUF),
		100 * l->r->level);
	for (size_t i = 0; i < l->r->n_predict; i++)
		print_prediction(l, l->r->predict[i], page);
	if (!isnan(l->r->expect))
		print_verdict(l, page);
}

ET_FIELDS(line_fields,
	ET_KEYS(et_line, intercept, slope, intercept_error, slope_error, residual_sd, df));

void et_fit_line_json(const struct et_fit_view *l, struct et_json *w)
{
	struct et_line_at at;

	et_json_object(w, NULL);
	et_json_string(w, "name", l->points->name);
	et_json_string(w, "unit", et_unit_names[unit_of(l)]);
	et_json_object(w, "line");
	et_fields_write(w, line_fields, &l->line);
	et_json_double(w, "r2", r2_of(l));
	et_json_end(w);
	et_json_double(w, "level", l->r->level);
	et_json_array(w, "prediction");
	for (size_t i = 0; i < l->r->n_predict; i++) {
		et_line_at(&l->line, l->r->predict[i], l->r->level, &at);
		et_json_flat_object(w, NULL);
		et_json_double(w, "x", l->r->predict[i]);
		et_json_double(w, "value", at.value);
		et_json_double(w, "lo", at.value - at.prediction);
		et_json_double(w, "hi", at.value + at.prediction);
		et_json_double(w, "line_lo", at.value - at.confidence);
		et_json_double(w, "line_hi", at.value + at.confidence);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_double(w, "expected", l->r->expect);
	if (isnan(l->r->expect)) {
		et_json_null(w, "verdict");
	} else {
		et_line_at(&l->line, l->r->predict[0], l->r->level, &at);
		et_json_string(w, "verdict",
			et_line_is_off(&at, l->r->expect) ? "anomalous" : "consistent");
	}
	et_json_end(w);
}
