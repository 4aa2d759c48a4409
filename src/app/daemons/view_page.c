/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/daemons/view.h"
#include "app/daemons/view_tables.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "draw/html.h"
#include "draw/svg_sheet.h"
#include "draw/xml.h"
#include "model/experiment/experiment.h"
#include "num/quantile.h"
#include "report/warning.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

enum { MOST_ROWS = 200, PAGE = 1120, SHEET = 1260 }; /* widths of charts in order */

/* --- pairs --- */

/* The longest of the long-running executions in a sample, or NULL. */
static const struct et_execution *longest(const struct et_daemon_run *run,
	const struct et_run_findings *f, const struct et_daemon_sample *s)
{
	const struct et_execution *best = NULL;

	for (size_t k = s->first; k < s->first + s->n; k++) {
		const struct et_execution *x = &run->executions[k];
		if (f->long_running[k] && (!best || x->ms > best->ms))
			best = x;
	}
	return best;
}

/* "sample 77, 10.7 s: cronjob 700 ms". */
static char *describe(const struct et_daemon_record *r, const struct et_daemon_sample *s,
	const struct et_execution *x)
{
	char time[ET_FIGURE], used[ET_FIGURE];

	et_format_time(1e6 * s->elapsed_ms, time);
	if (!x)
		return et_asprintf("sample %u, %s", s->number, time);
	return et_asprintf("sample %u, %s: %s %s", s->number, time, r->names[x->name],
		et_format_rounded(1e6 * x->ms, 3, used));
}

/* The frequent daemon that ran longest in a sample, or NULL; *sum is the time of all of them. */
static const struct et_execution *frequent_in(const struct et_daemon_run *run,
	const struct et_run_findings *f, const struct et_daemon_sample *s, double *sum)
{
	const struct et_execution *best = NULL;

	*sum = 0;
	for (size_t k = s->first; f->frequent && k < s->first + s->n; k++) {
		const struct et_execution *x = &run->executions[k];
		if (!f->frequent[x->name])
			continue;
		*sum += x->ms;
		best = !best || x->ms > best->ms ? x : best;
	}
	return best;
}

/*
 * The frequent daemon that moved each sample of the cluster away from its centre, or NULL: the
 * elapsed time is above the median by more than four times as much as the lower quartile is below
 * it, and frequent daemons ran longer than usual by at least half of that. The upper quartile would
 * be no measure, as frequent daemons may have moved it. The caller frees the array.
 */
static const struct et_execution **movers(
	const struct et_daemon_run *run, const struct et_run_findings *f)
{
	size_t n = run->n_listed, m = 0;
	const struct et_execution **by = et_calloc(n + 1, sizeof(*by));
	ET_AUTO_FREE double *times = et_calloc(n + 1, sizeof(*times));
	ET_AUTO_FREE double *sums = et_calloc(n + 1, sizeof(*sums));
	double sum;

	for (size_t i = 0; i < n; i++) {
		if (f->far[i])
			continue;
		times[m] = run->listed[i].elapsed_ms;
		frequent_in(run, f, &run->listed[i], &sums[m++]);
	}
	if (!m)
		return by;
	et_sort(times, m);
	et_sort(sums, m);
	double median = et_median_sorted(times, m), usual = et_median_sorted(sums, m);
	double near = 4 * (median - et_quantile_sorted(times, m, 0.25));
	for (size_t i = 0; i < n; i++) {
		double t = run->listed[i].elapsed_ms;
		const struct et_execution *x = frequent_in(run, f, &run->listed[i], &sum);
		if (!f->far[i] && t - median > near && sum - usual >= (t - median) / 2)
			by[i] = x;
	}
	return by;
}

/* A sample as a point of the chart in order: x is its number. The caller frees the title. */
static struct et_dual_point point_of(const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_run_findings *f,
	const struct et_execution *mover, size_t i)
{
	const struct et_daemon_sample *s = &run->listed[i];
	const struct et_execution *x = f->far[i] ? longest(run, f, s) : mover;

	return (struct et_dual_point){ .x_ns = s->number,
		.y_ns = 1e6 * s->elapsed_ms,
		.kind = f->far[i] ? ET_DUAL_FAR
			: mover   ? ET_DUAL_FREQUENT
				  : ET_DUAL_CENTRAL,
		.cause = x ? r->names[x->name] : "cause not known",
		.title = f->far[i] || x ? describe(r, s, x) : NULL };
}

static void add_pair(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const struct et_execution *const *by, size_t i,
	struct et_dual *out)
{
	const struct et_daemon_sample *a = &run->listed[i], *b = a + 1;
	bool far = f->far[i] || f->far[i + 1];
	const struct et_execution *x = f->far[i] ? longest(run, f, a) : far ? NULL : by[i];
	const struct et_execution *y = f->far[i + 1] ? longest(run, f, b) : far ? NULL : by[i + 1];
	const char *cause = NULL;
	char *title = NULL;

	if (far || x || y) {
		ET_AUTO_FREE char *first = describe(r, a, x);
		ET_AUTO_FREE char *second = describe(r, b, y);
		title = et_asprintf("%s; %s", first, second);
		x = y && (!x || y->ms > x->ms) ? y : x;
		cause = x ? r->names[x->name] : "cause not known";
	}
	et_dual_add(out, 1e6 * a->elapsed_ms, 1e6 * b->elapsed_ms,
		far     ? ET_DUAL_FAR
		: cause ? ET_DUAL_FREQUENT
			: ET_DUAL_CENTRAL,
		cause, title);
}

void et_daemon_pairs(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, struct et_dual *out)
{
	ET_AUTO_FREE const struct et_execution **by = movers(run, f);

	out->what = "elapsed time";
	out->first = "odd samples";
	out->second = "even samples";
	out->shape = et_cluster_shape_text(&f->shape);
	for (size_t i = 0; i < run->n_listed; i++) {
		if (et_daemon_pair(run, i))
			add_pair(r, run, f, by, i, out);
	}
}

/* "symmetric about its centre (p = 0.4)", or how it is not; nothing if it was not tested. */
static void about_centre(const struct et_cluster_shape *s, char **text)
{
	if (s->skewness_p < ET_CLUSTER_LEVEL)
		et_append(text, ", ", "skewed to the %s (p = %.2g)",
			s->skewness_z > 0 ? "right" : "left", s->skewness_p);
	else if (!isnan(s->skewness_p))
		et_append(text, ", ", "symmetric about its centre (p = %.2g)", s->skewness_p);
}

static void about_diagonal(const struct et_cluster_shape *s, char **text)
{
	if (s->correlation_p < ET_CLUSTER_LEVEL)
		et_append(text, ", ",
			"%s the diagonal (correlation of the two times %.2f, p = %.2g)",
			s->correlation > 0 ? "stretched along" : "stretched across", s->correlation,
			s->correlation_p);
	else if (!isnan(s->correlation_p))
		et_append(text, ", ", "round about the diagonal (p = %.2g)", s->correlation_p);
}

char *et_cluster_shape_text(const struct et_cluster_shape *s)
{
	ET_AUTO_FREE char *how = NULL;

	if (!s->pairs)
		return NULL;
	about_centre(s, &how);
	about_diagonal(s, &how);
	if (!s->tested || !how)
		return et_asprintf(
			"the symmetry of the central cluster is not known: %zu pairs are too few",
			s->pairs);
	return et_asprintf("the central cluster of %zu pairs is %ssymmetric: %s", s->pairs,
		s->symmetric ? "" : "not ", how);
}

/* --- one run --- */

/* A chart of the elapsed time of the samples in order, with the marks of the pairs. */
static void sequence(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const struct et_dual *d, int width, et_chart_fn *take,
	void *ctx)
{
	ET_AUTO_FREE const struct et_execution **by = movers(run, f);
	ET_AUTO_FREE struct et_dual_point *points = et_calloc(run->n_listed + 1, sizeof(*points));

	for (size_t i = 0; i < run->n_listed; i++)
		points[i] = point_of(r, run, f, by[i], i);
	et_dual_in_order(d, points, run->n_listed, width, take, ctx);
	for (size_t i = 0; i < run->n_listed; i++)
		free(points[i].title);
}

static void into_page(const struct et_chart *c, void *ctx)
{
	et_html_picture(ctx, c, true);
}

/* The long-running daemons of a sample. */
static void culprits_cell(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const struct et_daemon_sample *s, FILE *out)
{
	bool first = true;
	char used[ET_FIGURE];

	fputs("<td>", out);
	for (size_t k = s->first; k < s->first + s->n; k++) {
		const struct et_execution *x = &run->executions[k];
		if (!f->long_running[k])
			continue;
		et_xml_printf(out, "%s%s %s", first ? "" : ", ", r->names[x->name],
			et_format_rounded(1e6 * x->ms, 3, used));
		first = false;
	}
	fputs("</td>", out);
}

static void far_table(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, FILE *out)
{
	static const char *const headings[] = { "sample", "elapsed time", "CPU time",
		"daemons that ran long", "removed by the final cutoffs", NULL };
	enum { DIGITS = 6 }; /* milliseconds of two minutes */
	size_t rows = 0;
	char time[ET_FIGURE];

	if (!f->n_far) {
		et_html_element(out, "p",
			"There are no L-samples: no infrequent, long disturbance was found.");
		return;
	}
	et_html_element(out, "h3", "L-samples");
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < run->n_listed && rows < MOST_ROWS; i++) {
		const struct et_daemon_sample *s = &run->listed[i];
		if (!f->far[i])
			continue;
		rows++;
		fputs("<tr>", out);
		et_html_element(out, "td class=\"n\"", "%u", s->number);
		et_html_element(out, "td class=\"n\"", "%s",
			et_format_rounded(run->whole ? 1e6 * s->elapsed_ms : NAN, DIGITS, time));
		et_html_element(out, "td class=\"n\"", "%s",
			et_format_rounded(run->whole ? 1e6 * s->cpu_ms : NAN, DIGITS, time));
		culprits_cell(r, run, f, s, out);
		et_html_element(out, "td", "%s", f->removed[i] ? "yes" : "no");
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
	if (f->n_far > rows)
		et_html_element(out, "p class=\"dim\"", "and %zu more", f->n_far - rows);
}

static void frequent_paragraph(
	const struct et_daemon_record *r, const struct et_run_findings *f, FILE *out)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t i = 0; f->frequent && i < r->n_names; i++) {
		if (f->frequent[i])
			et_append(&list, ", ", "%s", r->names[i]);
	}
	if (list)
		et_html_element(
			out, "p", "Frequent, so they count as part of the machine: %s.", list);
}

static const char nothing_to_draw[] =
	"The record lists the L-samples and figures of the cluster, but not the times of all "
	"samples, so there is nothing to draw.";

/* "800 samples, one every 2.14 min, 28.5 h in all; 16 outside of the central cluster, 16 removed."
 */
static char *run_summary(const struct et_daemon_run *run, const struct et_run_findings *f)
{
	char each[ET_FIGURE], all[ET_FIGURE];
	size_t removed = 0;

	for (size_t i = 0; i < run->n_listed; i++)
		removed += f->removed[i];
	return et_asprintf("%u samples, one every %s, %s in all; %zu outside of the central "
			   "cluster, %zu removed.",
		run->samples, et_format_span(run->sample_seconds, each),
		et_format_span(run->samples * run->sample_seconds, all), f->n_far, removed);
}

static void run_section(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const char *title, const char *figures, FILE *out)
{
	ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
	ET_AUTO_FREE char *text = run_summary(run, f);

	et_html_element(out, "h2", "%s", title);
	et_html_element(out, "p", "%s", text);
	if (run->whole) {
		et_daemon_pairs(r, run, f, &d);
		et_html_element(out, "p class=\"dim\"", "%s", figures);
		et_html_pictures_begin(out);
		sequence(r, run, f, &d, PAGE, into_page, out);
		et_dual_pictures(&d, out);
		et_html_pictures_end(out);
	} else {
		et_html_element(out, "p class=\"dim\"", "%s", nothing_to_draw);
	}
	if (d.shape)
		et_html_element(out, "p", "%c%s.", toupper(d.shape[0]), d.shape + 1);
	far_table(r, run, f, out);
	frequent_paragraph(r, f, out);
}

/* --- cutoffs --- */

static void ms_cell(FILE *out, double ms)
{
	char time[ET_FIGURE];

	et_html_element(out, "td class=\"n\"", "%s", et_format_time(1e6 * ms, time));
}

static void cutoffs_section(const struct et_cutoff *list, size_t n, FILE *out)
{
	static const char *const headings[] = { "daemon", "short run", "long run", "period",
		"cutoff", NULL };
	char span[ET_FIGURE], below[ET_FIGURE], above[ET_FIGURE];
	bool guess = false;

	et_html_element(out, "h2", "Cutoffs");
	if (!n) {
		et_html_element(out, "p", "No daemon has a cutoff.");
		return;
	}
	et_html_element(
		out, "p", "A sample in which a daemon ran for longer than its cutoff is removed.");
	et_html_table_begin(out, headings);
	for (size_t i = 0; i < n; i++) {
		const struct et_cutoff *c = &list[i];
		fputs("<tr>", out);
		et_html_element(out, "td", "%s", c->daemon);
		ms_cell(out, c->short_ms);
		ms_cell(out, c->long_ms);
		et_html_element(out, "td class=\"n\"", "%s",
			et_format_period(c->period_s, c->sightings, span));
		guess = guess || (c->sightings == 2 && !isnan(c->period_s));
		et_format_time(1e6 * c->final_ms[0], below);
		if (c->n_final > 1)
			et_html_element(out, "td", "%s for programs below %s, %s above", below,
				et_format_span(c->task_time_s, span),
				et_format_time(1e6 * c->final_ms[1], above));
		else
			et_html_element(out, "td", "%s", below);
		fputs("</tr>\n", out);
	}
	et_html_table_end(out);
	if (guess)
		et_html_element(out, "p", "(?): it was seen only twice.");
}

void et_daemons_page(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_daemon_tables *tables, const char *name, FILE *out)
{
	ET_AUTO_FREE char *title = et_asprintf("Daemons that spoil samples: %s", name);

	et_html_begin(out, title);
	char **answer = et_daemons_answer(r, f);
	for (size_t i = 0; answer[i]; i++)
		et_html_element(out, "p", "%s", answer[i]);
	et_strv_free(answer);
	cutoffs_section(f->cutoffs, f->n_cutoffs, out);
	run_section(r, &r->short_run, &f->short_run, "Short run",
		"The samples in order correspond to Figure 13 of the EMP paper, the dual "
		"executions to Figure 14.",
		out);
	if (r->has_long)
		run_section(r, &r->long_run, &f->long_run, "Long run",
			"The dual executions correspond to Figure 15 of the EMP paper.", out);
	if (tables) {
		et_html_element(out, "h2", "Tables of the EMP paper");
		et_daemon_tables_html(tables, out);
	}
	et_html_end(out);
}

static void into_sheet(const struct et_chart *c, void *ctx)
{
	et_svg_sheet_add(ctx, c);
}

static void run_sheet(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const char *title, struct et_svg_sheet *sheet)
{
	ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
	ET_AUTO_FREE char *text = run_summary(run, f);

	et_svg_sheet_text(sheet, true, title);
	et_svg_sheet_text(sheet, false, text);
	if (!run->whole) {
		et_svg_sheet_text(sheet, false, nothing_to_draw);
		return;
	}
	et_daemon_pairs(r, run, f, &d);
	sequence(r, run, f, &d, SHEET, into_sheet, sheet);
	et_dual_charts(&d, into_sheet, sheet);
	if (d.shape)
		et_svg_sheet_text(sheet, false, d.shape);
}

void et_daemons_svg(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const char *name, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(SHEET);
	ET_AUTO_FREE char *title = et_asprintf("Daemons that spoil samples: %s", name);

	run_sheet(r, &r->short_run, &f->short_run, "Short run", sheet);
	if (r->has_long)
		run_sheet(r, &r->long_run, &f->long_run, "Long run", sheet);
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
