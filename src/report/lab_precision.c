/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "report/lab_precision.h"
#include "base/alloc.h"
#include "base/json.h"
#include "report/rows.h"
#include "report/units.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

enum { NAME_COLUMNS = 14, TIME_COLUMNS = 10, PERCENT_COLUMNS = 8 };

/* --- text --- */

static void precision_cells(const struct et_page *page, const struct et_precision *p)
{
	char buf[ET_FIGURE];

	et_cell(page, TIME_COLUMNS, et_format_time(p->mean, buf));
	et_right(page, TIME_COLUMNS, et_format_rounded(p->sd, 3, buf));
	et_right(page, PERCENT_COLUMNS, et_format_percent(p->relative_error, buf));
}

static void name_cell(const char *name, const struct et_page *page)
{
	ET_AUTO_FREE char *clean = et_clean(name, "");
	ET_AUTO_FREE char *fits = et_shorten(clean, NAME_COLUMNS - 1);

	fprintf(page->out, "%s%*s", fits, NAME_COLUMNS - et_columns(fits), "");
}

static void program_row(
	const char *name, const struct et_program_precision *p, const struct et_page *page)
{
	name_cell(name, page);
	fprintf(page->out, "\t%5zu%5zu", p->org.n, p->kept.removed);
	precision_cells(page, &p->org);
	precision_cells(page, &p->kept.by[ET_METRIC_CPU]);
	putc('\n', page->out);
}

static void averages_row(const struct et_program_averages *a, const struct et_page *page)
{
	char buf[ET_FIGURE];

	fprintf(page->out, "%-*s\t%10s", NAME_COLUMNS, "averages", "");
	et_cell(page, TIME_COLUMNS, "");
	et_right(page, TIME_COLUMNS, et_format_rounded(a->org_sd, 3, buf));
	et_right(page, PERCENT_COLUMNS, et_format_percent(a->org_relative_error, buf));
	et_cell(page, TIME_COLUMNS, "");
	et_right(page, TIME_COLUMNS, et_format_rounded(a->sedona_sd, 3, buf));
	et_right(page, PERCENT_COLUMNS, et_format_percent(a->sedona_relative_error, buf));
	putc('\n', page->out);
}

static void missing_programs(const struct et_missing_program *missing, const struct et_page *page)
{
	ET_AUTO_FREE char *names = NULL;
	ET_AUTO_FREE char *packages = NULL;

	for (; missing && missing->name; missing++) {
		et_append(&names, ", ", "%s", missing->name);
		et_append(&packages, " ", "%s", missing->package);
	}
	if (!names)
		return;
	ET_AUTO_FREE char *text = et_asprintf("%s (apt install %s)", names, packages);
	et_page_paragraph(page, 2, "not installed:", NULL, text, NULL);
}

/* Names the field of each program, once for all of its sizes. */
static void fields_of_programs(
	const struct et_program_precision *list, size_t n, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;

	for (size_t i = 0; i < n; i++) {
		if (list[i].field && (!i || strcmp(list[i].program, list[i - 1].program)))
			et_append(&text, ", ", "%s: %s", list[i].program, list[i].field);
	}
	if (text)
		et_page_paragraph(page, 2, "fields:", NULL, text, NULL);
}

void et_programs_text(const struct et_experiment *e, const struct et_program_precision *list,
	const struct et_program_averages *averages, const struct et_missing_program *missing,
	const struct et_page *page)
{
	struct et_rows rows;
	const struct et_page *table = et_rows_begin(&rows, page);

	fprintf(table->out, "%-*s\t%5s%5s", NAME_COLUMNS, "program", "runs", "out");
	for (int i = 0; i < 2; i++)
		fprintf(table->out, "\t%*s%*s%*s", TIME_COLUMNS, i ? "SEDONA" : "ORG", TIME_COLUMNS,
			"sd", PERCENT_COLUMNS, "rel.");
	putc('\n', table->out);
	for (size_t i = 0; i < e->n_commands; i++)
		program_row(e->commands[i].name, &list[i], table);
	if (e->n_commands > 1)
		averages_row(averages, table);
	et_rows_end(&rows);
	missing_programs(missing, page);
	putc('\n', page->out);
	fields_of_programs(list, e->n_commands, page);
	et_page_paragraph(page, 0, "", NULL,
		"ORG: mean elapsed time of all runs, none removed; SEDONA: mean CPU time of the "
		"runs that the sanity checks keep; out: the runs that they remove; sd: standard "
		"deviation; rel.: relative error, sd / mean.",
		NULL);
}

/* --- JSON --- */

static void begin(struct et_json *w, const struct et_experiment *e, const char *lab, FILE *out)
{
	et_json_init(w, out, 2);
	et_json_object(w, NULL);
	et_json_string(w, "experiment", lab);
	et_json_string(w, "id", e->id);
	et_json_string(w, "label", e->label);
	et_json_string(w, "state", et_state_names[e->state]);
}

static void write_precision(
	struct et_json *w, const char *key, const struct et_precision *p, bool ticks)
{
	et_json_flat_object(w, key);
	et_json_u64(w, "n", p->n);
	et_json_double(w, ticks ? "mean_ticks" : "mean_ns", p->mean);
	et_json_double(w, ticks ? "sd_ticks" : "sd_ns", p->sd);
	et_json_double(w, "relative_error", p->relative_error);
	et_json_double(w, ticks ? "min_ticks" : "min_ns", p->min);
	et_json_double(w, ticks ? "max_ticks" : "max_ns", p->max);
	et_json_end(w);
}

static void write_counted(struct et_json *w, const struct et_counted *c)
{
	et_json_u64(w, "n", c->by[ET_METRIC_CPU].n);
	et_json_u64(w, "removed", c->removed);
	write_precision(w, "et", &c->by[ET_METRIC_ELAPSED], false);
	write_precision(w, "pt", &c->by[ET_METRIC_CPU], false);
}

static void write_average(struct et_json *w, const char *key, double sd, double relative_error)
{
	et_json_flat_object(w, key);
	et_json_double(w, "sd_ns", sd);
	et_json_double(w, "relative_error", relative_error);
	et_json_end(w);
}

void et_programs_json(const struct et_experiment *e, const struct et_program_precision *list,
	const struct et_program_averages *averages, const struct et_missing_program *missing,
	FILE *out)
{
	struct et_json w;

	begin(&w, e, "real-programs", out);
	if (missing)
		et_json_flat_array(&w, "not_installed");
	else
		et_json_null(&w, "not_installed");
	for (; missing && missing->name; missing++)
		et_json_string(&w, NULL, missing->name);
	if (missing)
		et_json_end(&w);
	et_json_array(&w, "programs");
	for (size_t i = 0; i < e->n_commands; i++) {
		et_json_object(&w, NULL);
		et_json_string(&w, "name", e->commands[i].name);
		et_json_string(&w, "program", list[i].program[0] ? list[i].program : NULL);
		et_json_string(&w, "field", list[i].field);
		et_json_u64(&w, "size", list[i].size ? list[i].size : ET_UNKNOWN);
		write_precision(&w, "org", &list[i].org, false);
		write_precision(&w, "sedona", &list[i].kept.by[ET_METRIC_CPU], false);
		write_counted(&w, &list[i].kept);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_object(&w, "averages");
	write_average(&w, "org", averages->org_sd, averages->org_relative_error);
	write_average(&w, "sedona", averages->sedona_sd, averages->sedona_relative_error);
	et_json_end(&w);
	et_json_end(&w);
}
