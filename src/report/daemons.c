/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/daemons.h"
#include "base/alloc.h"
#include "model/experiment.h"
#include "report/dual.h"
#include "report/rows.h"
#include "report/warning.h"

#include <math.h>
#include <string.h>

#define BOLD "1"
#define FAINT "2"

enum { NAME = 18 };

/* --- lines of text --- */

static void heading(const struct et_page *page, const char *text)
{
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

/* Prints a name, padded to its column. */
static void name_column(const struct et_page *page, const char *name)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");
	ET_AUTO_FREE char *text = et_shorten(clean, NAME - 1);

	fprintf(page->out, "  %s%*s", text, NAME - et_columns(text), "");
}

/* All times are in milliseconds, so that a reader can compare the cutoffs. */
static void ms_cell(const struct et_page *page, int width, double ms)
{
	char buf[ET_FIGURE];

	if (isnan(ms))
		snprintf(buf, sizeof(buf), ET_DASH);
	else
		snprintf(buf, sizeof(buf), "%.*f", ms < 100 ? 1 : 0, ms);
	et_cell(page, width, buf);
}

const char *et_format_span(double seconds, char buf[ET_FIGURE])
{
	if (isnan(seconds))
		snprintf(buf, ET_FIGURE, ET_DASH);
	else if (seconds >= 36000 * 10)
		snprintf(buf, ET_FIGURE, "%.3g days", seconds / 86400);
	else if (seconds >= 3600)
		snprintf(buf, ET_FIGURE, "%.3g h", seconds / 3600);
	else if (seconds >= 120)
		snprintf(buf, ET_FIGURE, "%.3g min", seconds / 60);
	else if (seconds >= 1)
		snprintf(buf, ET_FIGURE, "%.3g s", seconds);
	else
		snprintf(buf, ET_FIGURE, "%.3g ms", 1000 * seconds);
	return buf;
}

/* --- a run --- */

static void numbers(const struct et_page *page, const char *lead, const struct et_daemon_run *run,
	const bool *which)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t i = 0; i < run->n_listed; i++) {
		if (which[i])
			et_append(&list, " ", "%u", run->listed[i].number);
	}
	et_page_paragraph(page, NAME, lead, FAINT, list ? list : "none", NULL);
}

static void central_table(const struct et_daemon_record *r, const struct et_run_findings *f,
	const struct et_page *page)
{
	struct et_rows rows;

	if (!f->n_central)
		return;
	putc('\n', page->out);
	const struct et_page *table = et_rows_begin(&rows, page);
	fprintf(table->out, "  in the central cluster\t%10s\t%10s\n", "max ms", "sd ms");
	for (size_t i = 0; i < f->n_central; i++) {
		name_column(table, r->names[f->central[i].name]);
		fputs("    ", table->out);
		ms_cell(table, 10, f->central[i].max_ms);
		ms_cell(table, 10, f->central[i].sd_ms);
		putc('\n', table->out);
	}
	et_rows_end(&rows);
}

static void frequent_row(const struct et_daemon_record *r, const struct et_run_findings *f,
	const struct et_page *page)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t i = 0; f->frequent && i < r->n_names; i++) {
		if (f->frequent[i])
			et_append(&list, " ", "%s", r->names[i]);
	}
	if (list)
		et_page_paragraph(page, NAME, "  frequent", FAINT, list, NULL);
}

static void run_text(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const char *title, const struct et_page *page,
	bool verbose)
{
	char each[ET_FIGURE], all[ET_FIGURE];
	ET_AUTO_FREE char *text = et_asprintf("%s: %u samples of %s, %s in all", title,
		run->samples, et_format_span(run->sample_seconds, each),
		et_format_span(run->samples * run->sample_seconds, all));

	heading(page, text);
	if (run->whole) {
		ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
		et_daemon_pairs(r, run, f, &d);
		et_dual_text(&d, page);
	}
	numbers(page, "  L-samples", run, f->far);
	numbers(page, "  removed", run, f->removed);
	frequent_row(r, f, page);
	if (verbose)
		central_table(r, f, page);
}

void et_daemons_text(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page, bool verbose)
{
	run_text(r, &r->short_run, &f->short_run, "short run", page, verbose);
	putc('\n', page->out);
	if (r->has_long) {
		run_text(r, &r->long_run, &f->long_run, "long run", page, verbose);
		putc('\n', page->out);
	}
	if (!f->n_cutoffs) {
		heading(page, "no daemon ran long enough to spoil a sample");
		return;
	}
	heading(page,
		"cutoffs in milliseconds: a sample with a daemon above its cutoff is removed");
	et_cutoffs_text(f->cutoffs, f->n_cutoffs, page);
}

void et_cutoffs_text(const struct et_cutoff *list, size_t n, const struct et_page *page)
{
	char span[ET_FIGURE];

	struct et_rows rows;
	const struct et_page *table = et_rows_begin(&rows, page);

	fprintf(table->out, "  %-*s\t%8s\t%9s\t%10s\t%8s\t  for longer programs\n", NAME, "daemon",
		"short", "long", "period", "cutoff");
	for (size_t i = 0; i < n; i++) {
		const struct et_cutoff *c = &list[i];
		name_column(table, c->daemon);
		ms_cell(table, 8, c->short_ms);
		ms_cell(table, 9, c->long_ms);
		et_cell(table, 10, et_format_span(c->period_s, span));
		ms_cell(table, 8, c->final_ms[0]);
		if (c->n_final > 1) {
			ms_cell(table, 7, c->final_ms[1]);
			fprintf(table->out, " from %s on", et_format_span(c->task_time_s, span));
		}
		putc('\n', table->out);
	}
	et_rows_end(&rows);
}

/* --- JSON --- */

static void json_central(struct et_json *w, const char *key, const struct et_daemon_record *r,
	const struct et_run_findings *f)
{
	et_json_array(w, key);
	for (size_t i = 0; i < f->n_central; i++) {
		et_json_flat_object(w, NULL);
		et_json_string(w, "daemon", r->names[f->central[i].name]);
		et_json_double(w, "max_ms", f->central[i].max_ms);
		et_json_double(w, "sd_ms", f->central[i].sd_ms);
		et_json_end(w);
	}
	et_json_end(w);
}

static void json_numbers(
	struct et_json *w, const char *key, const struct et_daemon_run *run, const bool *which)
{
	et_json_flat_array(w, key);
	for (size_t i = 0; i < run->n_listed; i++) {
		if (which[i])
			et_json_u64(w, NULL, run->listed[i].number);
	}
	et_json_end(w);
}

/* [[daemon, sample, ms] …] of the daemons that also occur in the cluster. */
static void json_long_running(struct et_json *w, const char *key, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_run_findings *f)
{
	et_json_array(w, key);
	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *s = &run->listed[i];
		for (size_t k = s->first; k < s->first + s->n; k++) {
			uint32_t name = run->executions[k].name;
			if (!f->long_running[k] || !et_findings_central(f, name))
				continue;
			et_json_flat_array(w, NULL);
			et_json_string(w, NULL, r->names[name]);
			et_json_u64(w, NULL, s->number);
			et_json_double(w, NULL, run->executions[k].ms);
			et_json_end(w);
		}
	}
	et_json_end(w);
}

static void json_only_far(struct et_json *w, const char *key, const struct et_daemon_record *r,
	const struct et_daemon_run *run, const struct et_run_findings *f)
{
	ET_AUTO_FREE bool *there = et_calloc(r->n_names + 1, sizeof(*there));

	for (size_t i = 0; i < run->n_executions; i++)
		there[run->executions[i].name] = true;
	et_json_flat_array(w, key);
	for (uint32_t i = 0; i < r->n_names; i++) {
		if (there[i] && !et_findings_central(f, i))
			et_json_string(w, NULL, r->names[i]);
	}
	et_json_end(w);
}

static void json_frequent(
	struct et_json *w, const struct et_daemon_record *r, const struct et_run_findings *f)
{
	et_json_flat_array(w, "frequent");
	for (size_t i = 0; f->frequent && i < r->n_names; i++) {
		if (f->frequent[i])
			et_json_string(w, NULL, r->names[i]);
	}
	et_json_end(w);
}

void et_cutoffs_json(const struct et_cutoff *list, size_t n, struct et_json *w)
{
	et_json_array(w, "daemons");
	for (size_t i = 0; i < n; i++) {
		const struct et_cutoff *c = &list[i];
		et_json_flat_object(w, NULL);
		et_json_string(w, "daemon", c->daemon);
		et_json_double(w, "short", c->short_ms);
		et_json_double(w, "long", c->long_ms);
		et_json_double(w, "period_hours", c->period_s / 3600);
		et_json_double(w, "task_time_s", c->task_time_s);
		et_json_flat_array(w, "final");
		for (int k = 0; k < c->n_final; k++)
			et_json_double(w, NULL, c->final_ms[k]);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_daemons_json(
	const struct et_daemon_record *r, const struct et_daemon_findings *f, struct et_json *w)
{
	const struct et_run_findings *s = &f->short_run, *l = &f->long_run;

	et_json_object(w, NULL);
	json_central(w, "central", r, s);
	json_numbers(w, "l_samples", &r->short_run, s->far);
	json_frequent(w, r, s);
	json_long_running(w, "long_running_in_short_run", r, &r->short_run, s);
	json_only_far(w, "only_in_l_samples_of_short_run", r, &r->short_run, s);
	json_central(w, "long_central", r, l);
	json_numbers(w, "long_l_samples", &r->long_run, l->far);
	et_cutoffs_json(f->cutoffs, f->n_cutoffs, w);
	json_numbers(w, "removed_short", &r->short_run, s->removed);
	json_numbers(w, "removed_long", &r->long_run, l->removed);
	et_json_end(w);
}

/* --- stored cutoffs --- */

double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns)
{
	return wall_ns > c->learned_wall_ns ? 1e-9 * (double)(wall_ns - c->learned_wall_ns) : 0;
}

static void show_json(const struct et_cutoffs *c, double age, const struct et_warnings *warnings,
	const struct et_page *page)
{
	struct et_json w;
	char when[32];

	et_json_init(&w, page->out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "host", c->host);
	et_json_string(&w, "kernel", c->kernel);
	et_json_string(&w, "cpu", c->cpu);
	et_json_string(&w, "learned", et_format_rfc3339(c->learned_wall_ns, when));
	et_json_double(&w, "age_days", age / 86400);
	et_json_u64(&w, "short_runs", c->short_runs);
	et_json_double(&w, "short_seconds", c->short_seconds);
	et_json_u64(&w, "long_runs", c->long_runs);
	et_json_double(&w, "long_seconds", c->long_seconds);
	et_cutoffs_json(c->list, c->n, &w);
	et_warnings_json(&w, warnings);
	et_json_end(&w);
}

static void show_runs(const struct et_page *page, const char *lead, uint32_t runs, double seconds)
{
	char each[ET_FIGURE], all[ET_FIGURE];
	ET_AUTO_FREE char *text = et_asprintf("%u samples of %s, %s in all", runs,
		et_format_span(seconds, each), et_format_span(runs * seconds, all));

	et_page_paragraph(page, NAME, lead, FAINT, text, NULL);
}

void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, bool json, const struct et_page *page)
{
	double age = et_cutoffs_age_s(c, wall_ns);
	char when[32], span[ET_FIGURE];

	if (json) {
		show_json(c, age, warnings, page);
		return;
	}
	ET_AUTO_FREE char *title = et_asprintf("%zu daemon%s of %s, learned %s, %s ago", c->n,
		c->n == 1 ? "" : "s", c->host, et_format_rfc3339(c->learned_wall_ns, when),
		et_format_span(age, span));
	heading(page, title);
	et_page_paragraph(page, NAME, "  kernel", FAINT, c->kernel, NULL);
	show_runs(page, "  short run", c->short_runs, c->short_seconds);
	if (c->long_runs)
		show_runs(page, "  long run", c->long_runs, c->long_seconds);
	if (c->n) {
		fprintf(page->out, "\n  cutoffs in milliseconds\n");
		et_cutoffs_text(c->list, c->n, page);
	}
	et_warnings_text(page, 2, warnings);
}
