/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/daemon_tables.h"
#include "base/alloc.h"
#include "report/daemons.h"
#include "report/grid.h"

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

#define COLUMNS(array) .columns = (array), .n_columns = ET_LENGTH(array)

/* --- the times of the runs: VII, XVIII, XIX --- */

static const char NO_TIMES[] = "none: the record does not list the times of all samples";

static void add_run(struct et_grid *g, const struct et_checked *c)
{
	bool cpu = c->metric == ET_METRIC_CPU;

	et_grid_add_text(g, c->name);
	et_grid_add_text(g, cpu ? "CPU" : "elapsed");
	et_grid_add_text(g, cpu ? "pt" : "et");
}

static bool is_first_done(const struct et_checked *c)
{
	return c->first == ET_FIRST_CHECK_DONE;
}

static void add_precision(struct et_grid *g, const struct et_precision *p)
{
	et_grid_add(g, p->min);
	et_grid_add(g, p->max);
	et_grid_add(g, p->mean);
	et_grid_add(g, p->sd);
}

static const struct et_grid_column before_columns[] = {
	{ "run", "run", ET_GRID_TEXT, 10 },
	{ NULL, "time", ET_GRID_TEXT, 8 },
	{ "metric", NULL, ET_GRID_TEXT, 0 },
	{ "samples", "samples", ET_GRID_COUNT, 8 },
	{ "min_ms", "min", ET_GRID_TIME, 11 },
	{ "max_ms", "max", ET_GRID_TIME, 11 },
	{ "mean_ms", "mean", ET_GRID_TIME, 11 },
	{ "sd_ms", "sd", ET_GRID_SD, 8 },
	{ "relative_error", "sd / mean", ET_GRID_RATIO, 11 },
};

static struct et_grid times_before(const struct et_daemon_tables *t, bool is_long)
{
	struct et_grid g = { COLUMNS(before_columns),
		.title = et_strdup("times before the sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_checked; i++) {
		const struct et_checked *c = &t->checked[i];
		add_run(&g, c);
		et_grid_add(&g, (double)c->samples);
		add_precision(&g, &c->before);
		et_grid_add(&g, c->before.relative_error);
	}
	return g;
}

static const struct et_grid_column after_columns[] = {
	{ "run", "run", ET_GRID_TEXT, 10 },
	{ NULL, "time", ET_GRID_TEXT, 8 },
	{ "metric", NULL, ET_GRID_TEXT, 0 },
	{ NULL, "outliers", ET_GRID_TEXT, 18 },
	{ "outliers", NULL, ET_GRID_COUNT, 0 },
	{ "first_check", NULL, ET_GRID_TEXT, 0 },
	{ "by_daemons", NULL, ET_GRID_COUNT, 0 },
	{ "by_value", NULL, ET_GRID_COUNT, 0 },
	{ "samples", NULL, ET_GRID_COUNT, 0 },
	{ "min_ms", "min", ET_GRID_TIME, 11 },
	{ "max_ms", "max", ET_GRID_TIME, 11 },
	{ "mean_ms", "mean", ET_GRID_TIME, 11 },
	{ "sd_ms", "sd", ET_GRID_SD, 8 },
	{ "relative_error", "sd / mean", ET_GRID_RATIO, 11 },
};

static struct et_grid times_after(const struct et_daemon_tables *t, bool is_long)
{
	struct et_grid g = { COLUMNS(after_columns),
		.title = et_strdup("times after both sanity checks, in milliseconds; outliers "
				   "(= by daemons + by value) / samples"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_checked; i++) {
		const struct et_checked *c = &t->checked[i];
		size_t out = c->by_daemons + c->by_value;
		ET_AUTO_FREE char *sum = et_asprintf(
			"%zu (=%zu+%zu) / %zu", out, c->by_daemons, c->by_value, c->samples);
		add_run(&g, c);
		et_grid_add_text(&g, sum);
		et_grid_add(&g, (double)out);
		et_grid_add_text(&g, et_first_check_names[c->first]);
		et_grid_add(&g, is_first_done(c) ? (double)c->by_daemons : NAN);
		et_grid_add(&g, (double)c->by_value);
		et_grid_add(&g, (double)c->samples);
		add_precision(&g, &c->after);
		et_grid_add(&g, c->after.relative_error);
	}
	return g;
}

static const struct et_grid_column length_columns[] = {
	{ "run", "run", ET_GRID_TEXT, 20 },
	{ "outliers", "outliers", ET_GRID_COUNT, 9 },
	{ "first_check", NULL, ET_GRID_TEXT, 0 },
	{ "samples", "samples", ET_GRID_COUNT, 8 },
	{ "min_ms", "min", ET_GRID_TIME, 11 },
	{ "max_ms", "max", ET_GRID_TIME, 11 },
	{ "mean_ms", "mean", ET_GRID_TIME, 11 },
	{ "sd_ms", "sd", ET_GRID_SD, 8 },
};

static struct et_grid lengths(const struct et_daemon_tables *t, bool is_long)
{
	struct et_grid g = { COLUMNS(length_columns),
		.title = et_strdup("CPU time after both sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	(void)is_long;
	for (size_t i = 0; i < t->n_lengths; i++) {
		const struct et_checked *c = &t->lengths[i];
		et_grid_add_text(&g, c->name);
		et_grid_add(&g, (double)(c->by_daemons + c->by_value));
		et_grid_add_text(&g, et_first_check_names[c->first]);
		et_grid_add(&g, (double)c->samples);
		add_precision(&g, &c->after);
	}
	return g;
}

/* --- the daemons of one run: VIII to XI, XII to XV --- */

static const struct et_grid_column central_columns[] = {
	{ "daemon", "daemon", ET_GRID_TEXT, 20 },
	{ "max_ms", "max ms", ET_GRID_MS, 10 },
	{ "sd_ms", "sd ms", ET_GRID_MS, 10 },
};

static struct et_grid central(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_grid g = { COLUMNS(central_columns),
		.title = et_asprintf("daemons in the central cluster of the %s, %zu samples: CPU "
				     "time of one execution",
			s.name, s.run->samples - s.found->n_far),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_central; i++) {
		const struct et_central *c = &s.found->central[i];
		et_grid_add_text(&g, t->record->names[c->name]);
		et_grid_add(&g, c->max_ms);
		et_grid_add(&g, c->sd_ms);
	}
	return g;
}

static const struct et_grid_column far_columns[] = {
	{ "sample", "sample", ET_GRID_COUNT, 8 },
	{ "daemon", "daemon", ET_GRID_TEXT, 0 },
	{ "ms", "ms", ET_GRID_MS, 0 },
};

static struct et_grid in_l_samples(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_grid g = { COLUMNS(far_columns),
		.title = et_asprintf("all daemons in the L-samples of the %s, CPU time in "
				     "milliseconds",
			s.name),
		.empty = "there are no L-samples", .grouped = true };

	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		for (size_t k = w->first; s.found->far[i] && k < w->first + w->n; k++) {
			et_grid_add(&g, w->number);
			et_grid_add_text(&g, t->record->names[s.run->executions[k].name]);
			et_grid_add(&g, s.run->executions[k].ms);
		}
	}
	return g;
}

static const struct et_grid_column running_columns[] = {
	{ "daemon", "daemon", ET_GRID_TEXT, 20 },
	{ "sample", "sample", ET_GRID_COUNT, 10 },
	{ "ms", "CPU ms", ET_GRID_MS, 10 },
};

static void add_long_running(struct et_grid *g, const struct side *s, uint32_t name)
{
	for (size_t i = 0; i < s->run->n_listed; i++) {
		const struct et_daemon_sample *w = &s->run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			if (s->run->executions[k].name != name || !s->found->long_running[k])
				continue;
			et_grid_add_text(g, s->record->names[name]);
			et_grid_add(g, w->number);
			et_grid_add(g, s->run->executions[k].ms);
		}
	}
}

static struct et_grid long_running(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_grid g = { COLUMNS(running_columns),
		.title = et_asprintf("long-running executions in the L-samples of the %s, by "
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

static const struct et_grid_column collected_columns[] = {
	{ "daemon", "daemon", ET_GRID_TEXT, 20 },
	{ "central_max_ms", "max in cluster", ET_GRID_MS, 15 },
	{ "l_min_ms", "min in L-samples", ET_GRID_MS, 17 },
	{ NULL, "period", ET_GRID_TEXT, 14 },
	{ "period_hours", NULL, ET_GRID_COUNT, 0 },
	{ "sightings", "seen", ET_GRID_COUNT, 6 },
};

static struct et_grid collected(const struct et_daemon_tables *t, bool is_long)
{
	struct side s = side_of(t, is_long);
	struct et_grid g = { COLUMNS(collected_columns),
		.title = et_asprintf("infrequent, long-running daemons of the %s, CPU time in "
				     "milliseconds; (?): seen only twice",
			s.name),
		.empty = "none" };
	char period[ET_FIGURE];

	for (size_t i = 0; i < s.found->n_collected; i++) {
		const struct et_collected *c = &s.found->collected[i];
		et_grid_add_text(&g, t->record->names[c->name]);
		et_grid_add(&g, c->central_ms);
		et_grid_add(&g, c->least_ms);
		et_grid_add_text(&g, et_format_period(c->period_s, c->visits, period));
		et_grid_add(&g, c->period_s / 3600);
		et_grid_add(&g, c->visits);
	}
	return g;
}

/* --- cutoffs and removals: XVI, XVII --- */

static const struct et_grid_column cutoff_columns[] = {
	{ "daemon", "daemon", ET_GRID_TEXT, 20 },
	{ "short_ms", "short run", ET_GRID_MS, 11 },
	{ "long_ms", "long run", ET_GRID_MS, 11 },
	{ NULL, "program", ET_GRID_TEXT, 12 },
	{ "program", NULL, ET_GRID_TEXT, 0 },
	{ "task_time_s", NULL, ET_GRID_SPAN, 0 },
	{ "final_ms", "cutoff", ET_GRID_MS, 11 },
};

static void add_cutoff(struct et_grid *g, const struct et_cutoff *c, int which)
{
	static const char *const shown[] = { "< ", "≥ " }, *const keys[] = { "shorter", "longer" };
	bool split = c->n_final > 1;
	char span[ET_FIGURE], program[ET_FIGURE + 8] = "";

	if (split)
		snprintf(program, sizeof(program), "%s%s", shown[which],
			et_format_span(c->task_time_s, span));
	et_grid_add_text(g, c->daemon);
	et_grid_add(g, split && which ? NAN : c->short_ms);
	et_grid_add(g, split && !which ? NAN : c->long_ms);
	et_grid_add_text(g, split ? program : "all");
	et_grid_add_text(g, split ? keys[which] : "all");
	et_grid_add(g, split ? c->task_time_s : NAN);
	et_grid_add(g, c->final_ms[which]);
}

static struct et_grid cutoffs(const struct et_daemon_tables *t, bool is_long)
{
	struct et_grid g = { COLUMNS(cutoff_columns),
		.title = et_strdup("cutoffs of the daemons' CPU time by run and by the length of a "
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

static const struct et_grid_column removed_columns[] = {
	{ "run", "run", ET_GRID_TEXT, 12 },
	{ "sample", "sample", ET_GRID_COUNT, 0 },
};

static struct et_grid removed(const struct et_daemon_tables *t, bool is_long)
{
	struct et_grid g = { COLUMNS(removed_columns),
		.title = et_strdup("samples that the first sanity check removes"), .empty = "none",
		.grouped = true };

	(void)is_long;
	for (int k = 0; k < (t->record->has_long ? 2 : 1); k++) {
		struct side s = side_of(t, k);
		for (size_t i = 0; i < s.run->n_listed; i++) {
			if (!s.found->removed[i])
				continue;
			et_grid_add_text(&g, s.name);
			et_grid_add(&g, s.run->listed[i].number);
		}
	}
	return g;
}

/* --- all of them --- */

static const struct table {
	const char *number;
	struct et_grid (*make)(const struct et_daemon_tables *t, bool is_long);
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
	void (*write)(const struct et_grid *g, size_t i, void *ctx), void *ctx)
{
	size_t n = 0;

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		if (!(t->wanted >> i & 1) || (tables[i].is_long && !t->record->has_long))
			continue;
		struct et_grid g = tables[i].make(t, tables[i].is_long);
		g.number = tables[i].number;
		write(&g, n++, ctx);
		et_grid_free(&g);
	}
}

static void write_text(const struct et_grid *g, size_t i, void *ctx)
{
	const struct et_page *page = ctx;

	if (i)
		putc('\n', page->out);
	et_grid_text(g, page);
}

static void write_html(const struct et_grid *g, size_t i, void *ctx)
{
	(void)i;
	et_grid_html(g, ctx);
}

static void write_csv(const struct et_grid *g, size_t i, void *ctx)
{
	FILE *out = ctx;

	if (i)
		putc('\n', out);
	et_grid_csv(g, out);
}

static void write_json(const struct et_grid *g, size_t i, void *ctx)
{
	(void)i;
	et_grid_json(g, ctx);
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
