/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings about daemons and the stored cutoffs of a machine as pages and pictures. */
#include "app/daemons/daemons.h"
#include "base/parse.h"
#include "draw/html.h"
#include "draw/table.h"
#include "num/quantile.h"
#include "report/warning.h"

#include <ctype.h>

enum { PAGE = 1120, SHEET = 1260 }; /* widths of charts in order */

/* --- pairs --- */

/* The longest of the long-running executions, or of frequent daemons; or NULL. *sum: of all. */
static const struct et_execution *longest(
	struct et_daemon_side s, const struct et_daemon_sample *w, bool long_running, double *sum)
{
	const struct et_run_findings *f = s.found;
	const struct et_execution *best = NULL;

	*sum = 0;
	for (size_t k = w->first; k < w->first + w->n; k++) {
		const struct et_execution *x = &s.run->executions[k];
		if (long_running ? !f->long_running[k] : !f->frequent || !f->frequent[x->name])
			continue;
		*sum += x->ms;
		best = !best || x->ms > best->ms ? x : best;
	}
	return best;
}

/* "sample 77, 10.7 s: cronjob 700 ms". */
static char *describe(
	struct et_daemon_side s, const struct et_daemon_sample *w, const struct et_execution *x)
{
	char time[ET_FIGURE], used[ET_FIGURE];

	et_format_time(1e6 * w->elapsed_ms, time);
	if (!x)
		return et_asprintf("sample %u, %s", w->number, time);
	return et_asprintf("sample %u, %s: %s %s", w->number, time, s.record->names[x->name],
		et_format_rounded(1e6 * x->ms, 3, used));
}

/*
 * The executions to blame for each sample, or NULL: in an L-sample the longest. In the cluster, a
 * sample above the median by four times the distance of the lower quartile (frequent daemons may
 * have moved the upper one), if frequent daemons ran longer than usual by half of that. Free it.
 */
static const struct et_execution **find_causes(struct et_daemon_side s)
{
	const struct et_daemon_sample *listed = s.run->listed;
	size_t n = s.run->n_listed, m = 0;
	const struct et_execution **by = et_calloc(n + 1, sizeof(*by));
	ET_AUTO_FREE double *times = et_calloc(n + 1, sizeof(*times));
	ET_AUTO_FREE double *sums = et_calloc(n + 1, sizeof(*sums));
	double sum;

	for (size_t i = 0; i < n; i++) {
		if (s.found->far[i])
			continue;
		times[m] = listed[i].elapsed_ms;
		longest(s, &listed[i], false, &sums[m++]);
	}
	et_sort(times, m);
	et_sort(sums, m);
	double median = et_median_sorted(times, m), usual = et_median_sorted(sums, m);
	double near = 4 * (median - et_quantile_sorted(times, m, 0.25));
	for (size_t i = 0; i < n; i++) {
		double over = listed[i].elapsed_ms - median;
		bool far = s.found->far[i];
		const struct et_execution *x = longest(s, &listed[i], far, &sum);
		if (far || (over > near && sum - usual >= over / 2))
			by[i] = x;
	}
	return by;
}

/* A sample as a point of the chart in order: x is its number. The caller frees the title. */
static struct et_dual_point point_of(
	struct et_daemon_side s, const struct et_execution *x, size_t i)
{
	const struct et_daemon_sample *w = &s.run->listed[i];
	bool far = s.found->far[i];

	return (struct et_dual_point){ .x_ns = w->number,
		.y_ns = 1e6 * w->elapsed_ms,
		.kind = far ? ET_DUAL_FAR
			: x ? ET_DUAL_FREQUENT
			    : ET_DUAL_CENTRAL,
		.cause = x ? s.record->names[x->name] : "cause not known",
		.title = far || x ? describe(s, w, x) : NULL };
}

static void add_pair(struct et_daemon_side s, const struct et_execution *const *by, size_t i,
	struct et_dual *out)
{
	const struct et_daemon_sample *a = &s.run->listed[i], *b = a + 1;
	const bool *is_far = &s.found->far[i];
	bool far = is_far[0] || is_far[1];
	/* Of a pair on an arm, only a cause of that counts. */
	const struct et_execution *x = is_far[0] || !far ? by[i] : NULL;
	const struct et_execution *y = is_far[1] || !far ? by[i + 1] : NULL;
	const char *cause = NULL;
	char *title = NULL;

	if (far || x || y) {
		ET_AUTO_FREE char *first = describe(s, a, x);
		ET_AUTO_FREE char *second = describe(s, b, y);
		title = et_asprintf("%s; %s", first, second);
		x = y && (!x || y->ms > x->ms) ? y : x;
		cause = x ? s.record->names[x->name] : "cause not known";
	}
	et_dual_add(out, 1e6 * a->elapsed_ms, 1e6 * b->elapsed_ms,
		far     ? ET_DUAL_FAR
		: cause ? ET_DUAL_FREQUENT
			: ET_DUAL_CENTRAL,
		cause, title);
}

void et_daemon_pairs(struct et_daemon_side s, struct et_dual *out)
{
	ET_AUTO_FREE const struct et_execution **by = find_causes(s);

	out->what = "elapsed time";
	out->first = "odd samples";
	out->second = "even samples";
	out->shape = et_cluster_shape_text(&s.found->shape);
	for (size_t i = 0; i < s.run->n_listed; i++) {
		if (et_daemon_pair(s.run, i))
			add_pair(s, by, i, out);
	}
}

char *et_cluster_shape_text(const struct et_cluster_shape *s)
{
	ET_AUTO_FREE char *how = NULL;

	if (!s->pairs)
		return NULL;
	if (s->skewness_p < ET_CLUSTER_LEVEL)
		et_append(&how, ", ", "skewed to the %s (p = %.2g)",
			s->skewness_z > 0 ? "right" : "left", s->skewness_p);
	else if (!isnan(s->skewness_p)) /* it was tested */
		et_append(&how, ", ", "symmetric about its centre (p = %.2g)", s->skewness_p);
	if (s->correlation_p < ET_CLUSTER_LEVEL)
		et_append(&how, ", ",
			"stretched %s the diagonal (correlation of the two times %.2f, p = %.2g)",
			s->correlation > 0 ? "along" : "across", s->correlation, s->correlation_p);
	else if (!isnan(s->correlation_p))
		et_append(&how, ", ", "round about the diagonal (p = %.2g)", s->correlation_p);
	if (!s->tested || !how)
		return et_asprintf(
			"the symmetry of the central cluster is not known: %zu pairs are too few",
			s->pairs);
	return et_asprintf("the central cluster of %zu pairs is %ssymmetric: %s", s->pairs,
		s->symmetric ? "" : "not ", how);
}

/* --- one run --- */

/* A chart of the elapsed time of the samples in order, with the marks of the pairs. */
static void sequence(
	struct et_daemon_side s, const struct et_dual *d, int width, const struct et_chart_to *to)
{
	ET_AUTO_FREE const struct et_execution **by = find_causes(s);
	size_t n = s.run->n_listed;
	ET_AUTO_FREE struct et_dual_point *points = et_calloc(n + 1, sizeof(*points));

	for (size_t i = 0; i < n; i++)
		points[i] = point_of(s, by[i], i);
	et_dual_in_order(d, points, n, width, to);
	for (size_t i = 0; i < n; i++)
		free(points[i].title);
}

/* Milliseconds of two minutes have six digits. */
static const char *format_time(double ms, char buf[ET_FIGURE])
{
	return et_format_rounded(1e6 * ms, 6, buf);
}

static void far_table(struct et_daemon_side s, FILE *out)
{
	static const struct et_table_column columns[] = {
		ET_COLUMN(NUMBER, "sample", .format = et_format_count),
		ET_COLUMN(NUMBER, "elapsed time", .format = format_time),
		ET_COLUMN(NUMBER, "CPU time", .format = format_time),
		ET_COLUMN(TEXT, "daemons that ran long"),
		ET_COLUMN(TEXT, "removed by the final cutoffs"),
	};
	struct et_table t = { ET_COLUMNS(columns) };
	const struct et_run_findings *f = s.found;

	if (!f->n_far) {
		et_html_element(out, "p",
			"There are no L-samples: no infrequent, long disturbance was found.");
		return;
	}
	et_html_element(out, "h3", "L-samples");
	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		ET_AUTO_FREE char *culprits = NULL;
		if (!f->far[i])
			continue;
		for (size_t k = w->first; k < w->first + w->n; k++) {
			const struct et_execution *x = &s.run->executions[k];
			if (f->long_running[k])
				et_append(&culprits, ", ", "%s %s", s.record->names[x->name],
					et_format_rounded(1e6 * x->ms, 3, ET_BUF));
		}
		et_table_row(&t, w->number, s.run->whole ? w->elapsed_ms : NAN,
			s.run->whole ? w->cpu_ms : NAN, culprits, f->removed[i] ? "yes" : "no");
	}
	et_table_html(&t, out);
}

static const char nothing_to_draw[] =
	"The record lists the L-samples and figures of the cluster, but not the times of all "
	"samples, so there is nothing to draw.";

static void run_section(struct et_daemon_side s, FILE *out)
{
	const struct et_chart_to to = { .page = out };
	ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
	ET_AUTO_FREE char *text = et_daemon_side_text(s, "; ");
	ET_AUTO_FREE char *frequent = et_daemon_side_frequent(s, ", ");

	et_html_element(out, "h2", "%s", s.is_long ? "Long run" : "Short run");
	et_html_element(out, "p", "%s.", text);
	if (s.run->whole) {
		et_daemon_pairs(s, &d);
		et_html_element(out, "p class=\"dim\"", "%s",
			s.is_long ? "The dual executions correspond to Figure 15 of the EMP paper."
				  : "The samples in order correspond to Figure 13 of the EMP "
				    "paper, the dual executions to Figure 14.");
		et_html_pictures_begin(out);
		sequence(s, &d, PAGE, &to);
		et_dual_charts(&d, &to);
		et_html_pictures_end(out);
	} else {
		et_html_element(out, "p class=\"dim\"", "%s", nothing_to_draw);
	}
	if (d.shape)
		et_html_element(out, "p", "%c%s.", toupper(d.shape[0]), d.shape + 1);
	far_table(s, out);
	if (frequent)
		et_html_element(
			out, "p", "Frequent, so they count as part of the machine: %s.", frequent);
}

/* --- cutoffs --- */

static const char *format_ms(double ms, char buf[ET_FIGURE])
{
	return et_format_time(1e6 * ms, buf);
}

static void cutoffs_section(const struct et_cutoff *list, size_t n, FILE *out)
{
	static const struct et_table_column columns[] = {
		ET_COLUMN(NAME, "daemon"),
		ET_COLUMN(NUMBER, "short run", .format = format_ms),
		ET_COLUMN(NUMBER, "long run", .format = format_ms),
		ET_COLUMN(NUMBER, "period", .format = et_format_span),
		ET_COLUMN(TEXT, "cutoff"),
	};
	struct et_table t = { ET_COLUMNS(columns) };
	bool guess = false;

	et_html_element(out, "h2", "Cutoffs");
	if (!n) {
		et_html_element(out, "p", "No daemon has a cutoff.");
		return;
	}
	et_html_element(
		out, "p", "A sample in which a daemon ran for longer than its cutoff is removed.");
	for (const struct et_cutoff *c = list; c < list + n; c++) {
		et_table_row(&t, c->daemon, c->short_ms, c->long_ms,
			et_format_period(c->period_s, c->sightings, ET_BUF));
		guess = guess || et_cutoff_is_guess(c);
		const char *below = format_ms(c->final_ms[0], ET_BUF);
		if (c->n_final > 1)
			et_table_add(&t, "%s for programs below %s, %s above", below,
				et_format_span(c->task_time_s, ET_BUF),
				format_ms(c->final_ms[1], ET_BUF));
		else
			et_table_add(&t, "%s", below);
	}
	et_table_html(&t, out);
	if (guess)
		et_html_element(out, "p", "(?): it was seen only twice.");
}

void et_daemons_page(const struct et_daemon_result *r, const char *name, FILE *out)
{
	ET_AUTO_FREE char *title = et_asprintf("Daemons that spoil samples: %s", name);
	char **answer = et_daemons_answer(r);

	et_html_begin(out, title);
	for (size_t i = 0; answer[i]; i++)
		et_html_element(out, "p", "%s", answer[i]);
	et_strv_free(answer);
	cutoffs_section(r->findings->cutoffs, r->findings->n_cutoffs, out);
	for (int k = 0; k < (r->record->has_long ? 2 : 1); k++)
		run_section(et_daemon_side(r, k), out);
	if (r->wanted) {
		et_html_element(out, "h2", "Tables of the EMP paper");
		et_daemon_tables_write(r, (struct et_daemon_tables_to){ .html = out });
	}
	et_html_end(out);
}

static void run_sheet(struct et_daemon_side s, struct et_svg_sheet *sheet)
{
	const struct et_chart_to to = { .sheet = sheet };
	ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
	ET_AUTO_FREE char *text = et_daemon_side_text(s, "; ");

	et_append(&text, "", ".");
	et_svg_sheet_text(sheet, true, s.is_long ? "Long run" : "Short run");
	et_svg_sheet_text(sheet, false, text);
	if (!s.run->whole) {
		et_svg_sheet_text(sheet, false, nothing_to_draw);
		return;
	}
	et_daemon_pairs(s, &d);
	sequence(s, &d, SHEET, &to);
	et_dual_charts(&d, &to);
	if (d.shape)
		et_svg_sheet_text(sheet, false, d.shape);
}

void et_daemons_svg(const struct et_daemon_result *r, const char *name, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);
	ET_AUTO_FREE char *title = et_asprintf("Daemons that spoil samples: %s", name);

	for (int k = 0; k < (r->record->has_long ? 2 : 1); k++)
		run_sheet(et_daemon_side(r, k), sheet);
	et_svg_sheet_write(sheet, title, out);
}

void et_cutoffs_page(
	const struct et_cutoffs *c, uint64_t wall_ns, const struct et_warnings *warnings, FILE *out)
{
	double age = et_cutoffs_age_s(c, wall_ns);
	ET_AUTO_FREE char *title = et_asprintf("Daemons of %s", c->host);
	char when[32], span[ET_FIGURE];

	et_html_begin(out, title);
	et_html_element(out, "p", "Learned %s, %s, under Linux %s on %s: %u samples, one every %s.",
		et_format_rfc3339(c->learned_wall_ns, when), et_format_ago(age, span), c->kernel,
		c->cpu, c->short_runs, et_format_span(c->short_seconds, (char[ET_FIGURE]){ 0 }));
	if (c->long_runs)
		et_html_element(out, "p", "Long run: %u samples, one every %s.", c->long_runs,
			et_format_span(c->long_seconds, span));
	et_html_warnings(out, warnings);
	cutoffs_section(c->list, c->n, out);
	et_html_end(out);
}
