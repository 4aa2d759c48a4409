/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/precision.h"
#include "app/lab/view/clocks.h"
#include "base/alloc.h"
#include "base/json.h"
#include "draw/table.h"
#include "draw/units.h"
#include "model/experiment/field_rows.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

static const struct {
	const char *title, *key;
} ways[ET_WAYS] = { [ET_WAY_ORG] = { "ORG", "org" },
	[ET_WAY_CPU] = { "CPU", "cpu" },
	[ET_WAY_SEDONA] = { "SEDONA", "sedona" },
	[ET_WAY_EMP] = { "EMP", "emp" } };

/* --- text --- */

static void program_row(const char *name, const struct et_program_precision *p, struct et_table *t)
{
	char mean[ET_FIGURE], sd[ET_FIGURE], error[ET_FIGURE];

	et_table_name(t, name, NULL);
	et_table_add(t, "%zu\t%zu", p->by[ET_WAY_ORG].n, p->kept.removed);
	for (int way = 0; way < ET_WAYS; way++)
		et_table_add(t, "%s\t%s\t%s", et_format_time(p->by[way].mean, mean),
			et_format_rounded(p->by[way].sd, 3, sd),
			et_format_percent(p->by[way].relative_error, error));
}

static void averages_row(const struct et_program_averages *a, struct et_table *t)
{
	char sd[ET_FIGURE], error[ET_FIGURE];

	et_table_name(t, "averages", NULL);
	et_table_add(t, "\t");
	for (int way = 0; way < ET_WAYS; way++)
		et_table_add(t, "\t%s\t%s", et_format_rounded(a->sd[way], 3, sd),
			et_format_percent(a->relative_error[way], error));
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
	static const char apart[ET_WAYS][1]; /* each way is a group without a heading */
	struct et_table t = { .split = true };

	et_table_column(&t, ET_TABLE_NAME, "program");
	et_table_column(&t, ET_TABLE_NUMBER, "runs");
	et_table_column(&t, ET_TABLE_NUMBER, "out");
	for (int way = 0; way < ET_WAYS; way++) {
		et_table_column(&t, ET_TABLE_NUMBER, ways[way].title);
		et_table_column(&t, ET_TABLE_NUMBER, "sd");
		et_table_column(&t, ET_TABLE_NUMBER, "rel.");
		et_table_over(&t, 3, apart[way]);
	}
	for (size_t i = 0; i < e->n_commands; i++)
		program_row(e->commands[i].name, &list[i], &t);
	if (e->n_commands > 1)
		averages_row(averages, &t);
	et_table_print(&t, page);
	missing_programs(missing, page);
	putc('\n', page->out);
	fields_of_programs(list, e->n_commands, page);
	et_page_paragraph(page, 0, "", NULL,
		"ORG: mean elapsed time of all runs, none removed; CPU: their mean CPU time; "
		"SEDONA: "
		"that of the runs that check I keeps, by the cutoffs of daemons; EMP: that of the "
		"runs that check II keeps as well, within 2 sd of the mean, which makes every sd "
		"smaller; out: the runs that the checks remove; sd: standard deviation; rel.: "
		"relative "
		"error, sd / mean.",
		NULL);
}

/* --- JSON --- */

static const struct et_field precision_fields[] = {
	ET_KEYS(et_precision, n),
	ET_KEYS_NS(et_precision, mean, sd),
	ET_KEYS(et_precision, relative_error),
	ET_KEYS_NS(et_precision, min, max),
	{ 0 },
};

static const struct et_field program_fields[] = {
	ET_KEYS_GIVEN(et_program_precision, program),
	ET_KEYS(et_program_precision, field),
	ET_KEYS_GIVEN(et_program_precision, size),
	{ 0 },
};

static const struct et_field kept_fields[] = {
	ET_KEY(et_counted, "n", by[ET_METRIC_CPU].n),
	ET_KEYS(et_counted, removed),
	ET_KEY_FLAT(et_counted, "et", by[ET_METRIC_ELAPSED], precision_fields),
	ET_KEY_FLAT(et_counted, "pt", by[ET_METRIC_CPU], precision_fields),
	{ 0 },
};

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

	et_lab_json_begin(&w, e, "real-programs", out);
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
		et_fields_write(&w, program_fields, &list[i]);
		for (int way = 0; way < ET_WAYS; way++)
			et_fields_flat(&w, ways[way].key, precision_fields, &list[i].by[way]);
		et_fields_write(&w, kept_fields, &list[i].kept);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_object(&w, "averages");
	for (int way = 0; way < ET_WAYS; way++)
		write_average(&w, ways[way].key, averages->sd[way], averages->relative_error[way]);
	et_json_end(&w);
	et_json_end(&w);
}
