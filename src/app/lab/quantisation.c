/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab quantisation` */
#include "lab/quantisation.h"
#include "app/lab/experiments.h"

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
	et_lab_table(&t, page);
}

/* Letters at every tenth number of calls only, so that they can be told apart. */
enum { EVERY = 10 };

static void print_plot(const struct et_quantisation *q, const struct et_page *page)
{
	static const struct {
		const char *name;
		char mark;
	} lines[] = { { "theory: calls p (1 - p)", '\0' }, { "bound: calls / 4", '4' },
		{ "bound: the periods", 'v' }, { "simulated", 's' } };
	const double top = 1.2 * q->periods;
	struct et_chart p = { .y.hi = top, .text = { ET_TEXT_NUMBERS, 1, "calls" } };

	for (size_t k = 0; k < ET_LENGTH(lines); k++)
		et_chart_curve(&p, ET_SVG_CURVE, 0, lines[k].name)->mark = lines[k].mark;
	for (size_t i = 0; i < q->n; i++) {
		const struct et_quantisation_point *at = &q->points[i];
		size_t phase = (i + 1) % EVERY;
		bool bound = phase == EVERY / 2;
		const double y[] = { at->theory,
			bound && at->bound_calls < top ? at->bound_calls : NAN,
			bound ? at->bound_periods : NAN, phase == 0 ? at->simulated : NAN };
		for (size_t k = 0; k < ET_LENGTH(y); k++)
			et_curve_add(p.curves[k], at->calls, y[k]);
	}
	et_lab_heading(page, "variance of the number of samples");
	et_lab_chart(&p, page);
}

static void print_text(const void *result, const struct et_page *page)
{
	const struct et_quantisation *q = result;

	et_lab_text(page,
		"A function runs for %.0f sampling periods in all, divided among 1 to %d equal "
		"calls that begin at random moments. How much does the number of its samples vary? "
		"Variances, %u simulated runs for each number of calls; p is the fraction of a "
		"call's length in periods.",
		q->periods, ET_QUANTISATION_CALLS, q->repetitions);
	putc('\n', page->out);
	print_table(q, page);
	print_plot(q, page);
	et_lab_text(page,
		"Calls of whole periods give the same number of samples in every run. With more "
		"calls than periods the variance approaches the number of samples, which is "
		"gprof's rule: the more a function's time is divided among calls, the more its "
		"count varies.");
}

static void draw(const void *result, const struct et_chart_to *to)
{
	const struct et_quantisation *q = result;
	static const char *const names[] = { "calls / 4", "periods", "theory", "simulated" };
	struct et_chart p = { .title = "variance of a count by quantisation",
		.description = "The variance of the number of samples over the number of calls, "
			       "with two bounds.",
		.x = { .label = "calls", .lo = 0, .hi = ET_QUANTISATION_CALLS },
		.y = { .label = "variance, samples²", .lo = 0, .hi = 1.5 * q->periods } };

	for (unsigned k = 0; k < ET_LENGTH(names); k++)
		et_chart_curve(&p, k < 2 ? ET_SVG_LINE : ET_SVG_POINTS, k, names[k]);
	for (size_t i = 0; i < q->n; i++) {
		const struct et_quantisation_point *at = &q->points[i];
		const double y[] = { at->bound_calls, at->bound_periods, at->theory,
			at->simulated };
		for (size_t k = 0; k < ET_LENGTH(y); k++)
			et_curve_add(p.curves[k], at->calls, y[k]);
	}
	et_chart_put(&p, to);
}

static int simulate(struct et_lab_request *r, void *result, struct et_error *err)
{
	(void)err;
	et_quantisation_run(&r->simulation, result);
	return 0;
}

const struct et_lab et_lab_quantisation = { .size = sizeof(struct et_quantisation),
	.simulate = simulate,
	.fields = ET_TABLE(ET_KEYS(et_quantisation, seed, repetitions, periods),
		ET_KEY_ROOM(et_quantisation, "points", points, n,
			ET_TABLE(ET_KEYS(et_quantisation_point, calls, bound_calls, bound_periods,
				theory, simulated, simulated_mean)),
			.flat = true)),
	.text = print_text,
	.draw = draw };
