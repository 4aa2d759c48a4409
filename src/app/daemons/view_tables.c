/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The papers' tables of daemons. */
#include "app/daemons/daemons.h"
#include "protocol/daemons.h"
#include "protocol/precision.h"
#include "source/stored.h"

/* --- the data: the runs after the sanity checks --- */

static void add_checked(struct et_checked **list, size_t *n, const struct et_daemon_result *r,
	const char *name, const struct et_daemon_record *from, const struct et_daemon_run *run,
	enum et_metric m)
{
	*list = et_realloc(*list, *n + 1, sizeof(**list));
	(*list)[(*n)++] = et_checked_find(name, from, run, &r->cutoffs, m);
}

/* Each run by elapsed and by CPU time. */
void et_daemon_tables_make(struct et_daemon_result *r)
{
	const struct et_daemon_record *from = r->record;

	r->cutoffs = (struct et_cutoffs){ .list = r->findings->cutoffs,
		.n = r->findings->n_cutoffs,
		.floor_ms = r->findings->floor_ms,
		.by_ledger = from->by_ledger,
		.short_seconds = from->short_run.sample_seconds,
		.long_seconds = from->has_long ? from->long_run.sample_seconds : NAN };
	for (int k = 0; k < (from->has_long ? 2 : 1); k++) {
		struct et_daemon_side s = et_daemon_side(r, k);
		if (!s.run->whole)
			continue;
		add_checked(&r->checked, &r->n_checked, r, s.name, from, s.run, ET_METRIC_ELAPSED);
		add_checked(&r->checked, &r->n_checked, r, s.name, from, s.run, ET_METRIC_CPU);
		add_checked(&r->lengths, &r->n_lengths, r, s.name, from, s.run, ET_METRIC_CPU);
	}
}

int et_daemon_tables_add(struct et_daemon_result *r, const struct et_cli *cli, const char *operand,
	struct et_error *err)
{
	struct et_experiment *e;
	int rc = et_stored_fetch(cli, operand, &e, err);

	for (size_t i = 0; rc == 0 && i < e->n_commands; i++) {
		struct et_daemon_record one = { 0 };
		ET_AUTO_FREE char *name =
			e->n_commands == 1 ? et_strdup(operand)
					   : et_asprintf("%s: %s", operand, e->commands[i].name);
		et_daemon_run_fill(&one, &one.short_run, &e->commands[i]);
		et_daemon_record_settle(&one);
		add_checked(
			&r->lengths, &r->n_lengths, r, name, &one, &one.short_run, ET_METRIC_CPU);
		et_daemon_record_free(&one);
	}
	if (rc == 0)
		et_experiment_free(e);
	return rc;
}

void et_daemon_tables_free(struct et_daemon_result *r)
{
	for (size_t i = 0; i < r->n_checked; i++)
		et_checked_free(&r->checked[i]);
	for (size_t i = 0; i < r->n_lengths; i++)
		et_checked_free(&r->lengths[i]);
	free(r->checked);
	free(r->lengths);
}

/* --- figures --- */

const char *et_format_count(double n, char buf[ET_FIGURE])
{
	snprintf(buf, ET_FIGURE, "%.0f", n);
	return buf;
}

/* "63.5"; some records are in whole milliseconds. */
static const char *format_ms(double ms, char buf[ET_FIGURE])
{
	return ms == floor(ms) ? et_format_count(ms, buf) : et_format_ms(ms, buf);
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

/* The columns of all three, and their cells. */
#define RUN                                                                                        \
	ET_COLUMN(NAME, "run", .key = "run"), ET_COLUMN(NUMBER, "time"),                           \
		ET_COLUMN(NUMBER, NULL, .key = "metric")
#define PRECISION                                                                                  \
	ET_COLUMN(NUMBER, "min", .key = "min_ms", .format = format_time),                          \
		ET_COLUMN(NUMBER, "max", .key = "max_ms", .format = format_time),                  \
		ET_COLUMN(NUMBER, "mean", .key = "mean_ms", .format = format_time),                \
		ET_COLUMN(NUMBER, "sd", .key = "sd_ms", .format = format_sd)
#define ERROR ET_COLUMN(NUMBER, "sd / mean", .key = "relative_error", .format = format_ratio)

static void add_run(struct et_table *g, const struct et_checked *c)
{
	bool cpu = c->metric == ET_METRIC_CPU;

	et_table_row(g, c->name, cpu ? "CPU" : "elapsed", cpu ? "pt" : "et");
}

static void add_precision(struct et_table *g, const struct et_precision *p)
{
	et_table_row(g, p->min, p->max, p->mean, p->sd);
}

static const struct et_table_column before_columns[] = {
	RUN,
	ET_COLUMN(NUMBER, "samples", .key = "samples", .format = et_format_count),
	PRECISION,
	ERROR,
};

static struct et_table times_before(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(before_columns),
		.caption = et_strdup("times before the sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	for (size_t i = 0; i < s.all->n_checked; i++) {
		const struct et_checked *c = &s.all->checked[i];
		add_run(&g, c);
		et_table_number(&g, (double)c->samples);
		add_precision(&g, &c->before);
		et_table_number(&g, c->before.relative_error);
	}
	return g;
}

static const struct et_table_column after_columns[] = {
	RUN,
	ET_COLUMN(NUMBER, "outliers"),
	ET_COLUMN(NUMBER, NULL, .key = "outliers", .format = et_format_count),
	ET_COLUMN(NUMBER, NULL, .key = "first_check"),
	ET_COLUMN(NUMBER, NULL, .key = "by_daemons", .format = et_format_count),
	ET_COLUMN(NUMBER, NULL, .key = "by_value", .format = et_format_count),
	ET_COLUMN(NUMBER, NULL, .key = "samples", .format = et_format_count),
	PRECISION,
	ERROR,
};

static struct et_table times_after(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(after_columns),
		.caption = et_strdup("times after both sanity checks, in milliseconds; outliers "
				     "(= by daemons + by value) / samples"),
		.empty = NO_TIMES };

	for (size_t i = 0; i < s.all->n_checked; i++) {
		const struct et_checked *c = &s.all->checked[i];
		size_t out = c->by_daemons + c->by_value;
		ET_AUTO_FREE char *sum = et_asprintf(
			"%zu (=%zu+%zu) / %zu", out, c->by_daemons, c->by_value, c->samples);
		add_run(&g, c);
		et_table_row(&g, sum);
		et_table_row(&g, (double)out, et_first_check_names[c->first],
			c->first == ET_FIRST_CHECK_DONE ? (double)c->by_daemons : NAN,
			(double)c->by_value, (double)c->samples);
		add_precision(&g, &c->after);
		et_table_number(&g, c->after.relative_error);
	}
	return g;
}

static const struct et_table_column length_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "outliers", .key = "outliers", .format = et_format_count),
	ET_COLUMN(NUMBER, NULL, .key = "first_check"),
	ET_COLUMN(NUMBER, "samples", .key = "samples", .format = et_format_count),
	PRECISION,
};

static struct et_table lengths(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(length_columns),
		.caption = et_strdup("CPU time after both sanity checks, in milliseconds"),
		.empty = NO_TIMES };

	for (size_t i = 0; i < s.all->n_lengths; i++) {
		const struct et_checked *c = &s.all->lengths[i];
		et_table_row(&g, c->name, (double)(c->by_daemons + c->by_value),
			et_first_check_names[c->first], (double)c->samples);
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

struct et_table et_daemon_central(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(central_columns),
		.caption = et_asprintf("daemons in the central cluster of the %s, %zu samples: CPU "
				       "time of one execution",
			s.name, s.run->samples - s.found->n_far),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_central; i++) {
		const struct et_central *c = &s.found->central[i];
		et_table_row(&g, s.record->names[c->name], c->max_ms, c->sd_ms);
	}
	return g;
}

static const struct et_table_column far_columns[] = {
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = et_format_count),
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "ms", .key = "ms", .format = format_ms),
};

static struct et_table in_l_samples(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(far_columns),
		.caption = et_asprintf("all daemons in the L-samples of the %s, CPU time in "
				       "milliseconds",
			s.name),
		.empty = "there are no L-samples", .grouped = 8 };

	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		for (size_t k = w->first; s.found->far[i] && k < w->first + w->n; k++) {
			const struct et_execution *x = &s.run->executions[k];
			et_table_row(&g, w->number, s.record->names[x->name], x->ms);
		}
	}
	return g;
}

static const struct et_table_column running_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = et_format_count),
	ET_COLUMN(NUMBER, "CPU ms", .key = "ms", .format = format_ms),
};

static void add_long_running(struct et_table *g, struct et_daemon_side s, uint32_t name)
{
	for (size_t i = 0; i < s.run->n_listed; i++) {
		const struct et_daemon_sample *w = &s.run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			if (s.run->executions[k].name != name || !s.found->long_running[k])
				continue;
			et_table_row(g, s.record->names[name], w->number, s.run->executions[k].ms);
		}
	}
}

static struct et_table long_running(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(running_columns),
		.caption = et_asprintf("long-running executions in the L-samples of the %s, by "
				       "daemons that are in its central cluster, too",
			s.name),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_collected; i++) {
		const struct et_collected *c = &s.found->collected[i];
		if (!isnan(c->central_ms))
			add_long_running(&g, s, c->name);
	}
	return g;
}

static const struct et_table_column collected_columns[] = {
	ET_COLUMN(NAME, "daemon", .key = "daemon"),
	ET_COLUMN(NUMBER, "max in cluster", .key = "central_max_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "min in L-samples", .key = "l_min_ms", .format = format_ms),
	ET_COLUMN(NUMBER, "period"),
	ET_COLUMN(NUMBER, NULL, .key = "period_hours", .format = et_format_count),
	ET_COLUMN(NUMBER, "seen", .key = "sightings", .format = et_format_count),
};

static struct et_table collected(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(collected_columns),
		.caption = et_asprintf("infrequent, long-running daemons of the %s, CPU time in "
				       "milliseconds; (?): seen only twice",
			s.name),
		.empty = "none" };

	for (size_t i = 0; i < s.found->n_collected; i++) {
		const struct et_collected *c = &s.found->collected[i];
		et_table_row(&g, s.record->names[c->name], c->central_ms, c->least_ms,
			et_format_period(c->period_s, c->visits, ET_BUF), c->period_s / 3600,
			c->visits);
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
	et_table_row(g, c->daemon, split && which ? NAN : c->short_ms,
		split && !which ? NAN : c->long_ms, split ? program : "all",
		split ? keys[which] : "all", split ? c->task_time_s : NAN, c->final_ms[which]);
}

static struct et_table cutoffs(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(cutoff_columns),
		.caption =
			et_strdup("cutoffs of the daemons' CPU time by run and by the length of a "
				  "program, in milliseconds (Table 1 of SEDONA)"),
		.empty = "none: no daemon has a cutoff" };

	for (size_t i = 0; i < s.all->findings->n_cutoffs; i++) {
		const struct et_cutoff *c = &s.all->findings->cutoffs[i];
		for (int k = 0; k < c->n_final; k++)
			add_cutoff(&g, c, k);
	}
	return g;
}

static const struct et_table_column removed_columns[] = {
	ET_COLUMN(NAME, "run", .key = "run"),
	ET_COLUMN(NUMBER, "sample", .key = "sample", .format = et_format_count),
};

static struct et_table removed(struct et_daemon_side s)
{
	struct et_table g = { ET_COLUMNS(removed_columns),
		.caption = et_strdup("samples that the first sanity check removes"),
		.empty = "none", .grouped = 12 };

	for (int k = 0; k < (s.record->has_long ? 2 : 1); k++) {
		const struct et_daemon_side one = et_daemon_side(s.all, k);
		for (size_t i = 0; i < one.run->n_listed; i++) {
			if (!one.found->removed[i])
				continue;
			et_table_row(&g, one.name, one.run->listed[i].number);
		}
	}
	return g;
}

/* --- all of them --- */

static const struct table {
	const char *number;
	struct et_table (*make)(struct et_daemon_side s);
	bool is_long;
} tables[] = {
	{ "VII", times_before, false },
	{ "VIII", et_daemon_central, false },
	{ "IX", in_l_samples, false },
	{ "X", long_running, false },
	{ "XI", collected, false },
	{ "XII", et_daemon_central, true },
	{ "XIII", in_l_samples, true },
	{ "XIV", long_running, true },
	{ "XV", collected, true },
	{ "XVI", cutoffs, false },
	{ "XVII", removed, false },
	{ "XVIII", times_after, false },
	{ "XIX", lengths, false },
};

int et_daemon_tables_choose(const char *list, unsigned *out, struct et_error *err)
{
	unsigned wanted = 0;

	for (const char *at = list; *at;) {
		size_t length = strcspn(at, ","), i = 0;
		while (i < ET_LENGTH(tables) && (strlen(tables[i].number) != length ||
							strncasecmp(tables[i].number, at, length)))
			i++;
		if (i == ET_LENGTH(tables))
			return et_refuse(err, "use numbers from VII to XIX, separated by commas",
				"--tables: there is no table '%.*s'", (int)length, at);
		wanted |= 1U << i;
		at += length;
		at += *at == ',';
	}
	if (!wanted)
		return et_refuse(err, NULL, "--tables: the list is empty");
	*out = wanted;
	return 0;
}

void et_daemon_tables_write(const struct et_daemon_result *r, struct et_daemon_tables_to to)
{
	size_t n = 0;

	for (size_t i = 0; i < ET_LENGTH(tables); i++) {
		/* Those of a long run that there is not are omitted. */
		if (!(r->wanted >> i & 1) || (tables[i].is_long && !r->record->has_long))
			continue;
		struct et_table g = tables[i].make(et_daemon_side(r, tables[i].is_long));
		g.number = tables[i].number;
		g.indent = 2;
		g.split = g.once = true;
		if (n++ && (to.text || to.csv))
			putc('\n', to.text ? to.text->out : to.csv);
		if (to.text)
			et_table_print(&g, to.text);
		else if (to.csv)
			et_table_csv(&g, to.csv);
		else if (to.html)
			et_table_html(&g, to.html);
		else
			et_table_json(&g, to.json);
	}
}
