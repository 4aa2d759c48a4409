/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/daemons/view_tables.h"
#include "app/daemons/view.h"
#include "base/alloc.h"
#include "draw/table.h"

#include <errno.h>
#include <math.h>
#include <string.h>

/* One of the two runs. */
struct side {
	const struct et_daemon_record *record;
	const struct et_daemon_run *run;
	const struct et_run_findings *found;
	const char *name;
};

static struct side side_of(const struct et_daemon_tables *t, bool is_long)
{
	return (struct side){ .record = t->record,
		.run = is_long ? &t->record->long_run : &t->record->short_run,
		.found = is_long ? &t->findings->long_run : &t->findings->short_run,
		.name = is_long ? "long run" : "short run" };
}

/* --- figures --- */

static const char *format_count(double n, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.0f", n);
	return buf;
}

/* "63.5"; some records are in whole milliseconds. */
static const char *format_ms(double ms, char buf[ET_FIGURE])
{
	return ms == floor(ms) ? format_count(ms, buf) : et_format_ms(ms, buf);
}

/* "1002.35": times that differ in their last digits need these; a day in milliseconds does not. */
static const char *format_time(double ms, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.*f", ms >= 10000 ? 1 : ms >= 100 ? 2 : 3, ms);
	return buf;
}

/* "2.147": their standard deviation. */
static const char *format_sd(double ms, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.*f", ms >= 100 ? 1 : ms >= 10 ? 2 : 3, ms);
	return buf;
}

static const char *format_ratio(double ratio, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.1e", ratio);
	return buf;
}

/* --- the times of the runs: VII, XVIII, XIX --- */

static const char NO_TIMES[] = "none: the record does not list the times of all samples";

static void add_run(struct et_table *g, const struct et_checked *c)
{
	bool cpu = c->metric == ET_METRIC_CPU;

	et_table_name(g, c->name, NULL);
	et_table_name(g, cpu ? "CPU" : "elapsed", NULL);
	et_table_name(g, cpu ? "pt" : "et", NULL);
}

static bool is_first_done(const struct et_checked *c)
{
	return c->first == ET_FIRST_CHECK_DONE;
}

static void add_precision(struct et_table *g, const struct et_precision *p)
{
	et_table_number(g, p->min);
	et_table_number(g, p->max);
	et_table_number(g, p->mean);
	et_table_number(g, p->sd);
}

static const struct et_table_column before_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "time"),
	ET_COLUMN(NUMBER, NULL, .key = "metric"),
	ET_COLUMN(NUMBER, "samples", .key = "samples", .format = format_count),
	ET_COLUMN(NUMBER, "min", .key = "min_ms", .format = format_time),
	ET_COLUMN(NUMBER, "max", .key = "max_ms", .format = format_time),
	ET_COLUMN(NUMBER, "mean", .key = "mean_ms", .format = format_time),
	ET_COLUMN(NUMBER, "sd", .key = "sd_ms", .format = format_sd),
	ET_COLUMN(NUMBER, "sd / mean", .key = "relative_error", .format = format_ratio),
};

static struct et_table times_before(const struct et_daemon_tables *t, bool is_long)
{
	struct et_table g = { ET_COLUMNS(before_columns),
		.caption = et_strdup("times before the sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_checked; i++) {
		const struct et_checked *c = &t->checked[i];
		add_run(&g, c);
		et_table_number(&g, (double)c->samples);
		add_precision(&g, &c->before);
		et_table_number(&g, c->before.relative_error);
	}
	return g;
}

static const struct et_table_column after_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "time"),
	ET_COLUMN(NUMBER, NULL, .key = "metric"),
	ET_COLUMN(NUMBER, "outliers"),
	ET_COLUMN(NUMBER, NULL, .key = "outliers", .format = format_count),
	ET_COLUMN(NUMBER, NULL, .key = "first_check"),
	ET_COLUMN(NUMBER, NULL, .key = "by_daemons", .format = format_count),
	ET_COLUMN(NUMBER, NULL, .key = "by_value", .format = format_count),
	ET_COLUMN(NUMBER, NULL, .key = "samples", .format = format_count),
	ET_COLUMN(NUMBER, "min", .key = "min_ms", .format = format_time),
	ET_COLUMN(NUMBER, "max", .key = "max_ms", .format = format_time),
	ET_COLUMN(NUMBER, "mean", .key = "mean_ms", .format = format_time),
	ET_COLUMN(NUMBER, "sd", .key = "sd_ms", .format = format_sd),
	ET_COLUMN(NUMBER, "sd / mean", .key = "relative_error", .format = format_ratio),
};

static struct et_table times_after(const struct et_daemon_tables *t, bool is_long)
{
	struct et_table g = { ET_COLUMNS(after_columns),
		.caption = et_strdup("times after both sanity checks, in milliseconds; outliers "
				     "(= by daemons + by value) / samples"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_checked; i++) {
		const struct et_checked *c = &t->checked[i];
		size_t out = c->by_daemons + c->by_value;
		ET_AUTO_FREE char *sum = et_asprintf(
			"%zu (=%zu+%zu) / %zu", out, c->by_daemons, c->by_value, c->samples);
		add_run(&g, c);
		et_table_name(&g, sum, NULL);
		et_table_number(&g, (double)out);
		et_table_name(&g, et_first_check_names[c->first], NULL);
		et_table_number(&g, is_first_done(c) ? (double)c->by_daemons : NAN);
		et_table_number(&g, (double)c->by_value);
		et_table_number(&g, (double)c->samples);
		add_precision(&g, &c->after);
		et_table_number(&g, c->after.relative_error);
	}
	return g;
}

static const struct et_table_column length_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "outliers", .key = "outliers", .format = format_count),
	ET_COLUMN(NUMBER, NULL, .key = "first_check"),
	ET_COLUMN(NUMBER, "samples", .key = "samples", .format = format_count),
	ET_COLUMN(NUMBER, "min", .key = "min_ms", .format = format_time),
	ET_COLUMN(NUMBER, "max", .key = "max_ms", .format = format_time),
	ET_COLUMN(NUMBER, "mean", .key = "mean_ms", .format = format_time),
	ET_COLUMN(NUMBER, "sd", .key = "sd_ms", .format = format_sd),
};

static struct et_table lengths(const struct et_daemon_tables *t, bool is_long)
{
	struct et_table g = { ET_COLUMNS(length_columns),
		.caption = et_strdup("CPU time after both sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_lengths; i++) {
		const struct et_checked *c = &t->lengths[i];
		et_table_name(&g, c->name, NULL);
		et_table_number(&g, (double)(c->by_daemons + c->by_value));
		et_table_name(&g, et_first_check_names[c->first], NULL);
		et_table_number(&g, (double)c->samples);
		add_precision(&g, &c->after);
	}
	return g;
}

/* --- the daemons of one run: VIII to XI, XII to XV --- */

static const struct et_table_column central_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "max ms", .key = "max_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "sd ms", .key = "sd_ms", .format = format_ms),
};

static struct et_table central(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_table g = { ET_COLUMNS(central_columns),
		.caption = et_asprintf("daemons in the central cluster of the %s, %zu samples: CPU "
				       "time of one execution",
			s.name, s.run->samples - s.found->n_far),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_central; i++) {
		const struct et_central *c = &s.found->central[i];
		et_table_name(&g, t->record->names[c->name], NULL);
		et_table_number(&g, c->max_ms);
		et_table_number(&g, c->sd_ms);
	}
	return g;
}

static const struct et_table_column far_columns[] = {
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = format_count),
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "ms", .key = "ms", .format = format_ms),
};

static struct et_table in_l_samples(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_table g = { ET_COLUMNS(far_columns),
		.caption = et_asprintf("all daemons in the L-samples of the %s, CPU time in "
				       "milliseconds",
			s.name),
		.empty = "there are no L-samples", .grouped = 8 };

	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		for (size_t k = w->first; s.found->far[i] && k < w->first + w->n; k++) {
			et_table_number(&g, w->number);
			et_table_name(&g, t->record->names[s.run->executions[k].name], NULL);
			et_table_number(&g, s.run->executions[k].ms);
		}
	}
	return g;
}

static const struct et_table_column running_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = format_count),
	ET_COLUMN(NUMBER, "CPU ms", .key = "ms", .format = format_ms),
};

static void add_long_running(struct et_table *g, const struct side *s, uint32_t name)
{
	for (size_t i = 0; i < s->run->n_listed; i++) {
		const struct et_daemon_sample *w = &s->run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			if (s->run->executions[k].name != name || !s->found->long_running[k])
				continue;
			et_table_name(g, s->record->names[name], NULL);
			et_table_number(g, w->number);
			et_table_number(g, s->run->executions[k].ms);
		}
	}
}

static struct et_table long_running(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_table g = { ET_COLUMNS(running_columns),
		.caption = et_asprintf("long-running executions in the L-samples of the %s, by "
				       "daemons that are in its central cluster, too",
			s.name),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_collected; i++) {
		const struct et_collected *c = &s.found->collected[i];
		if (!isnan(c->central_ms))
			add_long_running(&g, &s, c->name);
	}
	return g;
}

static const struct et_table_column collected_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "max in cluster", .key = "central_max_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "min in L-samples", .key = "l_min_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "period"),
	ET_COLUMN(NUMBER, NULL, .key = "period_hours", .format = format_count),
	ET_COLUMN(NUMBER, "seen", .key = "sightings", .format = format_count),
};

static struct et_table collected(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_table g = { ET_COLUMNS(collected_columns),
		.caption = et_asprintf("infrequent, long-running daemons of the %s, CPU time in "
				       "milliseconds; (?): seen only twice",
			s.name),
		.empty = "none" };
	char period[ET_FIGURE];

	for (size_t i = 0; i < s.found->n_collected; i++) {
		const struct et_collected *c = &s.found->collected[i];
		et_table_name(&g, t->record->names[c->name], NULL);
		et_table_number(&g, c->central_ms);
		et_table_number(&g, c->least_ms);
		et_table_name(&g, et_format_period(c->period_s, c->visits, period), NULL);
		et_table_number(&g, c->period_s / 3600);
		et_table_number(&g, c->visits);
	}
	return g;
}

/* --- cutoffs and removals: XVI, XVII --- */

static const struct et_table_column cutoff_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "short run", .key = "short_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "long run", .key = "long_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "program"),
	ET_COLUMN(NUMBER, NULL, .key = "program"),
	ET_COLUMN(NUMBER, NULL, .key = "task_time_s", .format = et_format_span),
	ET_COLUMN(NUMBER, "cutoff", .key = "final_ms", .format = format_ms),
};

static void add_cutoff(struct et_table *g, const struct et_cutoff *c, int which)
{
	static const char *const shown[] = { "< ", "≥ " }, *const keys[] = { "shorter", "longer" };
	bool split = c->n_final > 1;
	char span[ET_FIGURE], program[ET_FIGURE + 8] = "";

	if (split)
		snprintf(program, sizeof(program), "%s%s", shown[which],
			et_format_span(c->task_time_s, span));
	et_table_name(g, c->daemon, NULL);
	et_table_number(g, split && which ? NAN : c->short_ms);
	et_table_number(g, split && !which ? NAN : c->long_ms);
	et_table_name(g, split ? program : "all", NULL);
	et_table_name(g, split ? keys[which] : "all", NULL);
	et_table_number(g, split ? c->task_time_s : NAN);
	et_table_number(g, c->final_ms[which]);
}

static struct et_table cutoffs(const struct et_daemon_tables *t, bool is_long)
{
	struct et_table g = { ET_COLUMNS(cutoff_columns),
		.caption =
			et_strdup("cutoffs of the daemons' CPU time by run and by the length of a "
				  "program, in milliseconds (Table 1 of SEDONA)"),
		.empty = "none: no daemon has a cutoff" };

	(void)is_long;
	for (size_t i = 0; i < t->findings->n_cutoffs; i++) {
		const struct et_cutoff *c = &t->findings->cutoffs[i];
		for (int k = 0; k < c->n_final; k++)
			add_cutoff(&g, c, k);
	}
	return g;
}

static const struct et_table_column removed_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = format_count),
};

static struct et_table removed(const struct et_daemon_tables *t, bool is_long)
{
	struct et_table g = { ET_COLUMNS(removed_columns),
		.caption = et_strdup("samples that the first sanity check removes"),
		.empty = "none", .grouped = 12 };

	(void)is_long;
	for (int k = 0; k < (t->record->has_long ? 2 : 1); k++) {
		struct side s = side_of(t, k);
		for (size_t i = 0; i < s.run->n_listed; i++) {
			if (!s.found->removed[i])
				continue;
			et_table_name(&g, s.name, NULL);
			et_table_number(&g, s.run->listed[i].number);
		}
	}
	return g;
}

/* --- all of them --- */

static const struct table {
	const char *number;
	struct et_table (*make)(const struct et_daemon_tables *t, bool is_long);
	bool is_long;
} tables[] = {
	{ "VII", times_before, false },
	{ "VIII", central, false },
	{ "IX", in_l_samples, false },
	{ "X", long_running, false },
	{ "XI", collected, false },
	{ "XII", central, true },
	{ "XIII", in_l_samples, true },
	{ "XIV", long_running, true },
	{ "XV", collected, true },
	{ "XVI", cutoffs, false },
	{ "XVII", removed, false },
	{ "XVIII", times_after, false },
	{ "XIX", lengths, false },
};

static int find_table(const char *number, size_t length)
{
	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		if (strlen(tables[i].number) == length &&
			!strncasecmp(tables[i].number, number, length))
			return (int)i;
	}
	return -1;
}

int et_daemon_tables_choose(const char *list, unsigned *out, struct et_error *err)
{
	unsigned wanted = 0;

	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ",");
		int i = find_table(at, length);
		if (i < 0)
			return et_hint(err,
				et_fail(err, EINVAL, ET_EXIT_USAGE,
					"--tables: there is no table '%.*s'", (int)length, at),
				"use numbers from VII to XIX, separated by commas");
		wanted |= 1U << i;
		at += length;
		at += *at == ',';
	}
	if (!wanted)
		return et_fail(err, EINVAL, ET_EXIT_USAGE, "--tables: the list is empty");
	*out = wanted;
	return 0;
}

/* Calls write for each wanted table; those of a long run that there is not are omitted. */
static void each(const struct et_daemon_tables *t,
	void (*write)(struct et_table *g, size_t i, void *ctx), void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		if (!(t->wanted >> i & 1) || (tables[i].is_long && !t->record->has_long))
			continue;
		struct et_table g = tables[i].make(t, tables[i].is_long);
		g.number = tables[i].number;
		g.indent = 2;
		g.split = g.once = true;
		write(&g, n++, ctx);
	}
}

static void write_text(struct et_table *g, size_t i, void *ctx)
{
	const struct et_page *page = ctx;

	if (i)
		putc('\n', page->out);
	et_table_print(g, page);
}

static void write_html(struct et_table *g, size_t i, void *ctx)
{
	(void)i;
	et_table_html(g, ctx);
}

static void write_csv(struct et_table *g, size_t i, void *ctx)
{
	FILE *out = ctx;

	if (i)
		putc('\n', out);
	et_table_csv(g, out);
}

static void write_json(struct et_table *g, size_t i, void *ctx)
{
	(void)i;
	et_table_json(g, ctx);
}

void et_daemon_tables_text(const struct et_daemon_tables *t, const struct et_page *page)
{
	each(t, write_text, (void *)page);
}

void et_daemon_tables_html(const struct et_daemon_tables *t, FILE *out)
{
	each(t, write_html, out);
}

void et_daemon_tables_csv(const struct et_daemon_tables *t, FILE *out)
{
	each(t, write_csv, out);
}

void et_daemon_tables_json(const struct et_daemon_tables *t, struct et_json *w)
{
	et_json_object(w, "tables");
	each(t, write_json, w);
	et_json_end(w);
}
