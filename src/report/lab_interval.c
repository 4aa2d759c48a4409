/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "report/error_curves.h"
#include "report/lab_clocks.h"

#include <math.h>

#define BOLD "1"

enum { LENGTH_COLUMNS = 8, ERROR_COLUMNS = 8 };

static const struct {
	const char *title, *label;
	char mark;
} columns[ET_INTERVAL_METHODS] = {
	[ET_INTERVAL_TICKS] = { "10 ms ticks", "10 ms ticks", 't' },
	[ET_INTERVAL_TIMES] = { "times()", "times()", 'm' },
	[ET_INTERVAL_RUSAGE] = { "getrusage()", "getrusage(), user + system", 'g' },
	[ET_INTERVAL_USER] = { "user alone", "getrusage(), user alone", 'u' },
};

static void print_load(
	const struct et_interval_accuracy *a, unsigned load, const struct et_page *page)
{
	ET_AUTO_FREE char *title = et_asprintf("load %u", load);
	char buf[ET_FIGURE];

	struct et_rows rows;

	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	const struct et_page *table = et_rows_begin(&rows, page);
	et_right(table, LENGTH_COLUMNS, "");
	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		et_cell(table, 2 * ERROR_COLUMNS, columns[m].title);
	putc('\n', table->out);
	et_right(table, LENGTH_COLUMNS, "length");
	for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
		et_cell(table, ERROR_COLUMNS, "mean");
		et_right(table, ERROR_COLUMNS, "worst");
	}
	putc('\n', table->out);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		if (c->load != load)
			continue;
		et_right(table, LENGTH_COLUMNS, et_format_rounded((double)c->length_ns, 3, buf));
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			struct et_interval_error e =
				et_interval_judge(c, (enum et_interval_method)m);
			et_cell(table, ERROR_COLUMNS, et_format_error(e.mean, buf));
			et_right(table, ERROR_COLUMNS, et_format_error(e.worst, buf));
		}
		putc('\n', table->out);
	}
	et_rows_end(&rows);
	putc('\n', page->out);
}

/* The worst error of each method over all loads. */
static void collect(const struct et_interval_accuracy *a, struct et_error_curves *curves)
{
	for (size_t i = 0; i < a->n_cells; i++)
		et_error_curves_length(curves, (double)a->cells[i].length_ns);
	for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
		struct et_error_curve *curve = et_error_curves_add(curves, columns[m].mark);
		snprintf(curve->label, sizeof(curve->label), "%s", columns[m].label);
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct et_interval_cell *c = &a->cells[i];
			size_t at = et_error_curves_at(curves, (double)c->length_ns);
			struct et_interval_error e =
				et_interval_judge(c, (enum et_interval_method)m);
			if (at != SIZE_MAX)
				curve->y[at] = fmax(curve->y[at], fabs(e.worst));
		}
	}
}

void et_interval_accuracy_text(const struct et_interval_accuracy *a, const struct et_page *page)
{
	struct et_error_curves curves = { 0 };

	for (size_t i = 0; i < a->n_cells; i++) {
		if (i == 0 || a->cells[i].load != a->cells[i - 1].load)
			print_load(a, a->cells[i].load, page);
	}
	collect(a, &curves);
	et_page_paragraph(page, 0, "", NULL, "worst error under any load, by length", BOLD);
	et_error_curves_text(&curves, page);
	et_page_paragraph(page, 0, "", NULL,
		"Errors in %: reported / true - 1, of processes that work about half of the time "
		"in the kernel. 10 ms ticks: the CPU time that a kernel would report which charges "
		"each whole tick to the process that runs at that moment, computed from the "
		"periods in which the process ran; its error falls as tick / length. times() "
		"counts in its own unit. If getrusage() is exact, this kernel measures user + "
		"system time and splits the sum by samples taken at ticks, so user time alone is "
		"less accurate.",
		NULL);
}

void et_interval_accuracy_svg(const struct et_interval_accuracy *a, FILE *out)
{
	struct et_error_curves curves = { 0 };

	collect(a, &curves);
	et_error_curves_svg(&curves, "CPU time by ticks: worst error under any load", out);
}

void et_interval_accuracy_json(
	const struct et_experiment *e, const struct et_interval_accuracy *a, FILE *out)
{
	struct et_json w;

	et_lab_json_begin(&w, e, "interval-accuracy", out);
	et_json_array(&w, "cases");
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		et_json_object(&w, NULL);
		et_json_u64(&w, "load", c->load);
		et_json_u64(&w, "length_ns", c->length_ns);
		et_json_u64(&w, "runs", c->n_runs);
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			struct et_interval_error error =
				et_interval_judge(c, (enum et_interval_method)m);
			et_json_flat_object(&w, et_interval_method_names[m]);
			et_json_double(&w, "mean_error", error.mean);
			et_json_double(&w, "worst_error", error.worst);
			et_json_end(&w);
		}
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}
