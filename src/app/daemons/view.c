/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The findings about daemons and the stored cutoffs of a machine, as text and JSON. */
#include "app/daemons/daemons.h"
#include "base/parse.h"
#include "report/warning.h"

#define BOLD "1"
#define FAINT "2"

enum { NAME = 18 };

static const double TIGHT = 0.05; /* the largest standard deviation of a tight cluster */

/* --- a run --- */

struct et_daemon_side et_daemon_side(const struct et_daemon_result *r, bool is_long)
{
	return (struct et_daemon_side){ r, r->record,
		is_long ? &r->record->long_run : &r->record->short_run,
		is_long ? &r->findings->long_run : &r->findings->short_run, is_long,
		is_long ? "long run" : "short run" };
}

static size_t count_removed(struct et_daemon_side s)
{
	size_t n = 0;

	for (size_t i = 0; i < s.run->n_listed; i++)
		n += s.found->removed[i];
	return n;
}

static char *describe_samples(uint32_t samples, double seconds)
{
	return et_asprintf("%u samples, one every %s, %s in all", samples,
		et_format_span(seconds, ET_BUF), et_format_span(samples * seconds, ET_BUF));
}

char *et_daemon_side_text(struct et_daemon_side s, const char *between)
{
	char *text = describe_samples(s.run->samples, s.run->sample_seconds);

	et_append(&text, between, "%zu outside of the central cluster, %zu removed", s.found->n_far,
		count_removed(s));
	return text;
}

char *et_daemon_side_frequent(struct et_daemon_side s, const char *between)
{
	char *list = NULL;

	for (size_t i = 0; s.found->frequent && i < s.record->n_names; i++) {
		if (s.found->frequent[i])
			et_append(&list, between, "%s", s.record->names[i]);
	}
	return list;
}

static void heading(const struct et_page *page, const char *text)
{
	et_page_paragraph(page, 0, "", NULL, text, BOLD);
}

static void row(const struct et_page *page, const char *lead, const char *text)
{
	et_page_paragraph(page, NAME, lead, FAINT, text, NULL);
}

static void remark(const struct et_page *page, const char *text, const char *style)
{
	et_page_paragraph(page, 2, " ", NULL, text, style);
}

static void numbers(const struct et_page *page, const char *lead, const struct et_daemon_run *run,
	const bool *which)
{
	ET_AUTO_FREE char *list = NULL;

	for (size_t i = 0; i < run->n_listed; i++) {
		if (which[i])
			et_append(&list, " ", "%u", run->listed[i].number);
	}
	row(page, lead, list ? list : "none");
}

static void central_table(struct et_daemon_side s, const struct et_page *page)
{
	/* All times are in milliseconds, so that a reader can compare the cutoffs. */
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "in the central cluster"),
		ET_COLUMN(NUMBER, "max ms", .format = et_format_ms),
		ET_COLUMN(NUMBER, "sd ms", .format = et_format_ms) };
	struct et_table t = { ET_COLUMNS(columns), .indent = 2, .split = true };
	const struct et_run_findings *f = s.found;

	if (!f->n_central)
		return;
	putc('\n', page->out);
	for (size_t i = 0; i < f->n_central; i++) {
		et_table_row(&t, s.record->names[f->central[i].name], f->central[i].max_ms,
			f->central[i].sd_ms);
	}
	et_table_print(&t, page);
}

/* The details of a run, for -v. */
static void run_details(struct et_daemon_side s, const struct et_page *page)
{
	ET_AUTO_FREE char *frequent = et_daemon_side_frequent(s, " ");

	putc('\n', page->out);
	heading(page, s.name);
	if (s.run->whole) {
		ET_CLEANUP(et_dual_free) struct et_dual d = { 0 };
		et_daemon_pairs(s, &d);
		et_dual_text(&d, page);
	}
	numbers(page, "  L-samples", s.run, s.found->far);
	numbers(page, "  removed", s.run, s.found->removed);
	if (frequent)
		row(page, "  frequent", frequent);
	central_table(s, page);
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

static void run_row(struct et_daemon_side s, const struct et_page *page)
{
	ET_AUTO_FREE char *shape = shape_clause(&s.found->shape);
	ET_AUTO_FREE char *lead = et_asprintf("  %s", s.name);
	ET_AUTO_FREE char *text = et_daemon_side_text(s, ": ");

	et_append(&text, shape, "%s",
		s.found->by_pairs ? "; the baseline drifts, so differences within pairs were "
				    "judged as well"
				  : "");
	row(page, lead, text);
}

/* --- the answer --- */

/* A sentence of a run names the run if there are two. */
static const char *kind(struct et_daemon_side s)
{
	return !s.record->has_long ? "" : s.is_long ? "long " : "short ";
}

static char *describe_cutoffs(const struct et_daemon_result *r)
{
	struct et_daemon_side s = et_daemon_side(r, false), l = et_daemon_side(r, true);
	size_t n = r->findings->n_cutoffs;
	char *text = et_asprintf("%zu of %zu daemons %s a cutoff; %zu of %u", n, s.record->n_names,
		n == 1 ? "gets" : "get", count_removed(s), s.run->samples);

	if (s.record->has_long)
		et_append(&text, " short and ", "%zu of %u long", count_removed(l), l.run->samples);
	et_append(&text, " ", "samples spoilt");
	return text;
}

/* The frequent daemon that spoils most samples; NULL if none spoils any. */
static char *describe_frequent(struct et_daemon_side s)
{
	const struct et_run_findings *f = s.found;
	uint32_t most = 0, which = 0;

	for (uint32_t i = 0; f->spoils && i < s.record->n_names; i++) {
		if (f->frequent[i] && f->spoils[i] > most) {
			most = f->spoils[i];
			which = i;
		}
	}
	return most ? et_asprintf("%s spoils %u of %u %ssamples and comes too often to remove "
				  "them: stop it, or measure with duets",
			      s.record->names[which], most, s.run->samples, kind(s))
		    : NULL;
}

static char *describe_unexplained(struct et_daemon_side s)
{
	const struct et_run_findings *f = s.found;
	const struct et_in_common *c = &f->common;

	if (!f->unexplained)
		return NULL;
	char *text = et_asprintf("%zu %ssample%s longer and no daemon explains it", f->unexplained,
		kind(s), f->unexplained == 1 ? " is" : "s are");
	if (c->unexplained)
		et_append(&text, "; ", "%s ran in %zu of them and in %zu of the other %zu",
			s.record->names[c->name], c->unexplained, c->others,
			s.run->n_listed - f->unexplained);
	return text;
}

/* Whether a daemon cannot hide in the cluster. The papers' records do not have the times. */
static bool is_tight(struct et_daemon_side s)
{
	return !s.run->whole || (s.found->spread <= TIGHT && s.found->shape.symmetric);
}

static char *describe_none(const struct et_daemon_result *r)
{
	struct et_daemon_side wide = et_daemon_side(r, false);

	if (is_tight(wide) && r->record->has_long)
		wide = et_daemon_side(r, true);
	if (is_tight(wide))
		return et_strdup("no daemon spoilt a sample");
	if (!wide.found->shape.tested)
		return et_strdup("no daemon was found, and the samples are too few to rule one "
				 "out");
	return et_asprintf("no daemon was found, but one may hide in the central cluster: it %s",
		wide.found->spread > TIGHT ? "is wide" : "is not symmetric");
}

char **et_daemons_answer(const struct et_daemon_result *r)
{
	char **list = et_calloc(6, sizeof(*list));
	size_t n = 0;

	if (r->findings->n_cutoffs)
		list[n++] = describe_cutoffs(r);
	for (int k = 0; k < (r->record->has_long ? 2 : 1); k++) {
		struct et_daemon_side s = et_daemon_side(r, k);
		list[n] = describe_frequent(s);
		n += list[n] != NULL;
		list[n] = describe_unexplained(s);
		n += list[n] != NULL;
	}
	if (!n)
		list[n++] = describe_none(r);
	return list;
}

/* The samples of a run that a daemon spoils. */
static size_t spoilt(struct et_daemon_side s, const struct et_cutoff *c)
{
	double limit = et_cutoff_for(c, s.run->sample_seconds) + s.record->resolution_ms / 2;
	size_t n = 0;

	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		bool over = false;
		for (size_t k = w->first; k < w->first + w->n; k++) {
			const struct et_execution *x = &s.run->executions[k];
			over = over ||
			       (x->ms > limit && !strcmp(s.record->names[x->name], c->daemon));
		}
		n += over;
	}
	return n;
}

bool et_cutoff_is_guess(const struct et_cutoff *c)
{
	return !isnan(c->period_s) && c->sightings == 2;
}

const char *et_format_period(double seconds, uint32_t sightings, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.80s%s", et_format_span(seconds, ET_BUF),
		!isnan(seconds) && sightings == 2 ? " (?)" : "");
	return buf;
}

/* The samples that a cutoff removes are not known without the runs. */
static void cutoffs_table(const struct et_cutoff *list, size_t n, bool by_ledger,
	const struct et_daemon_result *runs, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NAME, "daemon"),
		ET_COLUMN(NUMBER, "cutoff", .format = et_format_ms),
		ET_COLUMN(NUMBER, "for longer programs"), ET_COLUMN(NUMBER, "period"),
		ET_COLUMN(NUMBER, "removes") };
	struct et_table t = {
		.columns = columns, .n_columns = runs->record ? 5 : 4, .indent = 2, .split = true
	};
	bool guess = false;

	for (const struct et_cutoff *c = list; c < list + n; c++) {
		char ms[ET_FIGURE], span[ET_FIGURE], longer[2 * ET_FIGURE] = "";
		size_t removes = 0;
		if (c->n_final > 1)
			snprintf(longer, sizeof(longer), "%s from %s on",
				et_format_ms(c->final_ms[1], ms),
				et_format_span(c->task_time_s, span));
		et_table_name(&t, c->daemon, NULL);
		et_table_number(&t, c->final_ms[0]);
		et_table_add(
			&t, "%s\t%s", longer, et_format_period(c->period_s, c->sightings, span));
		for (int k = 0; runs->record && k < (runs->record->has_long ? 2 : 1); k++)
			removes += spoilt(et_daemon_side(runs, k), c);
		if (runs->record)
			et_table_add(&t, "%zu", removes);
		guess = guess || et_cutoff_is_guess(c);
	}
	et_table_print(&t, page);
	remark(page,
		by_ledger
			? "cutoff: milliseconds for which it had the program's CPU; a sample with "
			  "more is removed"
			: "cutoff: milliseconds of CPU time; a sample with more is removed",
		FAINT);
	if (guess)
		remark(page, "(?): it was seen only twice", FAINT);
}

void et_daemons_text(const struct et_daemon_result *r, const struct et_page *page, bool verbose)
{
	const struct et_daemon_findings *f = r->findings;
	int sides = r->record->has_long ? 2 : 1;
	char **list = et_daemons_answer(r);

	heading(page, list[0]);
	for (size_t i = 1; list[i]; i++)
		remark(page, list[i], NULL);
	et_strv_free(list);
	for (int k = 0; k < sides; k++)
		run_row(et_daemon_side(r, k), page);
	if (f->n_cutoffs) {
		putc('\n', page->out);
		cutoffs_table(f->cutoffs, f->n_cutoffs, r->record->by_ledger, r, page);
	}
	for (int k = 0; verbose && k < sides; k++)
		run_details(et_daemon_side(r, k), page);
}

/* --- JSON --- */

/* The keys of the long run begin with "long_". */
static const char *key_of(struct et_daemon_side s, const char *key, char buf[64])
{
	snprintf(buf, 64, "%s%s", s.is_long ? "long_" : "", key);
	return buf;
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
static void json_long_running(struct et_json *w, const char *key, struct et_daemon_side s)
{
	et_json_array(w, key);
	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *v = &s.run->listed[i];
		for (size_t k = v->first; k < v->first + v->n; k++) {
			const struct et_execution *x = &s.run->executions[k];
			if (!s.found->long_running[k] || !et_findings_central(s.found, x->name))
				continue;
			et_json_flat_array(w, NULL);
			et_json_string(w, NULL, s.record->names[x->name]);
			et_json_u64(w, NULL, v->number);
			et_json_double(w, NULL, x->ms);
			et_json_end(w);
		}
	}
	et_json_end(w);
}

/* which may be NULL: none. */
static void json_names(
	struct et_json *w, const char *key, const struct et_daemon_record *r, const bool *which)
{
	et_json_flat_array(w, key);
	for (size_t i = 0; which && i < r->n_names; i++) {
		if (which[i])
			et_json_string(w, NULL, r->names[i]);
	}
	et_json_end(w);
}

/* The daemons of a run that are not in the cluster. */
static void json_only_far(struct et_json *w, const char *key, struct et_daemon_side s)
{
	ET_AUTO_FREE bool *which = et_calloc(s.record->n_names + 1, sizeof(*which));

	for (size_t i = 0; i < s.run->n_executions; i++) {
		uint32_t name = s.run->executions[i].name;
		which[name] = !et_findings_central(s.found, name);
	}
	json_names(w, key, s.record, which);
}

static void json_spoilt(struct et_json *w, const char *key, struct et_daemon_side s)
{
	const struct et_run_findings *f = s.found;

	et_json_array(w, key);
	for (size_t i = 0; f->spoils && i < s.record->n_names; i++) {
		if (!f->spoils[i] || !f->frequent[i])
			continue;
		et_json_flat_object(w, NULL);
		et_json_string(w, "daemon", s.record->names[i]);
		et_json_u64(w, "samples", f->spoils[i]);
		et_json_end(w);
	}
	et_json_end(w);
}

/* One object per cutoff, times in milliseconds, not rounded. */
static void cutoffs_json(const struct et_cutoff *list, size_t n, struct et_json *w)
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

/* "shape" is null if the times of the samples are not known. */
static void json_side(struct et_json *w, struct et_daemon_side s)
{
	const struct et_run_findings *f = s.found;
	const char *common = f->common.unexplained ? s.record->names[f->common.name] : NULL;
	struct et_table central = et_daemon_central(s);
	char key[64];

	et_table_json_rows(&central, key_of(s, "central", key), w);
	json_numbers(w, key_of(s, "l_samples", key), s.run, f->far);
	if (f->shape.tested)
		et_fields_flat(w, key_of(s, "shape", key), shape_fields, &f->shape);
	else
		et_json_null(w, key_of(s, "shape", key));
	json_names(w, key_of(s, "frequent", key), s.record, f->frequent);
	json_spoilt(w, key_of(s, "spoilt_by_frequent", key), s);
	et_json_u64(w, key_of(s, "unexplained", key), f->unexplained);
	et_json_string(w, key_of(s, "in_common", key), common);
	et_json_bool(w, key_of(s, "by_pairs", key), f->by_pairs);
	json_long_running(
		w, s.is_long ? "long_running_in_long_run" : "long_running_in_short_run", s);
	json_only_far(w,
		s.is_long ? "only_in_l_samples_of_long_run" : "only_in_l_samples_of_short_run", s);
}

static void json_tables(struct et_json *w, const struct et_daemon_result *r)
{
	if (!r->wanted)
		return;
	et_json_object(w, "tables");
	et_daemon_tables_write(r, (struct et_daemon_tables_to){ .json = w });
	et_json_end(w);
}

/* The keys of a long run are there, too, if there is none. */
void et_daemons_json(const struct et_daemon_result *r, struct et_json *w)
{
	const struct et_daemon_side s = et_daemon_side(r, false), l = et_daemon_side(r, true);

	et_json_object(w, NULL);
	json_side(w, s);
	json_side(w, l);
	et_json_double(w, "floor_ms", r->findings->floor_ms);
	et_json_bool(w, "by_ledger", r->record->by_ledger);
	cutoffs_json(r->findings->cutoffs, r->findings->n_cutoffs, w);
	json_numbers(w, "removed_short", s.run, s.found->removed);
	json_numbers(w, "removed_long", l.run, l.found->removed);
	json_tables(w, r);
	et_json_end(w);
}

/* --- stored cutoffs --- */

double et_cutoffs_age_s(const struct et_cutoffs *c, uint64_t wall_ns)
{
	return wall_ns > c->learned_wall_ns ? 1e-9 * (double)(wall_ns - c->learned_wall_ns) : 0;
}

const char *et_format_ago(double seconds, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.80s ago",
		seconds < 60 ? "less than a minute" : et_format_span(seconds, ET_BUF));
	return buf;
}

static const struct et_field learning_fields[] = {
	ET_KEYS(et_cutoffs, short_runs, short_seconds, long_runs, long_seconds, floor_ms),
	ET_KEYS_GIVEN(et_cutoffs, short_id, long_id),
	ET_KEYS(et_cutoffs, tuned, by_ledger),
	{ 0 },
};

static void show_json(const struct et_cutoffs *c, double age, const struct et_warnings *warnings,
	const struct et_daemon_result *runs, FILE *out)
{
	struct et_json w;
	char when[32];

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "host", c->host);
	et_json_string(&w, "kernel", c->kernel);
	et_json_string(&w, "cpu", c->cpu);
	et_json_string(&w, "learned", et_format_rfc3339(c->learned_wall_ns, when));
	et_json_double(&w, "age_days", age / 86400);
	et_fields_write(&w, learning_fields, c);
	cutoffs_json(c->list, c->n, &w);
	et_warnings_json(&w, warnings);
	json_tables(&w, runs);
	et_json_end(&w);
}

/* A run of a learning: what became of its samples, or what is stored about them. */
static void origin_row(const struct et_cutoffs *c, const struct et_daemon_result *runs,
	bool is_long, const struct et_page *page)
{
	uint32_t n = is_long ? c->long_runs : c->short_runs;
	ET_AUTO_FREE char *stored =
		describe_samples(n, is_long ? c->long_seconds : c->short_seconds);

	if (runs->record && (!is_long || runs->record->has_long))
		run_row(et_daemon_side(runs, is_long), page);
	else if (n || !is_long)
		row(page, is_long ? "  long run" : "  short run", stored);
}

void et_cutoffs_show(const struct et_cutoffs *c, uint64_t wall_ns,
	const struct et_warnings *warnings, const struct et_daemon_result *runs, bool json,
	const struct et_page *page)
{
	double age = et_cutoffs_age_s(c, wall_ns);
	char when[32];

	if (json) {
		show_json(c, age, warnings, runs, page->out);
		return;
	}
	et_page_say(page, 0, "", NULL, BOLD, "%zu daemon%s of %s, learned %s, %s", c->n,
		c->n == 1 ? "" : "s", c->host, et_format_rfc3339(c->learned_wall_ns, when),
		et_format_ago(age, ET_BUF));
	if (!c->n)
		remark(page, "no daemon has a cutoff, so no sample is removed because of one",
			NULL);
	char **answer = runs->record ? et_daemons_answer(runs) : NULL;
	/* The first of its sentences repeats the cutoffs if there are any. */
	for (size_t i = answer && c->n && runs->findings->n_cutoffs; answer && answer[i]; i++)
		remark(page, answer[i], NULL);
	et_strv_free(answer);
	row(page, "  kernel", c->kernel);
	origin_row(c, runs, false, page);
	origin_row(c, runs, true, page);
	if (!isnan(c->floor_ms))
		et_page_say(page, NAME, "  floor", FAINT, NULL,
			"%s ms: the shortest CPU time that can be resolved here; no cutoff is "
			"below it",
			et_format_ms(c->floor_ms, ET_BUF));
	if (c->n) {
		putc('\n', page->out);
		cutoffs_table(c->list, c->n, c->by_ledger, runs, page);
	}
	et_warnings_text(page, 2, warnings);
}
