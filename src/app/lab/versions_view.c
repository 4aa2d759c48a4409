/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The versions of EMP as Tables II to VI and XIX and Figure 17 of the papers, as text and SVG. */
#include "app/lab/versions.h"

enum {
	MOST_CURVES = ET_SVG_COLORS, /* each has its own colour */
	WIDTH = 620,                 /* of a chart */
	HEIGHT = 400,
};

static const struct {
	enum et_metric metric;
	const char *name, *title;
	const char *key; /* in JSON */
} times[] = { { ET_METRIC_ELAPSED, "elapsed time", "Elapsed time", "et" },
	{ ET_METRIC_CPU, "CPU time", "CPU time", "pt" } };

enum { ELAPSED, CPU }; /* rows of times */

/* --- tables --- */

static size_t removed_by(const struct et_version_figures *f, enum et_metric m)
{
	return f->out[m].first + f->out[m].second + f->out[m].other;
}

/* "16 (15+1)" if EMP's checks removed runs, else their number. */
static const char *format_out(
	const struct et_version_figures *f, enum et_metric m, char buf[ET_FIGURE])
{
	size_t checks = f->out[m].first + f->out[m].second;

	if (checks && !f->out[m].other)
		snprintf(
			buf, ET_FIGURE, "%zu (%zu+%zu)", checks, f->out[m].first, f->out[m].second);
	else
		snprintf(buf, ET_FIGURE, "%zu", removed_by(f, m));
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

/* "3.28 ms to 5.13 ms" */
static const char *format_limits(double lo, double hi,
	const char *(*format)(double x, char buf[ET_FIGURE]), char buf[2 * ET_FIGURE])
{
	char from[ET_FIGURE], to[ET_FIGURE];

	if (!(isfinite(lo) && isfinite(hi)))
		return ET_DASH;
	snprintf(buf, 2 * ET_FIGURE, "%.90s to %.90s", format(lo, from), format(hi, to));
	return buf;
}

static void version_row(
	const struct et_version_task *t, int v, enum et_metric m, struct et_table *table)
{
	const struct et_version_figures *f = &t->list[v];
	const struct et_precision *p = &f->by[m];
	const struct et_version_limits *l = &f->limits[m];
	char buf[2 * ET_FIGURE];

	et_table_add(table, "%s", et_version_names[v]);
	if (!f->runs) {
		et_table_add(table, "–\t\t–\t–\t–\t–\t–\t–\t–");
		return;
	}
	et_table_add(table, "%zu\t%s", f->runs, format_out(f, m, buf));
	et_table_add(table, "%s", format_to(p->min, p, buf));
	et_table_add(table, "%s", format_to(p->max, p, buf));
	et_table_add(table, "%s", format_to(p->mean, p, buf));
	et_table_add(table, "%s", et_format_three(p->sd, buf));
	et_table_add(table, "%s", format_limits(l->sd_lo, l->sd_hi, et_format_three, buf));
	et_table_add(table, "%s", et_format_percent(p->relative_error, buf));
	et_table_add(table, "%s", format_limits(l->error_lo, l->error_hi, et_format_percent, buf));
}

/* Paced runs are listed if there are any, the papers' versions always. */
static bool is_listed(const struct et_versions *v, const struct et_version_task *t, int i)
{
	return t->list[i].runs || v->why_not[i] || t->why_not[i] || i <= ET_EMP_V6;
}

static void task_table(const struct et_versions *v, const struct et_version_task *t, size_t time,
	const struct et_page *page)
{
	/* An interval is beside its figure: each two are a group without a heading. */
	static const char spread[] = "", error[] = "";
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "version"),
		ET_COLUMN(NUMBER, "runs"), ET_COLUMN(NUMBER, "out"), ET_COLUMN(NUMBER, "min"),
		ET_COLUMN(NUMBER, "max"), ET_COLUMN(NUMBER, "mean"),
		ET_COLUMN(NUMBER, "sd", .over = spread),
		ET_COLUMN(NUMBER, "95 % interval", .over = spread),
		ET_COLUMN(NUMBER, "rel.", .over = error),
		ET_COLUMN(NUMBER, "95 % interval", .over = error) };
	struct et_table table = { ET_COLUMNS(columns), .split = true };

	et_lab_heading(page, "%s, %s", t->name, times[time].name);
	for (int i = 0; i < ET_VERSIONS; i++) {
		if (is_listed(v, t, i))
			version_row(t, i, times[time].metric, &table);
	}
	et_lab_table(&table, page);
}

/* --- curves --- */

static bool has_figures(const struct et_versions *v, int version)
{
	for (size_t i = 0; i < v->n; i++) {
		if (v->tasks[i].seconds > 0 && v->tasks[i].list[version].by[ET_METRIC_CPU].sd > 0)
			return true;
	}
	return false;
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

/* A curve per version; each value has its interval. A command that never ran has no length. */
static struct et_chart chart_of(const struct et_versions *v, const struct picture *p)
{
	static const char marks[ET_VERSIONS] = { '1', '2', '3', '4', '5', '6', 'a', 'b', 'o', 'p' };
	struct et_chart chart = { .title = p->title,
		.description = "By version of EMP, over the length of the task; both axes are "
			       "logarithmic. Vertical lines are 95 % intervals. The versions of a "
			       "length are drawn side by side.",
		.x = { .label = "length of the task", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = p->relative ? "sd / mean" : "sd",
			.unit = p->relative ? ET_AXIS_SHARE : ET_AXIS_NS,
			.log = true },
		.width = WIDTH,
		.height = HEIGHT,
		.text = { ET_TEXT_LOG, 1e9, "seconds" } };

	for (int i = 0; i < ET_VERSIONS && chart.n_curves < MOST_CURVES; i++) {
		if (!has_figures(v, i))
			continue;
		struct et_curve *k = et_chart_curve(
			&chart, ET_SVG_CURVE, (unsigned)chart.n_curves, et_version_names[i]);
		k->mark = marks[i];
		k->limits = true;
		for (size_t t = 0; t < v->n; t++) {
			const struct et_version_figures *f = &v->tasks[t].list[i];
			const struct et_precision *q = &f->by[p->metric];
			const struct et_version_limits *l = &f->limits[p->metric];
			struct et_dot dot = {
				.x = 1e9 * v->tasks[t].seconds, .y = NAN, .lo = NAN, .hi = NAN
			};
			if (f->runs) {
				dot.y = p->relative ? q->relative_error : q->sd;
				dot.lo = p->relative ? l->error_lo : l->sd_lo;
				dot.hi = p->relative ? l->error_hi : l->sd_hi;
			}
			if (v->tasks[t].seconds > 0)
				et_curve_add_dot(k, dot);
		}
	}
	return chart;
}

static void figure_text(const struct et_versions *v, const struct et_page *page)
{
	for (size_t i = 0; i < ET_LENGTH(pictures); i++) {
		struct et_chart chart = chart_of(v, &pictures[i]);

		if (!chart.n_curves || chart.curves[0]->n < 2) {
			et_chart_free(&chart);
			return;
		}
		et_lab_heading(page, "%s", pictures[i].title);
		et_lab_chart(&chart, page);
	}
}

static void draw(const void *view, const struct et_chart_to *to)
{
	for (size_t i = 0; i < ET_LENGTH(pictures); i++) {
		struct et_chart chart =
			chart_of(((const struct et_versions_view *)view)->versions, &pictures[i]);

		et_chart_put(&chart, to);
	}
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
	bool listed = false;

	for (size_t i = 0; i < v->n; i++)
		listed = listed || is_listed(v, &v->tasks[i], version);
	if (v->why_not[version])
		et_append(&text, "; ", "left empty: %s", v->why_not[version]);
	for (size_t i = 0; !v->why_not[version] && i < v->n; i++)
		append_reason(v, version, i, &text);
	if (listed)
		et_lab_item(page, 15, lead, "%s", text);
}

static const char *format_length(double seconds, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.6g %s", seconds < 1 ? 1000 * seconds : seconds,
		seconds < 1 ? "ms" : "s");
	return buf;
}

/* "4.9 % (3.7 % to 7.0 %)"; the interval may be missing. */
static void append_average(char **text, const struct et_version_average *a)
{
	char error[ET_FIGURE], limits[2 * ET_FIGURE];

	et_append(text, " ", "%s", et_format_percent(a->relative_error, error));
	if (a->hi > 0 && isfinite(a->hi))
		et_append(
			text, " ", "(%s)", format_limits(a->lo, a->hi, et_format_percent, limits));
}

/* Whether the version with the smallest relative error is shown to be better than others. */
static char *verdict(const struct et_best_version *best)
{
	const char *name = et_version_names[best->version];
	ET_AUTO_FREE char *beaten = NULL;
	ET_AUTO_FREE char *others = NULL;

	for (int i = 0; i < ET_VERSIONS; i++) {
		if (best->is_compared[i])
			et_append(best->is_beaten[i] ? &beaten : &others, " and ", "%s",
				et_version_names[i]);
	}
	if (!beaten)
		return et_strdup("none is shown to be better");
	if (!others)
		return et_asprintf("%s is shown to be better than every other", name);
	return et_asprintf(
		"%s is shown to be better than %s, but not than %s", name, beaten, others);
}

/* The answer for one time: which version is the most precise, and whether that is shown. */
static void answer(const struct et_versions *v, size_t time, const struct et_page *page)
{
	struct et_best_version best = et_versions_best(v, times[time].metric);
	char from[ET_FIGURE], to[ET_FIGURE];

	if (!best.lengths)
		return;
	ET_AUTO_FREE char *shown = verdict(&best);
	ET_AUTO_FREE char *text = et_asprintf("%s: %s. Smallest relative error: %s with",
		times[time].title, shown, et_version_names[best.version]);
	append_average(&text, &best.own);
	if (best.lengths == 1)
		et_append(&text, " ", "at %s", format_length(best.longest, to));
	else
		et_append(&text, " ", "on average over %s to %s",
			format_length(best.shortest, from), format_length(best.longest, to));
	if (best.version != ET_AS_IS && isfinite(best.as_is.relative_error)) {
		et_append(&text, "", "; as is:");
		append_average(&text, &best.as_is);
	}
	et_page_say(page, 0, "", NULL, time == CPU ? "1" : NULL, "%s", text);
	putc('\n', page->out);
}

static void print_text(const void *view, const struct et_page *page)
{
	const struct et_versions *v = ((const struct et_versions_view *)view)->versions;

	answer(v, CPU, page);
	answer(v, ELAPSED, page);
	for (size_t i = 0; i < v->n; i++) {
		for (size_t k = 0; k < ET_LENGTH(times); k++)
			task_table(v, &v->tasks[i], k, page);
	}
	figure_text(v, page);
	et_lab_text(page,
		"runs: those measured; out: those removed, by EMP's checks as total (I + II); min, "
		"max, mean, sd: of the others; rel.: relative error, sd / mean. Vertical lines in "
		"the figures are 95 %% intervals, too. Versions are compared by a permutation test "
		"at 5 %% over all pairs (Holm), by the runs before check II: that check makes "
		"every sd smaller.");
	for (int i = 0; i < ET_VERSIONS; i++)
		explain(v, i, page);
}

/* --- JSON --- */

/* An interval that is not known is null. */
static void write_limit(struct et_json *w, const char *key, double x)
{
	et_json_double(w, key, x > 0 ? x : NAN);
}

static void write_figures(struct et_json *w, const struct et_version_figures *f, size_t time)
{
	enum et_metric m = times[time].metric;
	const struct et_precision *p = &f->by[m];

	if (!f->runs) {
		et_json_null(w, times[time].key);
		return;
	}
	et_json_flat_object(w, times[time].key);
	et_json_u64(w, "n", p->n);
	et_json_u64(w, "removed", removed_by(f, m));
	et_json_u64(w, "removed_first", f->out[m].first);
	et_json_u64(w, "removed_second", f->out[m].second);
	et_json_double(w, "mean_ns", p->mean);
	et_json_double(w, "sd_ns", p->sd);
	write_limit(w, "sd_lo_ns", f->limits[m].sd_lo);
	write_limit(w, "sd_hi_ns", f->limits[m].sd_hi);
	et_json_double(w, "relative_error", p->relative_error);
	write_limit(w, "relative_error_lo", f->limits[m].error_lo);
	write_limit(w, "relative_error_hi", f->limits[m].error_hi);
	et_json_double(w, "min_ns", p->min);
	et_json_double(w, "max_ns", p->max);
	et_json_end(w);
}

ET_FIELDS(pair_fields, ET_KEY_NAME(et_version_pair, "a", a, et_version_names),
	ET_KEY_NAME(et_version_pair, "b", b, et_version_names),
	ET_KEYS(et_version_pair, ratio, p, p_holm));

ET_FIELDS(comparison_fields,
	ET_KEY_ROOM(et_versions, "et", pairs[ET_METRIC_ELAPSED], n_pairs[ET_METRIC_ELAPSED],
		pair_fields, .flat = true),
	ET_KEY_ROOM(et_versions, "pt", pairs[ET_METRIC_CPU], n_pairs[ET_METRIC_CPU], pair_fields,
		.flat = true));

static void write_names(
	struct et_json *w, const char *key, const struct et_best_version *best, bool beaten)
{
	et_json_array(w, key);
	for (int i = 0; i < ET_VERSIONS; i++) {
		if (best->is_compared[i] && best->is_beaten[i] == beaten)
			et_json_string(w, NULL, et_version_names[i]);
	}
	et_json_end(w);
}

static void write_average(
	struct et_json *w, const char *lead, const char *end, const struct et_version_average *a)
{
	static const char *const names[] = { "", "_lo", "_hi" };
	const double figures[] = { a->relative_error, a->lo, a->hi };

	for (size_t i = 0; i < ET_LENGTH(figures); i++) {
		ET_AUTO_FREE char *key = et_asprintf("%s%s%s", lead, end, names[i]);
		write_limit(w, key, figures[i]);
	}
}

/* The version with the smallest relative error of a time. */
static void write_best(struct et_json *w, const char *key, const struct et_versions *v, size_t time)
{
	struct et_best_version best = et_versions_best(v, times[time].metric);
	const char *lead = time == CPU ? "relative_error_pt" : "relative_error_et";

	if (!best.lengths) {
		et_json_null(w, key);
		return;
	}
	et_json_object(w, key);
	et_json_string(w, "version", et_version_names[best.version]);
	et_json_u64(w, "lengths", best.lengths);
	write_average(w, lead, "", &best.own);
	write_average(w, lead, "_as_is", &best.as_is);
	if (time == CPU)
		et_json_double(w, "relative_error_et_as_is",
			et_versions_best(v, ET_METRIC_ELAPSED).as_is.relative_error);
	et_json_bool(w, "shown", best.beaten && best.beaten == best.compared);
	write_names(w, "better_than", &best, true);
	write_names(w, "not_better_than", &best, false);
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
		write_figures(w, &t->list[i], ELAPSED);
		write_figures(w, &t->list[i], CPU);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_end(w);
}

static void write_view(struct et_json *w, const char *key, const void *at)
{
	const struct et_versions_view *view = at;
	const struct et_versions *v = view->versions;
	bool done = view->n > 0;

	(void)key; /* each part has one of its own */
	for (size_t i = 0; i < view->n; i++)
		done = done && view->experiments[i]->state == ET_STATE_DONE;
	et_json_string(w, "state", et_state_names[done ? ET_STATE_DONE : ET_STATE_INTERRUPTED]);
	et_lab_json_experiments(w, view->experiments, view->n);
	write_best(w, "best", v, CPU);
	write_best(w, "best_et", v, ELAPSED);
	et_fields_object(w, "comparisons", comparison_fields, v);
	et_json_array(w, "versions");
	for (int i = 0; i < ET_VERSIONS; i++) {
		et_json_object(w, NULL);
		et_json_string(w, "version", et_version_names[i]);
		et_json_string(w, "rule", v->rules[i]);
		et_json_string(w, "not_possible", v->why_not[i]);
		et_json_string(w, "same_as",
			v->same_as[i].known ? et_version_names[v->same_as[i].version] : NULL);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_array(w, "tasks");
	for (size_t i = 0; i < v->n; i++)
		write_task(w, &v->tasks[i]);
	et_json_end(w);
}

const struct et_lab et_lab_emp_versions = { .perform = et_versions_perform,
	.fields = ET_TABLE(ET_KEY_MADE("versions", write_view)),
	.text = print_text,
	.draw = draw,
	.sheet = "Precision of the versions of EMP over the length of the task",
	.sheet_width = 2 * WIDTH };
