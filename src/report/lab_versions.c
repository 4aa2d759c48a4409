/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/lab_versions.h"
#include "base/alloc.h"
#include "base/json.h"
#include "report/plot.h"
#include "report/rows.h"
#include "report/svg_sheet.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

enum {
	NAME_COLUMNS = 12,
	RUNS_COLUMNS = 5,
	OUT_COLUMNS = 11,
	TIME_COLUMNS = 11,
	SD_COLUMNS = 10,
	PERCENT_COLUMNS = 8,
	MOST_CURVES = ET_SVG_COLORS, /* each has its own colour */
	WIDTH = 620,                 /* of a chart */
	HEIGHT = 400,
};

static const struct {
	enum et_metric metric;
	const char *name;
} times[] = { { ET_METRIC_ELAPSED, "elapsed time" }, { ET_METRIC_CPU, "CPU time" } };

/* --- tables --- */

/* "16 (15+1)" if EMP's checks removed runs, else their number. */
static const char *format_out(
	const struct et_version_figures *f, enum et_metric m, char buf[ET_FIGURE])
{
	size_t checks = f->out[m].first + f->out[m].second;

	if (!f->runs)
		return "";
	if (checks && !f->out[m].other)
		snprintf(
			buf, ET_FIGURE, "%zu (%zu+%zu)", checks, f->out[m].first, f->out[m].second);
	else
		snprintf(buf, ET_FIGURE, "%zu", checks + f->out[m].other);
	return buf;
}

/* A time in the unit of the mean, with the digits that the sd supports. */
static const char *format_to(double ns, const struct et_precision *p, char buf[ET_FIGURE])
{
	struct et_scale s = et_scale_of(p->mean, p->sd);
	char number[ET_FIGURE];

	if (!isfinite(ns))
		return ET_DASH;
	snprintf(buf, ET_FIGURE, "%.80s %s", et_scale_number(s, ns, number), s.unit);
	return buf;
}

static void version_row(
	const struct et_version_task *t, int v, enum et_metric m, const struct et_page *page)
{
	static const struct et_precision none = { 0, NAN, NAN, NAN, NAN, NAN };
	const struct et_version_figures *f = &t->list[v];
	const struct et_precision *p = f->runs ? &f->by[m] : &none;
	char buf[ET_FIGURE];

	fprintf(page->out, "%-*s\t", NAME_COLUMNS, et_version_names[v]);
	snprintf(buf, sizeof(buf), "%zu", f->runs);
	et_right(page, RUNS_COLUMNS, f->runs ? buf : ET_DASH);
	et_right(page, OUT_COLUMNS, format_out(f, m, buf));
	et_cell(page, TIME_COLUMNS, format_to(p->min, p, buf));
	et_right(page, TIME_COLUMNS, format_to(p->max, p, buf));
	et_cell(page, TIME_COLUMNS, format_to(p->mean, p, buf));
	et_right(page, SD_COLUMNS, et_format_rounded(p->sd, 3, buf));
	et_right(page, PERCENT_COLUMNS, et_format_percent(p->relative_error, buf));
	putc('\n', page->out);
}

/* Paced runs are listed if there are any, the papers' versions always. */
static bool is_listed(const struct et_versions *v, const struct et_version_task *t, int i)
{
	return t->list[i].runs || v->why_not[i] || t->why_not[i] || i <= ET_EMP_V6;
}

static void task_table(const struct et_versions *v, const struct et_version_task *t, size_t time,
	const struct et_page *page)
{
	ET_AUTO_FREE char *title = et_asprintf("%s, %s", t->name, times[time].name);
	struct et_rows rows;

	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "%-*s\t%*s%*s\t%*s%*s\t%*s%*s%*s\n", NAME_COLUMNS, "version",
		RUNS_COLUMNS, "runs", OUT_COLUMNS, "out", TIME_COLUMNS, "min", TIME_COLUMNS, "max",
		TIME_COLUMNS, "mean", SD_COLUMNS, "sd", PERCENT_COLUMNS, "rel.");
	for (int i = 0; i < ET_VERSIONS; i++) {
		if (is_listed(v, t, i))
			version_row(t, i, times[time].metric, table);
	}
	et_rows_end(&rows);
	putc('\n', page->out);
}

/* --- curves --- */

/* The versions that are drawn, with what they share. */
struct curves {
	double *x; /* seconds, ascending */
	size_t n;
	const struct et_version_task **at;
	int versions[MOST_CURVES];
	size_t n_versions;
};

static bool has_figures(const struct et_versions *v, int version)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->tasks[i].seconds > 0 && v->tasks[i].list[version].by[ET_METRIC_CPU].sd > 0)
			return true;
	}
	return false;
}

static void gather(const struct et_versions *v, struct curves *c)
{
	*c = (struct curves){ .x = et_calloc(v->n + 1, sizeof(*c->x)),
		.at = et_calloc(v->n + 1, sizeof(*c->at)) };
	for (size_t i = 0; i < v->n; i++) {
		if (!(v->tasks[i].seconds > 0))
			continue; /* a command that never ran has no length */
		c->x[c->n] = v->tasks[i].seconds;
		c->at[c->n++] = &v->tasks[i];
	}
	for (int i = 0; i < ET_VERSIONS && c->n_versions < MOST_CURVES; i++) {
		if (has_figures(v, i))
			c->versions[c->n_versions++] = i;
	}
}

static void curves_free(struct curves *c)
{
	free(c->x);
	free(c->at);
}

/* One of the four pictures of Figure 17. */
struct picture {
	const char *title;
	enum et_metric metric;
	bool relative; /* the relative error, otherwise the sd */
};

static const struct picture pictures[] = {
	{ "(a) standard deviation of elapsed time", ET_METRIC_ELAPSED, false },
	{ "(b) standard deviation of CPU time", ET_METRIC_CPU, false },
	{ "(c) relative error of elapsed time", ET_METRIC_ELAPSED, true },
	{ "(d) relative error of CPU time", ET_METRIC_CPU, true },
};

/* The values of a version over the lengths; NaN where there is none. Caller frees. */
static double *heights(const struct curves *c, const struct picture *p, int version)
{
	double *y = et_calloc(c->n + 1, sizeof(*y));

	for (size_t i = 0; i < c->n; i++) {
		const struct et_version_figures *f = &c->at[i]->list[version];
		const struct et_precision *q = &f->by[p->metric];
		y[i] = !f->runs ? NAN : p->relative ? q->relative_error : q->sd;
	}
	return y;
}

static void picture_text(
	const struct curves *c, const struct picture *p, const struct et_page *page)
{
	static const char marks[ET_VERSIONS] = { '1', '2', '3', '4', '5', '6', 'a', 'b', 'o', 'p' };
	struct et_curve curves[MOST_CURVES];
	double *y[MOST_CURVES];

	for (size_t i = 0; i < c->n_versions; i++) {
		int v = c->versions[i];
		y[i] = heights(c, p, v);
		curves[i] = (struct et_curve){ et_version_names[v], marks[v], y[i] };
	}
	et_page_paragraph(page, 0, "", NULL, p->title, BOLD);
	et_plot_log(c->x, c->n, curves, c->n_versions, p->relative ? ET_AXIS_SHARE : ET_AXIS_NS,
		"seconds", page);
	putc('\n', page->out);
	for (size_t i = 0; i < c->n_versions; i++)
		free(y[i]);
}

static void figure_text(const struct et_versions *v, const struct et_page *page)
{
	struct curves c;

	gather(v, &c);
	for (size_t i = 0; c.n > 1 && c.n_versions && i < ET_LENGTH(pictures); i++)
		picture_text(&c, &pictures[i], page);
	curves_free(&c);
}

static void add_chart(const struct curves *c, const struct picture *p, const double *x_ns,
	struct et_svg_sheet *sheet)
{
	struct et_svg_series series[MOST_CURVES];
	double *y[MOST_CURVES];
	struct et_chart chart = { .title = p->title,
		.description = "By version of EMP, over the length of the task; both axes are "
			       "logarithmic.",
		.x = { .label = "length of the task", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = p->relative ? "sd / mean" : "sd",
			.unit = p->relative ? ET_AXIS_SHARE : ET_AXIS_NS,
			.log = true },
		.series = series,
		.n_series = c->n_versions,
		.width = WIDTH,
		.height = HEIGHT };

	for (size_t i = 0; i < c->n_versions; i++) {
		y[i] = heights(c, p, c->versions[i]);
		series[i] = (struct et_svg_series){ .name = et_version_names[c->versions[i]],
			.shape = ET_SVG_CURVE,
			.color = (unsigned)i,
			.x = x_ns,
			.y = y[i],
			.n = c->n };
	}
	et_svg_sheet_add(sheet, &chart);
	for (size_t i = 0; i < c->n_versions; i++)
		free(y[i]);
}

void et_versions_svg(const struct et_versions *v, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * WIDTH);
	struct curves c;

	gather(v, &c);
	ET_AUTO_FREE double *x_ns = et_calloc(c.n + 1, sizeof(*x_ns));
	for (size_t i = 0; i < c.n; i++)
		x_ns[i] = 1e9 * c.x[i];
	for (size_t i = 0; i < ET_LENGTH(pictures); i++)
		add_chart(&c, &pictures[i], x_ns, sheet);
	et_svg_sheet_write(
		sheet, "Precision of the versions of EMP over the length of the task", out);
	curves_free(&c);
}

static bool is_explained(const struct et_versions *v, int version)
{
	for (size_t i = 0; i < v->n; i++) {
		if (is_listed(v, &v->tasks[i], version))
			return true;
	}
	return false;
}

/* Appends the reason of task i with all tasks that have it, at the first of them. */
static void append_reason(const struct et_versions *v, int version, size_t i, char **text)
{
	const char *why = v->tasks[i].why_not[version];
	ET_AUTO_FREE char *names = NULL;
	size_t n = 0;

	for (size_t k = 0; why && k < v->n; k++) {
		const char *other = v->tasks[k].why_not[version];
		if (!other || strcmp(other, why))
			continue;
		if (k < i)
			return;
		et_append(&names, ", ", "%s", v->tasks[k].name);
		n++;
	}
	if (n && n == v->n)
		et_append(text, "; ", "left empty: %s", why);
	else if (n)
		et_append(text, "; ", "%s left empty: %s", names, why);
}

static void explain(const struct et_versions *v, int version, const struct et_page *page)
{
	ET_AUTO_FREE char *lead = et_asprintf("  %-12s", et_version_names[version]);
	ET_AUTO_FREE char *text = et_strdup(v->rules[version]);

	if (v->why_not[version])
		et_append(&text, "; ", "left empty: %s", v->why_not[version]);
	for (size_t i = 0; !v->why_not[version] && i < v->n; i++)
		append_reason(v, version, i, &text);
	et_page_paragraph(page, 15, lead, NULL, text, NULL);
}

static const char *format_length(double seconds, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.6g %s", seconds < 1 ? 1000 * seconds : seconds,
		seconds < 1 ? "ms" : "s");
	return buf;
}

/* The answer: which version is the most precise. */
static void answer(const struct et_versions *v, const struct et_page *page)
{
	struct et_best_version best = et_versions_best(v);
	char error[ET_FIGURE], from[ET_FIGURE], to[ET_FIGURE];

	if (!best.lengths)
		return;
	ET_AUTO_FREE char *text = et_asprintf("Smallest relative error of CPU time: %s with %s",
		et_version_names[best.version], et_format_percent(best.relative_error, error));
	if (best.lengths == 1)
		et_append(&text, " ", "at %s", format_length(best.longest, to));
	else
		et_append(&text, " ", "on average over %s to %s",
			format_length(best.shortest, from), format_length(best.longest, to));
	if (isfinite(best.as_is_elapsed))
		et_append(&text, " ", "(elapsed time as is: %s)",
			et_format_percent(best.as_is_elapsed, error));
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
	putc('\n', page->out);
}

void et_versions_text(const struct et_versions *v, const struct et_page *page)
{
	answer(v, page);
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < ET_LENGTH(times); k++)
			task_table(v, &v->tasks[i], k, page);
	}
	figure_text(v, page);
	et_page_paragraph(page, 0, "", NULL,
		"runs: those measured; out: those removed, by EMP's checks as total (I + II); min, "
		"max, mean, sd: of the others; rel.: relative error, sd / mean.",
		NULL);
	for (int i = 0; i < ET_VERSIONS; i++) {
		if (is_explained(v, i))
			explain(v, i, page);
	}
}

/* --- JSON --- */

static void write_figures(
	struct et_json *w, const char *key, const struct et_version_figures *f, enum et_metric m)
{
	const struct et_precision *p = &f->by[m];

	if (!f->runs) {
		et_json_null(w, key);
		return;
	}
	et_json_flat_object(w, key);
	et_json_u64(w, "n", p->n);
	et_json_u64(w, "removed", f->out[m].first + f->out[m].second + f->out[m].other);
	et_json_u64(w, "removed_first", f->out[m].first);
	et_json_u64(w, "removed_second", f->out[m].second);
	et_json_double(w, "mean_ns", p->mean);
	et_json_double(w, "sd_ns", p->sd);
	et_json_double(w, "relative_error", p->relative_error);
	et_json_double(w, "min_ns", p->min);
	et_json_double(w, "max_ns", p->max);
	et_json_end(w);
}

static void write_experiments(
	struct et_json *w, const struct et_experiment *const *experiments, size_t n)
{
	bool done = n > 0;

	for (size_t i = 0; i < n; i++)
		done = done && experiments[i]->state == ET_STATE_DONE;
	et_json_string(w, "state", et_state_names[done ? ET_STATE_DONE : ET_STATE_INTERRUPTED]);
	et_json_array(w, "experiments");
	for (size_t i = 0; i < n; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "id", experiments[i]->id);
		et_json_string(w, "label", experiments[i]->label);
		et_json_string(w, "state", et_state_names[experiments[i]->state]);
		et_json_end(w);
	}
	et_json_end(w);
}

static void write_best(struct et_json *w, const struct et_versions *v)
{
	struct et_best_version best = et_versions_best(v);

	if (!best.lengths) {
		et_json_null(w, "best");
		return;
	}
	et_json_flat_object(w, "best");
	et_json_string(w, "version", et_version_names[best.version]);
	et_json_u64(w, "lengths", best.lengths);
	et_json_double(w, "relative_error_pt", best.relative_error);
	et_json_double(w, "relative_error_et_as_is", best.as_is_elapsed);
	et_json_end(w);
}

static void write_task(struct et_json *w, const struct et_version_task *t)
{
	et_json_object(w, NULL);
	et_json_string(w, "name", t->name);
	et_json_double(w, "seconds", t->seconds);
	et_json_array(w, "versions");
	for (int i = 0; i < ET_VERSIONS; i++) {
		et_json_object(w, NULL);
		et_json_string(w, "version", et_version_names[i]);
		et_json_u64(w, "runs", t->list[i].runs);
		et_json_string(w, "not_possible", t->why_not[i]);
		write_figures(w, "et", &t->list[i], ET_METRIC_ELAPSED);
		write_figures(w, "pt", &t->list[i], ET_METRIC_CPU);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

void et_versions_json(const struct et_versions *v, const struct et_experiment *const *experiments,
	size_t n, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", "emp-versions");
	write_experiments(&w, experiments, n);
	write_best(&w, v);
	et_json_array(&w, "versions");
	for (int i = 0; i < ET_VERSIONS; i++) {
		et_json_object(&w, NULL);
		et_json_string(&w, "version", et_version_names[i]);
		et_json_string(&w, "rule", v->rules[i]);
		et_json_string(&w, "not_possible", v->why_not[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_array(&w, "tasks");
	for (size_t i = 0; i < v->n; i++)
		write_task(&w, &v->tasks[i]);
	et_json_end(&w);
	et_json_end(&w);
}
