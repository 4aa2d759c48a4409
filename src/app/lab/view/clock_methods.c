/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/clock_methods.h"
#include "app/lab/view/clocks.h"
#include "base/alloc.h"
#include "draw/svg_sheet.h"
#include "model/experiment/field_rows.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

enum { NAME_COLUMNS = 14, READ_COLUMNS = 7 };

/* The instruction that reads the counter on the machine of the experiment. */
static const char *counter_name(const struct et_experiment *e)
{
	if (!strcmp(e->host.architecture, "x86_64"))
		return "rdtsc";
	return strcmp(e->host.architecture, "aarch64") ? "counter" : "cntvct";
}

static const char *method_name(const struct et_experiment *e, enum et_clock_method k)
{
	return k == ET_BY_EMP ? "EMP" : et_in_ticks(k) ? counter_name(e) : "clock_gettime";
}

static const char *place_of(enum et_clock_method k)
{
	return k == ET_BY_EMP                                   ? ""
	       : k == ET_CLOCK_INSIDE || k == ET_COUNTER_INSIDE ? "inside"
								: "around";
}

/* A figure of the method in ns: ticks as the time they take at the counter's rate. */
static double in_ns(const struct et_clock_methods *m, enum et_clock_method k, double x)
{
	return et_in_ticks(k) ? x * 1e9 / m->counter_hz : x;
}

/* --- text --- */

static void method_row(const struct et_experiment *e, const struct et_clock_methods *m,
	enum et_clock_method k, struct et_table *t)
{
	const struct et_precision *p = &m->by[k];
	char min[ET_FIGURE], max[ET_FIGURE], mean[ET_FIGURE], sd[ET_FIGURE], error[ET_FIGURE];

	et_table_add(t, "%-*s%s\t%zu\t%s\t%s\t%s\t%s\t%s", NAME_COLUMNS, method_name(e, k),
		place_of(k), p->n, et_format_time(in_ns(m, k, p->min), min),
		et_format_time(in_ns(m, k, p->max), max),
		et_format_time(in_ns(m, k, p->mean), mean),
		et_format_rounded(in_ns(m, k, p->sd), 3, sd),
		et_format_percent(p->relative_error, error));
}

/*
 * Draws a bar per run, between the smallest and the largest time of the method. If there are more
 * runs than columns, a bar is the mean of successive runs.
 */
static void draw_runs(const struct et_clock_methods *m, enum et_clock_method k, size_t columns,
	const struct et_page *page)
{
	static const char *const bars[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	const struct et_precision *p = &m->by[k];
	size_t cells = m->n < columns ? m->n : columns;

	for (size_t i = 0; i < cells; i++) {
		double sum = 0;
		size_t n = 0;
		for (size_t run = i * m->n / cells; run < (i + 1) * m->n / cells; run++) {
			if (isnan(m->runs[run].by[k]) || (k == ET_BY_EMP && m->runs[run].removed))
				continue;
			sum += m->runs[run].by[k];
			n++;
		}
		double share = n ? (sum / (double)n - p->min) / (p->max - p->min) : NAN;
		fputs(isfinite(share) ? bars[(int)(share * 7.999)] : n ? bars[0] : " ", page->out);
	}
	putc('\n', page->out);
}

static void draw(
	const struct et_experiment *e, const struct et_clock_methods *m, const struct et_page *page)
{
	enum { LEAD = NAME_COLUMNS + READ_COLUMNS };
	int columns = page->width - LEAD > 10 ? page->width - LEAD : 10;

	et_page_paragraph(
		page, 0, "", NULL, "run by run, each from its minimum to its maximum:", NULL);
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		if (!m->by[k].n)
			continue;
		fprintf(page->out, "%-*s%-*s", NAME_COLUMNS, method_name(e, k), READ_COLUMNS,
			place_of(k));
		draw_runs(m, k, (size_t)columns, page);
	}
}

static void task_text(
	const struct et_experiment *e, const struct et_clock_methods *m, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(TEXT, "method        read"),
		ET_COLUMN(NUMBER, "n"), ET_COLUMN(NUMBER, "min"), ET_COLUMN(NUMBER, "max"),
		ET_COLUMN(NUMBER, "mean"), ET_COLUMN(NUMBER, "sd"), ET_COLUMN(NUMBER, "rel.") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	et_page_paragraph(page, 0, "", NULL, m->name, BOLD);
	for (int k = 0; k < ET_CLOCK_METHODS; k++)
		method_row(e, m, k, &t);
	et_table_print(&t, page);
	if (isfinite(m->counter_hz))
		fprintf(page->out, "the counter made %.6f ticks per nanosecond\n",
			1e-9 * m->counter_hz);
	if (m->n > 1)
		draw(e, m, page);
	putc('\n', page->out);
}

void et_clock_methods_text(const struct et_experiment *e, const struct et_clock_methods *list,
	const struct et_page *page)
{
	for (size_t i = 0; i < e->n_commands; i++)
		task_text(e, &list[i], page);
	et_page_paragraph(page, 0, "", NULL,
		"All methods measured the same runs. Both clocks measure elapsed time: inside, the "
		"program reads them right before and right after its loop; around, etalon reads "
		"them, so that starting and ending the program are included. EMP is the CPU time "
		"of "
		"the runs that its sanity checks keep. sd: standard deviation; rel.: relative "
		"error, sd / mean. Ticks of the counter are converted at the rate above.",
		NULL);
}

/* --- JSON --- */

/* "rdtsc_inside"; around a program a method has the name of its clock alone. */
static char *key_of(const struct et_experiment *e, enum et_clock_method k, const char *unit)
{
	bool inside = k == ET_CLOCK_INSIDE || k == ET_COUNTER_INSIDE;

	return et_asprintf("%s%s%s", method_name(e, k), inside ? "_inside" : "", unit);
}

static const struct et_field precision_fields[] = {
	ET_KEYS(et_precision, n),
	ET_KEYS_IN_UNIT(et_precision, min, max, mean, sd),
	ET_KEYS(et_precision, relative_error),
	{ 0 },
};

static void write_runs(
	struct et_json *w, const struct et_experiment *e, const struct et_clock_methods *m)
{
	et_json_array(w, "runs");
	for (size_t i = 0; i < m->n; i++) {
		et_json_flat_object(w, NULL);
		for (int k = 0; k < ET_CLOCK_METHODS; k++) {
			ET_AUTO_FREE char *key = key_of(e, k, et_in_ticks(k) ? "_ticks" : "_ns");
			et_json_double(w, key, m->runs[i].by[k]);
		}
		et_json_bool(w, "removed", m->runs[i].removed);
		et_json_end(w);
	}
	et_json_end(w);
}

void et_clock_methods_json(
	const struct et_experiment *e, const struct et_clock_methods *list, FILE *out)
{
	struct et_json w;

	et_lab_json_begin(&w, e, "clock-methods", out);
	et_json_array(&w, "tasks");
	for (size_t i = 0; i < e->n_commands; i++) {
		et_json_object(&w, NULL);
		et_json_string(&w, "name", list[i].name);
		et_json_double(&w, "counter_hz", list[i].counter_hz);
		et_json_object(&w, "methods");
		for (int k = 0; k < ET_CLOCK_METHODS; k++) {
			ET_AUTO_FREE char *key = key_of(e, k, "");
			et_json_flat_object(&w, key);
			et_fields_write_in(&w, precision_fields, &list[i].by[k],
				et_in_ticks(k) ? "ticks" : "ns");
			et_json_end(&w);
		}
		et_json_end(&w);
		write_runs(&w, e, &list[i]);
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}

/* --- SVG --- */

static void task_chart(
	const struct et_experiment *e, const struct et_clock_methods *m, struct et_svg_sheet *sheet)
{
	struct et_svg_series series[ET_CLOCK_METHODS];
	char *names[ET_CLOCK_METHODS];
	ET_AUTO_FREE double *x = et_calloc(m->n + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(ET_CLOCK_METHODS * m->n + 1, sizeof(*y));
	ET_AUTO_FREE char *title = et_asprintf("%s: %zu runs", m->name, m->n);

	for (size_t i = 0; i < m->n; i++)
		x[i] = (double)(i + 1);
	for (int k = 0; k < ET_CLOCK_METHODS; k++) {
		double *of = y + (size_t)k * m->n;
		for (size_t i = 0; i < m->n; i++)
			of[i] = k == ET_BY_EMP && m->runs[i].removed
					? NAN
					: in_ns(m, k, m->runs[i].by[k]);
		names[k] = k == ET_BY_EMP ? et_strdup("CPU time (EMP)")
					  : et_asprintf("%s %s", method_name(e, k), place_of(k));
		series[k] = (struct et_svg_series){ .name = names[k],
			.shape = ET_SVG_POINTS,
			.color = (unsigned)k,
			.x = x,
			.y = of,
			.n = m->n };
	}
	struct et_chart c = { .title = title,
		.description = "The time of each run by clock_gettime and the processor's counter, "
			       "read inside and around the program, and its CPU time.",
		.x = { .label = "run" },
		.y = { .label = "time", .unit = ET_AXIS_NS },
		.series = series,
		.n_series = ET_CLOCK_METHODS,
		.width = 760,
		.height = 420 };
	et_svg_sheet_add(sheet, &c);
	for (int k = 0; k < ET_CLOCK_METHODS; k++)
		free(names[k]);
}

void et_clock_methods_svg(
	const struct et_experiment *e, const struct et_clock_methods *list, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(760);

	for (size_t i = 0; i < e->n_commands; i++)
		task_chart(e, &list[i], sheet);
	et_svg_sheet_write(sheet, "Clocks inside and around a program, and EMP", out);
}
