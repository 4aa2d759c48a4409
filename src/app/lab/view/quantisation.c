/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/lab.h"
#include "base/alloc.h"
#include "base/json.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "draw/table.h"
#include "model/experiment/field_rows.h"

#include <math.h>

#define BOLD "1"

/* The rows of the text; JSON has all. */
static const size_t shown[] = { 1, 2, 3, 5, 7, 10, 15, 20, 25, 30, 35, 40, 45, 50, 60, 75, 100, 150,
	200, 250, 300 };

static void print_table(const struct et_quantisation *q, const struct et_page *page)
{
	static const struct et_table_column columns[] = { ET_COLUMN(NUMBER, "calls"),
		ET_COLUMN(NUMBER, "calls/4"), ET_COLUMN(NUMBER, "periods"),
		ET_COLUMN(NUMBER, "theory"), ET_COLUMN(NUMBER, "simulated") };
	struct et_table t = { ET_COLUMNS(columns), .split = true };

	for (size_t i = 0; i < ET_LENGTH(shown) && shown[i] <= q->n; i++) {
		const struct et_quantisation_point *p = &q->points[shown[i] - 1];
		et_table_add(&t, "%.0f\t%.2f\t%.0f\t%.2f", p->calls, p->bound_calls,
			p->bound_periods, p->theory);
		if (isnan(p->simulated)) /* of one run */
			et_table_add(&t, "-");
		else
			et_table_add(&t, "%.2f", p->simulated);
	}
	et_table_print(&t, page);
	putc('\n', page->out);
}

/* Letters at every tenth number of calls only, so that they can be told apart. */
enum { EVERY = 10 };

static void print_plot(const struct et_quantisation *q, const struct et_page *page)
{
	double x[ET_QUANTISATION_CALLS], y[4][ET_QUANTISATION_CALLS];
	const double top = 1.2 * q->periods;
	struct et_curve curves[] = { { "theory: calls p (1 - p)", '\0', y[0] },
		{ "bound: calls / 4", '4', y[1] }, { "bound: the periods", 'v', y[2] },
		{ "simulated", 's', y[3] } };

	for (size_t i = 0; i < q->n; i++) {
		const struct et_quantisation_point *p = &q->points[i];
		size_t phase = (i + 1) % EVERY;
		x[i] = p->calls;
		y[0][i] = p->theory;
		y[1][i] = phase == EVERY / 2 && p->bound_calls < top ? p->bound_calls : NAN;
		y[2][i] = phase == EVERY / 2 ? p->bound_periods : NAN;
		y[3][i] = phase == 0 ? p->simulated : NAN;
	}
	et_page_paragraph(page, 0, "", NULL, "variance of the number of samples", BOLD);
	et_plot_numbers(x, q->n, curves, ET_LENGTH(curves), top, "calls", page);
	putc('\n', page->out);
}

void et_quantisation_text(const struct et_quantisation *q, const struct et_page *page)
{
	ET_AUTO_FREE char *about = et_asprintf(
		"A function runs for %.0f sampling periods in all, divided among 1 to %d equal "
		"calls that begin at random moments. How much does the number of its samples vary? "
		"Variances, %u simulated runs for each number of calls; p is the fraction of a "
		"call's length in periods.",
		q->periods, ET_QUANTISATION_CALLS, q->repetitions);

	et_page_paragraph(page, 0, "", NULL, about, NULL);
	putc('\n', page->out);
	print_table(q, page);
	print_plot(q, page);
	et_page_paragraph(page, 0, "", NULL,
		"Calls of whole periods give the same number of samples in every run. With more "
		"calls than periods the variance approaches the number of samples, which is "
		"gprof's rule: the more a function's time is divided among calls, the more its "
		"count varies.",
		NULL);
}

void et_quantisation_svg(const struct et_quantisation *q, FILE *out)
{
	double x[ET_QUANTISATION_CALLS], y[4][ET_QUANTISATION_CALLS];
	const char *const names[] = { "calls / 4", "periods", "theory", "simulated" };
	struct et_svg_series series[4];

	for (size_t i = 0; i < q->n; i++) {
		const struct et_quantisation_point *p = &q->points[i];
		x[i] = p->calls;
		y[0][i] = p->bound_calls;
		y[1][i] = p->bound_periods;
		y[2][i] = p->theory;
		y[3][i] = p->simulated;
	}
	for (unsigned k = 0; k < 4; k++)
		series[k] = (struct et_svg_series){ .name = names[k],
			.shape = k < 2 ? ET_SVG_LINE : ET_SVG_POINTS,
			.color = k,
			.x = x,
			.y = y[k],
			.n = q->n };
	struct et_chart chart = { .title = "variance of a count by quantisation",
		.description = "The variance of the number of samples over the number of calls, "
			       "with two bounds.",
		.x = { .label = "calls", .lo = 0, .hi = ET_QUANTISATION_CALLS },
		.y = { .label = "variance, samples²", .lo = 0, .hi = 1.5 * q->periods },
		.series = series,
		.n_series = 4 };
	et_svg_write(&chart, out);
}

static const struct et_field point_fields[] = {
	ET_KEYS(et_quantisation_point, calls, bound_calls, bound_periods, theory, simulated,
		simulated_mean),
	{ 0 },
};

void et_quantisation_json(
	const struct et_quantisation *q, const struct et_lab_asked *asked, FILE *out)
{
	struct et_json w;

	et_json_init(&w, out, 2);
	et_json_object(&w, NULL);
	et_json_string(&w, "experiment", "quantisation");
	et_json_u64(&w, "seed", asked->seed);
	et_json_u64(&w, "repetitions", asked->repetitions);
	et_json_double(&w, "periods", q->periods);
	et_fields_list(&w, "points", point_fields, q->points, q->n, sizeof(q->points[0]));
	et_json_end(&w);
}
