/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of Bryant & O'Hallaron's chapter about K-best, in a terminal and as SVG. */
#include "app/lab/kbest.h"

enum { SHORT_NS = 8000000, MOST_SAMPLES_LOAD = 4, MOST_CURVES = 8 };

const char *const et_kbest_figure_names[] = { "9.11", "9.12", "9.14", "9.15", "9.16", "9.22",
	"convergence", "predicted", NULL };

/* Smaller errors are drawn as this one: a log axis has no 0. */
static double drawn(double error)
{
	return isnan(error) ? NAN : fmax(fabs(error), 1e-5);
}

/* --- errors by length --- */

/* The second curve of each load; the first is K by the counter. */
static const struct {
	enum et_timed_by by;
	bool compensated;
	const char *name, *title;
} seconds[] = {
	[ET_KBEST_COMPENSATED] = { ET_TIMED_COUNTER, true, "compensated",
		"K-best: the error without the timer interrupts that were met" },
	[ET_KBEST_TIME_OF_DAY] = { ET_TIMED_WALL, false, "gettimeofday",
		"K-best: the error by the counter and by gettimeofday()" },
	[ET_KBEST_BY_LOAD] = { .name = "etalon",
		.title = "K-best: the scheme of Bryant & O'Hallaron, and etalon" },
	[ET_KBEST_BY_K] = { .title = "K-best: the error for K = 1 to 5" },
};

static void add_pairs(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, struct et_chart *p)
{
	const struct et_scheme other = { seconds[figure].by, seconds[figure].compensated, a->k };
	struct et_curve *first = NULL, *second = NULL;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		double ns = (double)c->length_ns;
		if (et_kbest_first_of_load(a, i)) {
			unsigned n = (unsigned)p->n_curves;
			if (n == MOST_CURVES)
				return;
			first = et_chart_curve(p, ET_SVG_CURVE, n,
				et_chart_format(p, "K=%u, load %u", a->k, c->load));
			first->mark = (char)('a' + n / 2);
			second = et_chart_curve(p, ET_SVG_CURVE, n + 1,
				et_chart_format(p, "%s, load %u", seconds[figure].name, c->load));
			second->mark = (char)('A' + n / 2);
		}
		et_curve_add(first, ns, drawn(et_kbest_by_counter(a, c).error));
		et_curve_add(second, ns,
			drawn(figure == ET_KBEST_BY_LOAD ? et_kbest_our_error(c)
							 : et_scheme_judge(&other, c, a).error));
	}
}

static void add_k(const struct et_kbest_accuracy *a, unsigned load, struct et_chart *p)
{
	for (struct et_scheme s = { ET_TIMED_COUNTER, false, 1 }; s.k <= ET_ACCURACY_MAX_K; s.k++) {
		struct et_curve *line = et_chart_curve(
			p, ET_SVG_CURVE, s.k - 1, et_chart_format(p, "K=%u, load %u", s.k, load));
		line->mark = (char)('0' + s.k);
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct et_accuracy_cell *c = &a->cells[i];
			if (c->load == load)
				et_curve_add(line, (double)c->length_ns,
					drawn(et_scheme_judge(&s, c, a).error));
		}
	}
}

/* load: the one whose K are drawn. */
static struct et_chart errors_of(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, unsigned load)
{
	struct et_chart p = { .title = seconds[figure].title,
		.description = "Relative error over the true time; both axes are logarithmic.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "error", .unit = ET_AXIS_SHARE, .log = true },
		.marks = { { 0.001, "0.1 %", true }, { 0.01, "1 %", true } },
		.n_marks = 2,
		.text = { ET_TEXT_ERRORS, 1e6, "ms" } };

	if (figure == ET_KBEST_BY_K)
		add_k(a, load, &p);
	else
		add_pairs(a, figure, &p);
	return p;
}

/* --- the calls in order --- */

/* The length whose calls are drawn. */
static uint64_t length_of(const struct et_kbest_accuracy *a, enum et_kbest_figure figure)
{
	double distance = INFINITY;
	uint64_t best = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		uint64_t ns = a->cells[i].length_ns;
		double now = fabs(log((double)ns / SHORT_NS));
		if (!i || (figure == ET_KBEST_LONG ? ns > best : now < distance)) {
			best = ns;
			distance = now;
		}
	}
	return best;
}

/* The calls under the least load and the heaviest up to 4; a terminal has units of unit_ns. */
static struct et_chart calls_of(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, double unit_ns)
{
	const struct et_accuracy_cell *cells[2] = { NULL };
	uint64_t length_ns = length_of(a, figure);
	struct et_chart p = { .title = "The same calls in order, without and with load",
		.description = "Times of successive calls of the same function.",
		.x = { .label = "call" },
		.y = { .label = "time", .unit = ET_AXIS_NS },
		.text = { ET_TEXT_NUMBERS, 1, "call" } };

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->length_ns != length_ns || !c->n_calls)
			continue;
		if (!cells[0])
			cells[0] = c;
		else if (!cells[1] || c->load <= MOST_SAMPLES_LOAD)
			cells[1] = c;
	}
	for (unsigned k = 0; k < 2 && cells[k]; k++) {
		struct et_curve *line = et_chart_curve(
			&p, ET_SVG_CURVE, k, et_chart_format(&p, "load %u", cells[k]->load));
		line->mark = (char)('a' + k);
		for (size_t i = 0; i < cells[k]->n_calls; i++) {
			double y = cells[k]->calls[i].counter_ns / unit_ns;
			et_curve_add(line, (double)i + 1, y);
			p.y.hi = unit_ns > 1 ? fmax(p.y.hi, y) : 0;
		}
	}
	return p;
}

/* --- how quickly it converges --- */

static void convergence_text(const struct et_kbest_accuracy *a, const struct et_page *page)
{
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	et_lab_heading(page, "calls until %u agree", a->k);
	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (size_t i = 0; i < a->n_cells; i++) {
		snprintf(buf, sizeof(buf), "load %u ", a->cells[i].load);
		if (et_kbest_first_of_load(a, i))
			et_table_column(&t, ET_TABLE_NUMBER, buf);
	}
	for (size_t i = 0; i < a->n_cells && a->cells[i].load == a->cells[0].load; i++) {
		uint64_t ns = a->cells[i].length_ns;
		et_table_add(&t, "%s", et_format_rounded((double)ns, 3, buf));
		for (size_t j = 0; j < a->n_cells; j++) {
			struct et_scheme_result v = et_kbest_by_counter(a, &a->cells[j]);
			if (a->cells[j].length_ns == ns)
				et_table_add(&t, "%zu%c", v.calls, v.converged ? ' ' : '*');
		}
	}
	et_table_print(&t, page);
	et_lab_text(page, "*: they did not agree; all calls were used.");
	putc('\n', page->out);
}

static struct et_chart convergence_of(const struct et_kbest_accuracy *a)
{
	struct et_chart p = { .title = "K-best: calls until K of them agree",
		.description = "The number of calls over the true time.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "calls" } };

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (et_kbest_first_of_load(a, i))
			et_chart_curve(&p, ET_SVG_CURVE, (unsigned)p.n_curves,
				et_chart_format(&p, "load %u", c->load));
		et_curve_add(p.curves[p.n_curves - 1], (double)c->length_ns,
			(double)et_kbest_by_counter(a, c).calls);
	}
	return p;
}

/* --- the predicted error beside the true one --- */

static struct et_chart predicted_of(const struct et_kbest_accuracy *a, bool diagonal)
{
	struct et_chart p = { .title = "Does K-best know its own error?",
		.description = "The true error over the predicted one; below the line it "
			       "is smaller.",
		.x = { .label = "predicted error", .unit = ET_AXIS_SHARE, .log = true },
		.y = { .label = "true error", .unit = ET_AXIS_SHARE, .log = true },
		.text = { ET_TEXT_ERRORS, 0.01, "% predicted" } };
	struct et_curve *line;

	if (diagonal) {
		line = et_chart_curve(&p, ET_SVG_LINE, ET_SVG_GREY, "predicted = true");
		et_curve_add(line, 1e-5, 1e-5);
		et_curve_add(line, 10, 10);
	}
	line = et_chart_curve(&p, ET_SVG_POINTS, ET_SVG_RED, et_chart_format(&p, "K=%u", a->k));
	line->mark = 'k';
	for (size_t i = 0; i < a->n_cells; i++) {
		struct et_scheme_result v = et_kbest_by_counter(a, &a->cells[i]);
		if (isfinite(v.predicted))
			et_curve_add(line, drawn(v.predicted), drawn(v.error));
	}
	et_curve_sort(line);
	line = et_chart_curve(&p, ET_SVG_POINTS, ET_SVG_BLUE, "etalon");
	line->mark = 'e';
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (isfinite(c->ours_error_ns / c->ours_ns))
			et_curve_add(line, drawn(c->ours_error_ns / c->ours_ns),
				drawn(et_kbest_our_error(c)));
	}
	et_curve_sort(line);
	return p;
}

/* --- all --- */

/* The chart that shows the errors in a terminal needs two lengths. */
static bool has_lengths(const struct et_kbest_accuracy *a)
{
	bool differ = false;

	for (size_t i = 1; i < a->n_cells; i++)
		differ = differ || a->cells[i].length_ns != a->cells[0].length_ns;
	return differ;
}

static void errors_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page)
{
	et_lab_heading(page, "error by length");
	for (size_t i = 0; i < a->n_cells; i++) {
		if (i > 0 && (!et_kbest_first_of_load(a, i) || figure != ET_KBEST_BY_K))
			continue;
		struct et_chart p = errors_of(a, figure, a->cells[i].load);
		et_lab_chart(&p, page);
	}
}

void et_kbest_figure_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page)
{
	char length[ET_FIGURE];
	struct et_chart p;

	if (figure == ET_KBEST_LONG || figure == ET_KBEST_SHORT) {
		et_lab_heading(page, "calls of %s in order, by the counter, in ms",
			et_format_rounded((double)length_of(a, figure), 3, length));
		p = calls_of(a, figure, 1e6);
		et_lab_chart(&p, page);
	} else if (figure == ET_KBEST_PREDICTED) {
		et_lab_heading(page, "true error over the predicted one");
		p = predicted_of(a, false);
		et_lab_chart(&p, page);
	} else if (figure == ET_KBEST_CONVERGENCE) {
		convergence_text(a, page);
	} else if (has_lengths(a)) {
		errors_text(a, figure, page);
	}
}
void et_kbest_figure_draw(const struct et_kbest_accuracy *a, enum et_kbest_figure figure,
	const struct et_chart_to *to)
{
	unsigned heaviest = a->n_cells ? a->cells[a->n_cells - 1].load : 0;
	struct et_chart p = figure == ET_KBEST_LONG || figure == ET_KBEST_SHORT
				    ? calls_of(a, figure, 1)
			    : figure == ET_KBEST_CONVERGENCE ? convergence_of(a)
			    : figure == ET_KBEST_PREDICTED   ? predicted_of(a, true)
							     : errors_of(a, figure, heaviest);

	et_chart_put(&p, to);
}
