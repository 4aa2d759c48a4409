/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/daemons/view.h"
#include "base/alloc.h"
#include "base/parse.h"
#include "draw/table.h"
#include "model/experiment/experiment.h"
#include "report/dual.h"
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
	/* All times are in milliseconds, so that a reader can compare the cutoffs. */
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "in the central cluster"),
		ET_COLUMN(NUMBER, "max ms", .format = et_format_ms),
		ET_COLUMN(NUMBER, "sd ms", .format = et_format_ms) };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };

	if (!f->n_central)
		return;
	putc('\n', page->out);
	for (size_t i = 0; i < f->n_central; i++) {
		et_table_name(&t, r->names[f->central[i].name], NULL);
		et_table_number(&t, f->central[i].max_ms);
		et_table_number(&t, f->central[i].sd_ms);
	}
	et_table_print(&t, page);
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

/* The details of a run, for -v. */
static void run_details(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_run_findings *f, const char *title, const struct et_page *page)
{
	putc('\n', page->out);
	heading(page, title);
	if (run->whole) {
		ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
		et_daemon_pairs(r, run, f, &d);
		et_dual_text(&d, page);
	}
	numbers(page, "  L-samples", run, f->far);
	numbers(page, "  removed", run, f->removed);
	frequent_row(r, f, page);
	central_table(r, f, page);
}

/* --- the answer --- */

static size_t count(const bool *which, size_t n)
{
	size_t k = 0;

	for (size_t i = 0; i < n; i++)
		k += which[i];
	return k;
}

/* Whether the central cluster is symmetric, as a clause; "" if it was not tested. */
static char *shape_clause(const struct et_cluster_shape *s)
{
	bool skewed = s->skewness_p < ET_CLUSTER_LEVEL;
	bool alike = s->correlation_p < ET_CLUSTER_LEVEL;

	if (!s->tested)
		return et_strdup("");
	if (s->symmetric)
		return et_strdup("; the central cluster shows no asymmetry");
	return et_asprintf(
		"; the central cluster is not symmetric (%s%s%s): other disturbances may "
		"be left in it",
		!skewed             ? ""
		: s->skewness_z > 0 ? "it has a tail to longer times"
				    : "it has a tail to shorter times",
		skewed && alike ? ", and " : "",
		!alike               ? ""
		: s->correlation > 0 ? "successive samples are alike"
				     : "short and long samples alternate");
}

static void run_row(const struct et_daemon_run *run, const struct et_run_findings *f,
	const char *lead, const struct et_page *page)
{
	char each[ET_FIGURE], all[ET_FIGURE];
	ET_AUTO_FREE char *shape = shape_clause(&f->shape);

	if (f->by_pairs)
		et_append(&shape, "; ",
			"the baseline drifts, so differences within pairs were "
			"judged as well");
	ET_AUTO_FREE char *text =
		et_asprintf("%u samples, one every %s, %s in all: %zu outside of the "
			    "central cluster, %zu removed%s",
			run->samples, et_format_span(run->sample_seconds, each),
			et_format_span(run->samples * run->sample_seconds, all), f->n_far,
			count(f->removed, run->n_listed), shape);

	et_page_paragraph(page, NAME, lead, FAINT, text, NULL);
}

static void answer(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page)
{
	char **list = et_daemons_answer(r, f);

	heading(page, list[0]);
	for (size_t i = 1; list[i]; i++)
		et_page_paragraph(page, 2, " ", NULL, list[i], NULL);
	et_strv_free(list);
}

/* The samples of a run that a daemon spoils. */
static size_t spoilt(const struct et_daemon_record *r, const struct et_daemon_run *run,
	const struct et_cutoff *c)
{
	double limit = et_cutoff_for(c, run->sample_seconds) + r->resolution_ms / 2;
	size_t n = 0;

	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *s = &run->listed[i];
		bool over = false;
		for (size_t k = s->first; k < s->first + s->n; k++)
			over = over ||
			       (run->executions[k].ms > limit &&
				       !strcmp(r->names[run->executions[k].name], c->daemon));
		n += over;
	}
	return n;
}

const char *et_format_period(double seconds, uint32_t sightings, char buf[ET_FIGURE])
{
	char span[ET_FIGURE];

	snprintf(buf, ET_FIGURE, "%.80s%s", et_format_span(seconds, span),
		!isnan(seconds) && sightings == 2 ? " (?)" : "");
	return buf;
}

/* r may be NULL: then the samples are not known. */
static void cutoffs_table(const struct et_cutoff *list, size_t n, bool by_ledger,
	const struct et_daemon_record *r, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "daemon"),
		ET_COLUMN(NUMBER, "cutoff", .format = et_format_ms),
		ET_COLUMN(NUMBER, "for longer programs"), ET_COLUMN(NUMBER, "period"),
		ET_COLUMN(NUMBER, "removes") };
	struct et_table t = {
		.columns = columns, .n_columns = r ? 5 : 4, .indent = 2, .split = true
	};
	bool guess = false;

	for (const struct et_cutoff *c = list; c < list + n; c++) {
		char ms[ET_FIGURE], span[ET_FIGURE], longer[2 * ET_FIGURE] = "";
		if (c->n_final > 1)
			snprintf(longer, sizeof(longer), "%s from %s on",
				et_format_ms(c->final_ms[1], ms),
				et_format_span(c->task_time_s, span));
		et_table_name(&t, c->daemon, NULL);
		et_table_number(&t, c->final_ms[0]);
		et_table_add(
			&t, "%s\t%s", longer, et_format_period(c->period_s, c->sightings, span));
		if (r)
			et_table_add(&t, "%zu",
				spoilt(r, &r->short_run, c) +
					(r->has_long ? spoilt(r, &r->long_run, c) : 0));
		guess = guess || (c->sightings == 2 && !isnan(c->period_s));
	}
	et_table_print(&t, page);
	et_page_paragraph(page, 2, " ", NULL,
		by_ledger
			? "cutoff: milliseconds for which it had the program's CPU; a sample with "
			  "more is removed"
			: "cutoff: milliseconds of CPU time; a sample with more is removed",
		FAINT);
	if (guess)
		et_page_paragraph(page, 2, " ", NULL, "(?): it was seen only twice", FAINT);
}

void et_daemons_text(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_page *page, bool verbose)
{
	answer(r, f, page);
	run_row(&r->short_run, &f->short_run, "  short run", page);
	if (r->has_long)
		run_row(&r->long_run, &f->long_run, "  long run", page);
	if (f->n_cutoffs) {
		putc('\n', page->out);
		cutoffs_table(f->cutoffs, f->n_cutoffs, r->by_ledger, r, page);
	}
	if (!verbose)
		return;
	run_details(r, &r->short_run, &f->short_run, "short run", page);
	if (r->has_long)
		run_details(r, &r->long_run, &f->long_run, "long run", page);
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

static void json_frequent(struct et_json *w, const char *key, const struct et_daemon_record *r,
	const struct et_run_findings *f)
{
	et_json_flat_array(w, key);
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
		et_json_u64(w, "sightings", c->sightings ? c->sightings : ET_UNKNOWN);
		et_json_flat_array(w, "final");
		for (int k = 0; k < c->n_final; k++)
			et_json_double(w, NULL, c->final_ms[k]);
		et_json_end(w);
		et_json_end(w);
	}
	et_json_end(w);
}

static const struct et_field shape_fields[] = {
	ET_KEYS(et_cluster_shape, pairs, skewness_z, skewness_p, correlation, correlation_p),
	ET_KEYS(et_cluster_shape, symmetric),
	{ 0 },
};

/* null if the times of the samples are not known. */
static void json_shape(struct et_json *w, const char *key, const struct et_cluster_shape *s)
{
	if (s->tested)
		et_fields_flat(w, key, shape_fields, s);
	else
		et_json_null(w, key);
}

void et_daemons_json(const struct et_daemon_record *r, const struct et_daemon_findings *f,
	const struct et_daemon_tables *tables, struct et_json *w)
{
	const struct et_run_findings *s = &f->short_run, *l = &f->long_run;

	et_json_object(w, NULL);
	json_central(w, "central", r, s);
	json_numbers(w, "l_samples", &r->short_run, s->far);
	json_shape(w, "shape", &s->shape);
	json_frequent(w, "frequent", r, s);
	et_daemons_answer_json("", r, s, w);
	json_long_running(w, "long_running_in_short_run", r, &r->short_run, s);
	json_only_far(w, "only_in_l_samples_of_short_run", r, &r->short_run, s);
	json_central(w, "long_central", r, l);
	json_numbers(w, "long_l_samples", &r->long_run, l->far);
	json_shape(w, "long_shape", &l->shape);
	json_frequent(w, "long_frequent", r, l);
	et_daemons_answer_json("long_", r, l, w);
	json_long_running(w, "long_running_in_long_run", r, &r->long_run, l);
	json_only_far(w, "only_in_l_samples_of_long_run", r, &r->long_run, l);
	et_json_double(w, "floor_ms", f->floor_ms);
	et_json_bool(w, "by_ledger", r->by_ledger);
	et_cutoffs_json(f->cutoffs, f->n_cutoffs, w);
	json_numbers(w, "removed_short", &r->short_run, s->removed);
	json_numbers(w, "removed_long", &r->long_run, l->removed);
	if (tables)
		et_daemon_tables_json(tables, w);
	et_json_end(w);
}

/* --- stored cutoffs --- */

double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns)
{
	return wall_ns > c->learned_wall_ns ? 1e-9 * (double)(wall_ns - c->learned_wall_ns) : 0;
}

const char *et_format_ago(double seconds, char buf[ET_FIGURE])
{
	char span[ET_FIGURE];

	if (seconds < 60)
		snprintf(buf, ET_FIGURE, "less than a minute ago");
	else
		snprintf(buf, ET_FIGURE, "%.80s ago", et_format_span(seconds, span));
	return buf;
}

static const struct et_field learning_fields[] = {
	ET_KEYS(et_cutoffs, short_runs, short_seconds, long_runs, long_seconds, floor_ms),
	ET_KEYS_GIVEN(et_cutoffs, short_id, long_id),
	ET_KEYS(et_cutoffs, tuned, by_ledger),
	{ 0 },
};

static void show_json(const struct et_cutoffs *c, double age, const struct et_warnings *warnings,
	const struct et_daemon_tables *tables, const struct et_page *page)
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
	et_fields_write(&w, learning_fields, c);
	et_cutoffs_json(c->list, c->n, &w);
	et_warnings_json(&w, warnings);
	if (tables)
		et_daemon_tables_json(tables, &w);
	et_json_end(&w);
}

static void show_runs(const struct et_page *page, const char *lead, uint32_t runs, double seconds)
{
	char each[ET_FIGURE], all[ET_FIGURE];
	ET_AUTO_FREE char *text = et_asprintf("%u samples, one every %s, %s in all", runs,
		et_format_span(seconds, each), et_format_span(runs * seconds, all));

	et_page_paragraph(page, NAME, lead, FAINT, text, NULL);
}

/* The runs of a learning: what became of their samples, or what is stored about them. */
static void origin_rows(
	const struct et_cutoffs *c, const struct et_cutoffs_runs *runs, const struct et_page *page)
{
	const struct et_daemon_record *r = runs->record;

	if (r)
		run_row(&r->short_run, &runs->found->short_run, "  short run", page);
	else
		show_runs(page, "  short run", c->short_runs, c->short_seconds);
	if (r && r->has_long)
		run_row(&r->long_run, &runs->found->long_run, "  long run", page);
	else if (c->long_runs)
		show_runs(page, "  long run", c->long_runs, c->long_seconds);
}

/* The sentences about the runs; the first one repeats the cutoffs if there are any. */
static void show_answer(
	const struct et_cutoffs *c, const struct et_cutoffs_runs *runs, const struct et_page *page)
{
	char **list = et_daemons_answer(runs->record, runs->found);

	for (size_t i = c->n && runs->found->n_cutoffs; list[i]; i++)
		et_page_paragraph(page, 2, " ", NULL, list[i], NULL);
	et_strv_free(list);
}

void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, const struct et_cutoffs_runs *runs, bool json,
	const struct et_page *page)
{
	double age = et_cutoffs_age_s(c, wall_ns);
	char when[32], span[ET_FIGURE];

	if (json) {
		show_json(c, age, warnings, runs->tables, page);
		return;
	}
	ET_AUTO_FREE char *title = et_asprintf("%zu daemon%s of %s, learned %s, %s", c->n,
		c->n == 1 ? "" : "s", c->host, et_format_rfc3339(c->learned_wall_ns, when),
		et_format_ago(age, span));
	heading(page, title);
	if (!c->n)
		et_page_paragraph(page, 2, " ", NULL,
			"no daemon has a cutoff, so no sample is removed because of one", NULL);
	if (runs->record)
		show_answer(c, runs, page);
	et_page_paragraph(page, NAME, "  kernel", FAINT, c->kernel, NULL);
	origin_rows(c, runs, page);
	if (!isnan(c->floor_ms)) {
		ET_AUTO_FREE char *floor = et_asprintf("%s ms: the shortest CPU time that can be "
						       "resolved here; no cutoff is below it",
			et_format_ms(c->floor_ms, span));
		et_page_paragraph(page, NAME, "  floor", FAINT, floor, NULL);
	}
	if (c->n) {
		putc('\n', page->out);
		cutoffs_table(c->list, c->n, c->by_ledger, runs->record, page);
	}
	et_warnings_text(page, 2, warnings);
}
