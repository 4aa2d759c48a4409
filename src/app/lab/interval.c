/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab interval-accuracy` */
#include "app/lab/experiments.h"
#include "lab/interval_accuracy.h"

enum { CHART_WIDTH = 560, CHART_HEIGHT = 360, MOST_LOADS = 6 };

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
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_lab_heading(page, "load %u", load);
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
	et_lab_table(&t, page);
}

/* --- pictures: errors with their signs, a curve per load --- */

static bool is_first_of_load(const struct et_interval_accuracy *a, size_t i)
{
	return i == 0 || a->cells[i].load != a->cells[i - 1].load;
}

/* Errors beyond the edge of Figure 9.8 are drawn at it. */
static double at_edge(double error)
{
	return isnan(error) ? NAN : fmax(-1, fmin(1, error));
}

/* The mean error of each load over the length; in SVG every run is a point, too. */
static void add_loads(const struct et_interval_accuracy *a, enum et_interval_method method,
	bool svg, struct et_chart *p)
{
	struct et_curve *runs = NULL, *means = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_interval_cell *c = &a->cells[i];
		double mean = et_interval_judge(c, method).mean;
		if (is_first_of_load(a, i)) {
			if (n == MOST_LOADS)
				return;
			if (svg)
				runs = et_chart_curve(p, ET_SVG_POINTS, n, NULL);
			means = et_chart_curve(
				p, ET_SVG_LINE, n, et_chart_format(p, "load %u", c->load));
			means->mark = (char)('a' + n);
			n++;
		}
		for (size_t k = 0; svg && k < c->n_runs; k++)
			et_curve_add(runs, c->runs[k].truth_ns,
				at_edge(et_interval_error_of(&c->runs[k], method)));
		et_curve_add(means, (double)c->length_ns, svg ? at_edge(mean) : mean);
	}
}

/* The least and the greatest error of each length, which the first load has. */
static void add_extremes(const struct et_interval_accuracy *a, struct et_chart *p)
{
	struct et_curve *least =
		et_chart_curve(p, ET_SVG_LINE, ET_SVG_GREY, "least and greatest error of any run");
	struct et_curve *most = et_chart_curve(p, ET_SVG_LINE, ET_SVG_GREY, NULL);

	for (size_t i = 0; i < a->n_cells && a->cells[i].load == a->cells[0].load; i++) {
		double lo = NAN, hi = NAN, ns = (double)a->cells[i].length_ns;
		for (size_t k = 0; k < a->n_cells; k++) {
			struct et_interval_error e =
				et_interval_judge(&a->cells[k], ET_INTERVAL_TICKS);
			bool same = a->cells[k].length_ns == a->cells[i].length_ns;
			lo = same ? fmin(lo, e.least) : lo;
			hi = same ? fmax(hi, e.most) : hi;
		}
		et_curve_add(least, ns, lo);
		et_curve_add(most, ns, hi);
	}
}

static void plot_ticks(const struct et_interval_accuracy *a, const struct et_page *page)
{
	struct et_chart p = { .text = { ET_TEXT_SIGNED, 1e6, "ms" } };

	if (a->n_cells < 2 || a->cells[1].load != a->cells[0].load)
		return;
	et_lab_heading(page, "mean error of 10 ms ticks under each load, by length");
	add_loads(a, ET_INTERVAL_TICKS, false, &p);
	add_extremes(a, &p);
	et_lab_chart(&p, page);
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
	et_lab_text(page, "Mean error of 10 ms ticks from 100 ms on: %s.", text);
	putc('\n', page->out);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_interval_accuracy *a = result;

	for (size_t i = 0; i < a->n_cells; i++) {
		if (is_first_of_load(a, i))
			print_load(a, a->cells[i].load, page);
	}
	plot_ticks(a, page);
	print_bias(a, page);
	et_lab_text(page,
		"Errors in %%: reported / true - 1, of processes that work about half of the time "
		"in the kernel. 10 ms ticks: the CPU time that a kernel would report which charges "
		"each whole tick to the process that runs at that moment, computed from the "
		"periods in which the process ran; its error falls as tick / length. times() "
		"counts in its own unit. If getrusage() is exact, this kernel measures user + "
		"system time and splits the sum by samples taken at ticks, so user time alone is "
		"less accurate.");
}

/* A chart of one method: every run is a point, and the means are joined; a colour per load. */
static void draw_method(const struct et_interval_accuracy *a, enum et_interval_method method,
	const struct et_chart_to *to)
{
	struct et_chart p = { .title = columns[method].label,
		.description = "Error of each run over its true time, and the mean per length; "
			       "errors above 100 % are drawn at the edge.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "error", .unit = ET_AXIS_SHARE, .lo = -1.05, .hi = 1.05 },
		.marks = { { 0.1, "+10 %", true }, { -0.1, "-10 %", true } },
		.n_marks = 2,
		.width = CHART_WIDTH,
		.height = CHART_HEIGHT };

	add_loads(a, method, true, &p);
	et_chart_put(&p, to);
}

static void draw(const void *result, const struct et_chart_to *to)
{
	for (int m = 0; m < ET_INTERVAL_METHODS; m++)
		draw_method(result, (enum et_interval_method)m, to);
}

ET_FIELDS(error_fields, ET_KEY(et_interval_error, "mean_error", mean),
	ET_KEY(et_interval_error, "worst_error", worst),
	ET_KEY(et_interval_error, "least_error", least),
	ET_KEY(et_interval_error, "greatest_error", most));

static void write_methods(struct et_json *w, const char *key, const void *at)
{
	const struct et_interval_cell *c = at;

	(void)key; /* each method has one of its own */
	for (int m = 0; m < ET_INTERVAL_METHODS; m++) {
		enum et_interval_method method = (enum et_interval_method)m;
		struct et_interval_error error = et_interval_judge(c, method);
		et_json_flat_object(w, et_interval_method_names[m]);
		et_fields_write(w, error_fields, &error);
		et_json_array(w, "errors");
		for (size_t k = 0; k < c->n_runs; k++)
			et_json_double(w, NULL, et_interval_error_of(&c->runs[k], method));
		et_json_end(w);
		et_json_end(w);
	}
}

/* --- steps --- */

static int time_processes(struct et_lab_request *r, struct et_experiment *e, struct et_error *err)
{
	static const struct et_lab_grid usual = { .loads = { 1, 2, 11 },
		.n_loads = 3,
		.lengths_ns = { 1000000, 2000000, 5000000, 10000000, 20000000, 50000000, 100000000,
			200000000 },
		.n_lengths = 8,
		.runs = 8 };
	struct et_lab_grid grid = et_lab_grid(r, &usual);

	return et_interval_accuracy_run(&grid, &r->simulation.progress, e, err);
}

const struct et_lab et_lab_interval = { .size = sizeof(struct et_interval_accuracy),
	.time = time_processes,
	.read = et_interval_accuracy_read,
	.fields = ET_TABLE(ET_KEY_LIST(et_interval_accuracy, "cases", cells, n_cells,
		ET_TABLE(ET_KEYS(et_interval_cell, load, length_ns),
			ET_KEY(et_interval_cell, "runs", n_runs),
			ET_KEY_MADE("methods", write_methods)))),
	.text = print_text,
	.draw = draw,
	.sheet = "CPU time by ticks: errors under each load",
	.sheet_width = 2 * CHART_WIDTH,
	.free = et_interval_accuracy_free };
