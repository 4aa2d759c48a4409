/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/clocks.h"
#include "app/lab/view/error_curves.h"
#include "base/alloc.h"
#include "draw/plot.h"
#include "draw/svg_sheet.h"

#include <math.h>

#define BOLD "1"

enum { CHART_WIDTH = 560, CHART_HEIGHT = 360 };

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
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
		et_table_column(&t, ET_TABLE_NUMBER, "mean");
		et_table_column(&t, ET_TABLE_NUMBER, "worst");
		et_table_over(&t, 2, columns[m].title);
	}
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		if (c->load != load)
			continue;
		et_table_add(&t, "%s", et_format_rounded((double)c->length_ns, 3, buf));
		for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
			struct et_interval_error e =
				et_interval_judge(c, (enum et_interval_method)m);
			et_table_add(&t, "%s", et_format_error(e.mean, buf));
			et_table_add(&t, "%s", et_format_error(e.worst, buf));
		}
	}
	et_table_print(&t, page);
	putc('\n', page->out);
}

/* --- pictures: errors with their signs, a curve per load --- */

static bool is_first_of_load(const struct et_interval_accuracy *a, size_t i)
{
	return i == 0 || a->cells[i].load != a->cells[i - 1].load;
}

struct signed_curves {
	struct et_error_curves
		curves; /* the mean error per load; then the least and the greatest */
	size_t n_loads;
};

static void collect(const struct et_interval_accuracy *a, enum et_interval_method method,
	struct signed_curves *out)
{
	struct et_error_curves *c = &out->curves;
	struct et_error_curve *mean = NULL;

	for (size_t i = 0; i < a->n_cells; i++)
		et_error_curves_length(c, (double)a->cells[i].length_ns);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *cell = &a->cells[i];
		size_t at = et_error_curves_at(c, (double)cell->length_ns);
		if (is_first_of_load(a, i) && out->n_loads < ET_ERROR_CURVES - 2) {
			mean = et_error_curves_add(c, (char)('a' + out->n_loads++));
			snprintf(mean->label, sizeof(mean->label), "load %u", cell->load);
		}
		if (at != SIZE_MAX && mean)
			mean->y[at] = et_interval_judge(cell, method).mean;
	}
	struct et_error_curve *least = et_error_curves_add(c, '\0');
	struct et_error_curve *most = et_error_curves_add(c, '\0');
	for (size_t i = 0; i < a->n_cells; i++) {
		size_t at = et_error_curves_at(c, (double)a->cells[i].length_ns);
		struct et_interval_error e = et_interval_judge(&a->cells[i], method);
		if (at == SIZE_MAX)
			continue;
		least->y[at] = fmin(least->y[at], e.least);
		most->y[at] = fmax(most->y[at], e.most);
	}
	snprintf(least->label, sizeof(least->label), "least and greatest error of any run");
}

static void plot(const struct signed_curves *s, const struct et_page *page)
{
	double x[ET_ERROR_POINTS];
	struct et_curve curves[ET_ERROR_CURVES];
	const struct et_error_curves *c = &s->curves;

	if (c->n < 2)
		return;
	for (size_t i = 0; i < c->n; i++)
		x[i] = 1e-6 * c->x_ns[i];
	for (size_t k = 0; k < c->n_curves; k++)
		curves[k] = (struct et_curve){ *c->list[k].label ? c->list[k].label : NULL,
			c->list[k].mark, c->list[k].y };
	et_plot_signed_errors(x, c->n, curves, c->n_curves, "ms", page);
	putc('\n', page->out);
}

static void print_bias(const struct et_interval_accuracy *a, const struct et_page *page)
{
	ET_AUTO_FREE char *text = NULL;
	char buf[ET_FIGURE];

	for (size_t i = 0; i < a->n_cells; i++) {
		double bias = et_interval_bias(a, a->cells[i].load, ET_INTERVAL_TICKS);
		if (is_first_of_load(a, i) && !isnan(bias))
			et_append(&text, ", ", "%s %% under load %u", et_format_error(bias, buf),
				a->cells[i].load);
	}
	if (!text)
		return;
	ET_AUTO_FREE char *all = et_asprintf("Mean error of 10 ms ticks from 100 ms on: %s.", text);
	et_page_paragraph(page, 0, "", NULL, all, NULL);
	putc('\n', page->out);
}

void et_interval_accuracy_text(const struct et_interval_accuracy *a, const struct et_page *page)
{
	struct signed_curves curves = { 0 };

	for (size_t i = 0; i < a->n_cells; i++) {
		if (is_first_of_load(a, i))
			print_load(a, a->cells[i].load, page);
	}
	collect(a, ET_INTERVAL_TICKS, &curves);
	if (curves.curves.n > 1) {
		et_page_paragraph(page, 0, "", NULL,
			"mean error of 10 ms ticks under each load, by length", BOLD);
		plot(&curves, page);
	}
	print_bias(a, page);
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

/* Beyond the edge of Figure 9.8. */
static double at_edge(double error)
{
	return isnan(error) ? NAN : fmax(-1, fmin(1, error));
}

/* A chart of one method: every run is a point, and the means are joined; a colour per load. */
static void draw_method(const struct et_interval_accuracy *a, enum et_interval_method method,
	struct et_svg_sheet *sheet)
{
	struct et_svg_mark marks[] = { { 0.1, "+10 %", true }, { -0.1, "-10 %", true } };
	struct et_svg_series series[2 * ET_ERROR_CURVES];
	struct signed_curves s = { 0 };
	double *x[ET_ERROR_CURVES] = { 0 }, *y[ET_ERROR_CURVES] = { 0 };
	size_t n[ET_ERROR_CURVES] = { 0 }, n_series = 0, load = 0;

	collect(a, method, &s);
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		load += i > 0 && is_first_of_load(a, i);
		if (load >= s.n_loads)
			break;
		x[load] = et_realloc(x[load], n[load] + c->n_runs + 1, sizeof(double));
		y[load] = et_realloc(y[load], n[load] + c->n_runs + 1, sizeof(double));
		for (size_t k = 0; k < c->n_runs; k++) {
			x[load][n[load]] = c->runs[k].truth_ns;
			y[load][n[load]++] = at_edge(et_interval_error_of(&c->runs[k], method));
		}
	}
	for (size_t k = 0; k < s.n_loads; k++) {
		struct et_error_curve *mean = &s.curves.list[k];
		for (size_t i = 0; i < s.curves.n; i++)
			mean->y[i] = at_edge(mean->y[i]);
		series[n_series++] = (struct et_svg_series){ .shape = ET_SVG_POINTS,
			.color = (unsigned)k,
			.x = x[k],
			.y = y[k],
			.n = n[k] };
		series[n_series++] = (struct et_svg_series){ .name = mean->label,
			.shape = ET_SVG_LINE,
			.color = (unsigned)k,
			.x = s.curves.x_ns,
			.y = mean->y,
			.n = s.curves.n };
	}
	struct et_chart chart = { .title = columns[method].label,
		.description = "Error of each run over its true time, and the mean per length; "
			       "errors above 100 % are drawn at the edge.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "error", .unit = ET_AXIS_SHARE, .lo = -1.05, .hi = 1.05 },
		.series = series,
		.n_series = n_series,
		.marks = marks,
		.n_marks = ET_LENGTH(marks),
		.width = CHART_WIDTH,
		.height = CHART_HEIGHT };
	et_svg_sheet_add(sheet, &chart);
	for (size_t k = 0; k < ET_ERROR_CURVES; k++) {
		free(x[k]);
		free(y[k]);
	}
}

void et_interval_accuracy_svg(const struct et_interval_accuracy *a, FILE *out)
{
	struct et_svg_sheet *sheet = et_svg_sheet_new(2 * CHART_WIDTH);

	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		draw_method(a, (enum et_interval_method)m, sheet);
	et_svg_sheet_write(sheet, "CPU time by ticks: errors under each load", out);
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
			et_json_double(&w, "least_error", error.least);
			et_json_double(&w, "greatest_error", error.most);
			et_json_array(&w, "errors");
			for (size_t k = 0; k < c->n_runs; k++)
				et_json_double(&w, NULL,
					et_interval_error_of(
						&c->runs[k], (enum et_interval_method)m));
			et_json_end(&w);
			et_json_end(&w);
		}
		et_json_end(&w);
	}
	et_json_end(&w);
	et_json_end(&w);
}
