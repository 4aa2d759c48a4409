/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/kbest_figures.h"
#include "app/lab/view/clocks.h"
#include "app/lab/view/error_curves.h"
#include "base/alloc.h"
#include "draw/plot.h"
#include "draw/svg.h"
#include "num/quantile.h"

#include <math.h>
#include <stdlib.h>

#define BOLD "1"

enum { SHORT_NS = 8000000, MOST_SAMPLES_LOAD = 4 };

const char *const et_kbest_figure_names[] = { "9.11", "9.12", "9.14", "9.15", "9.16", "9.22",
	"convergence", "predicted", NULL };

/* Smaller errors are drawn as this one: a log axis has no 0. */
static const double least_drawn = 1e-5;

static struct et_scheme_result judge(
	const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c)
{
	struct et_scheme s = { ET_TIMED_COUNTER, false, a->k };

	return et_scheme_judge(&s, c, a);
}

struct et_kbest_answers et_kbest_answers_of(const struct et_kbest_accuracy *a, unsigned load)
{
	struct et_kbest_answers q = { .median_calls = NAN };
	ET_AUTO_FREE double *calls = et_calloc(a->n_cells + 1, sizeof(*calls));

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->load != load || !c->n_calls)
			continue;
		struct et_scheme_result v = judge(a, c);
		q.cases++;
		if (!v.converged)
			continue;
		calls[q.converged++] = (double)v.calls;
		q.predicted = fmax(q.predicted, v.predicted);
		q.worst = fmax(q.worst, fabs(v.ns / v.truth_ns - 1));
	}
	et_sort(calls, q.converged);
	if (q.converged)
		q.median_calls = et_median_sorted(calls, q.converged);
	return q;
}

static unsigned heaviest(const struct et_kbest_accuracy *a)
{
	unsigned load = 0;

	for (size_t i = 0; i < a->n_cells; i++)
		load = a->cells[i].load > load ? a->cells[i].load : load;
	return load;
}

/* --- errors by length --- */

struct pair {
	enum et_timed_by by;
	bool compensated;
	const char *name;
};

/* The second curve of each load; the first is K by the counter. */
static const struct pair seconds[] = {
	[ET_KBEST_COMPENSATED] = { ET_TIMED_COUNTER, true, "compensated" },
	[ET_KBEST_TIME_OF_DAY] = { ET_TIMED_WALL, false, "gettimeofday" },
	[ET_KBEST_BY_LOAD] = { .name = "etalon" },
};

static double second_error(const struct et_kbest_accuracy *a, const struct et_accuracy_cell *c,
	enum et_kbest_figure figure)
{
	const struct pair *p = &seconds[figure];
	bool converged;

	if (figure == ET_KBEST_BY_LOAD)
		return et_kbest_our_error(c);
	return et_kbest_scheme_error(a, c, p->by, p->compensated, a->k, &converged);
}

static void collect_pairs(const struct et_kbest_accuracy *a, enum et_kbest_figure figure,
	struct et_error_curves *curves)
{
	struct et_error_curve *first = NULL, *second = NULL;
	bool converged;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		size_t at = et_error_curves_at(curves, (double)c->length_ns);
		if (i == 0 || c->load != a->cells[i - 1].load) {
			char letter = (char)(curves->n_curves / 2 % 26);
			first = et_error_curves_add(curves, (char)('a' + letter));
			second = et_error_curves_add(curves, (char)('A' + letter));
			if (!first || !second)
				return;
			snprintf(
				first->label, sizeof(first->label), "K=%u, load %u", a->k, c->load);
			snprintf(second->label, sizeof(second->label), "%s, load %u",
				seconds[figure].name, c->load);
		}
		if (at == SIZE_MAX)
			continue;
		first->y[at] =
			et_kbest_scheme_error(a, c, ET_TIMED_COUNTER, false, a->k, &converged);
		second->y[at] = second_error(a, c, figure);
	}
}

static void collect_k(
	const struct et_kbest_accuracy *a, unsigned load, struct et_error_curves *curves)
{
	bool converged;

	for (unsigned k = 1; k <= ET_ACCURACY_MAX_K; k++) {
		struct et_error_curve *curve = et_error_curves_add(curves, (char)('0' + k));
		snprintf(curve->label, sizeof(curve->label), "K=%u, load %u", k, load);
		for (size_t i = 0; i < a->n_cells; i++) {
			const struct et_accuracy_cell *c = &a->cells[i];
			size_t at = et_error_curves_at(curves, (double)c->length_ns);
			if (c->load == load && at != SIZE_MAX)
				curve->y[at] = et_kbest_scheme_error(
					a, c, ET_TIMED_COUNTER, false, k, &converged);
		}
	}
}

static void collect(const struct et_kbest_accuracy *a, enum et_kbest_figure figure, unsigned load,
	struct et_error_curves *curves)
{
	for (size_t i = 0; i < a->n_cells; i++)
		et_error_curves_length(curves, (double)a->cells[i].length_ns);
	if (figure == ET_KBEST_BY_K)
		collect_k(a, load, curves);
	else
		collect_pairs(a, figure, curves);
}

static void errors_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page)
{
	for (size_t i = 0; i < a->n_cells; i++) {
		unsigned load = a->cells[i].load;
		struct et_error_curves curves = { 0 };
		if (i > 0 && (load == a->cells[i - 1].load || figure != ET_KBEST_BY_K))
			continue;
		collect(a, figure, load, &curves);
		et_error_curves_text(&curves, page);
	}
}

/* A picture needs two of them. */
static bool has_lengths(const struct et_kbest_accuracy *a)
{
	for (size_t i = 1; i < a->n_cells; i++)
		if (a->cells[i].length_ns != a->cells[0].length_ns)
			return true;
	return false;
}

static const char *error_title(enum et_kbest_figure figure)
{
	switch (figure) {
	case ET_KBEST_BY_K:
		return "K-best: the error for K = 1 to 5";
	case ET_KBEST_COMPENSATED:
		return "K-best: the error without the timer interrupts that were met";
	case ET_KBEST_TIME_OF_DAY:
		return "K-best: the error by the counter and by gettimeofday()";
	default:
		return "K-best: the scheme of Bryant & O'Hallaron, and etalon";
	}
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

/* The calls under the least load, and under the heaviest one up to 4, as in the chapter. */
static size_t find_samples(const struct et_kbest_accuracy *a, uint64_t length_ns,
	const struct et_accuracy_cell *out[2])
{
	out[0] = out[1] = NULL;
	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if (c->length_ns != length_ns || !c->n_calls)
			continue;
		if (!out[0])
			out[0] = c;
		else if (!out[1] || c->load <= MOST_SAMPLES_LOAD)
			out[1] = c;
	}
	return (out[0] != NULL) + (size_t)(out[1] != NULL);
}

struct samples {
	size_t n, loads;
	double *x, *y[2]; /* y in ns; NaN after the last call */
	char label[2][32];
	double most;
};

static void collect_samples(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, struct samples *s)
{
	const struct et_accuracy_cell *cells[2];

	*s = (struct samples){ .loads = find_samples(a, length_of(a, figure), cells) };
	for (size_t k = 0; k < s->loads; k++)
		s->n = cells[k]->n_calls > s->n ? cells[k]->n_calls : s->n;
	s->x = et_calloc(s->n + 1, sizeof(*s->x));
	for (size_t i = 0; i < s->n; i++)
		s->x[i] = (double)i + 1;
	for (size_t k = 0; k < s->loads; k++) {
		s->y[k] = et_calloc(s->n + 1, sizeof(*s->y[k]));
		snprintf(s->label[k], sizeof(s->label[k]), "load %u", cells[k]->load);
		for (size_t i = 0; i < s->n; i++) {
			bool there = i < cells[k]->n_calls;
			s->y[k][i] = there ? cells[k]->calls[i].counter_ns : NAN;
			s->most = fmax(s->most, s->y[k][i]);
		}
	}
}

static void samples_free(struct samples *s)
{
	free(s->x);
	free(s->y[0]);
	free(s->y[1]);
}

static void samples_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page)
{
	struct et_curve curves[2];
	struct samples s;
	char length[ET_FIGURE];

	collect_samples(a, figure, &s);
	ET_AUTO_FREE char *title = et_asprintf("calls of %s in order, by the counter, in ms",
		et_format_rounded((double)length_of(a, figure), 3, length));
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	for (size_t k = 0; k < s.loads; k++) {
		for (size_t i = 0; i < s.n; i++)
			s.y[k][i] *= 1e-6;
		curves[k] = (struct et_curve){ s.label[k], (char)('a' + (char)k), s.y[k] };
	}
	if (s.n > 1)
		et_plot_numbers(s.x, s.n, curves, s.loads, s.most * 1e-6, "call", page);
	putc('\n', page->out);
	samples_free(&s);
}

static void samples_svg(const struct et_kbest_accuracy *a, enum et_kbest_figure figure, FILE *out)
{
	struct et_svg_series series[2];
	struct samples s;

	collect_samples(a, figure, &s);
	for (size_t k = 0; k < s.loads; k++)
		series[k] = (struct et_svg_series){ .name = s.label[k],
			.shape = ET_SVG_CURVE,
			.color = (unsigned)k,
			.x = s.x,
			.y = s.y[k],
			.n = s.n };
	struct et_chart chart = { .title = "The same calls in order, without and with load",
		.description = "Times of successive calls of the same function.",
		.x = { .label = "call" },
		.y = { .label = "time", .unit = ET_AXIS_NS },
		.series = series,
		.n_series = s.loads };
	et_svg_write(&chart, out);
	samples_free(&s);
}

/* --- how quickly it converges --- */

static void convergence_text(const struct et_kbest_accuracy *a, const struct et_page *page)
{
	struct et_table t = { .split = true };
	char buf[ET_FIGURE];

	ET_AUTO_FREE char *title = et_asprintf("calls until %u agree", a->k);
	et_page_paragraph(page, 0, "", NULL, title, BOLD);
	et_table_column(&t, ET_TABLE_NUMBER, "length");
	for (size_t i = 0; i < a->n_cells; i++) {
		if (i > 0 && a->cells[i].load == a->cells[i - 1].load)
			continue;
		snprintf(buf, sizeof(buf), "load %u ", a->cells[i].load);
		et_table_column(&t, ET_TABLE_NUMBER, buf);
	}
	for (size_t i = 0; i < a->n_cells && a->cells[i].load == a->cells[0].load; i++) {
		uint64_t ns = a->cells[i].length_ns;
		et_table_add(&t, "%s", et_format_rounded((double)ns, 3, buf));
		for (size_t j = 0; j < a->n_cells; j++) {
			struct et_scheme_result v = judge(a, &a->cells[j]);
			if (a->cells[j].length_ns == ns)
				et_table_add(&t, "%zu%c", v.calls, v.converged ? ' ' : '*');
		}
	}
	et_table_print(&t, page);
	et_page_paragraph(page, 0, "", NULL, "*: they did not agree; all calls were used.", NULL);
	putc('\n', page->out);
}

static void convergence_svg(const struct et_kbest_accuracy *a, FILE *out)
{
	struct et_svg_series series[ET_MAX_LOADS];
	char labels[ET_MAX_LOADS][32];
	size_t n = 0;
	ET_AUTO_FREE double *x = et_calloc(a->n_cells + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(a->n_cells + 1, sizeof(*y));

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		if ((i == 0 || c->load != a->cells[i - 1].load) && n < ET_MAX_LOADS) {
			snprintf(labels[n], sizeof(labels[n]), "load %u", c->load);
			series[n] = (struct et_svg_series){ .name = labels[n],
				.shape = ET_SVG_CURVE,
				.color = (unsigned)n,
				.x = x + i,
				.y = y + i };
			n++;
		}
		x[i] = (double)c->length_ns;
		y[i] = (double)judge(a, c).calls;
		series[n - 1].n++;
	}
	struct et_chart chart = { .title = "K-best: calls until K of them agree",
		.description = "The number of calls over the true time.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "calls" },
		.series = series,
		.n_series = n };
	et_svg_write(&chart, out);
}

/* --- the predicted error beside the true one --- */

struct scatter {
	double *predicted, *ours, *theirs; /* ours and theirs: true errors, NaN for the other */
	size_t n;
};

static int by_first(const void *x, const void *y)
{
	double a = *(const double *)x, b = *(const double *)y;

	return (a > b) - (a < b);
}

/* Points in ascending order of the prediction. */
static void collect_scatter(const struct et_kbest_accuracy *a, struct scatter *s)
{
	double(*points)[3] = et_calloc(2 * a->n_cells + 1, sizeof(*points));
	size_t n = 0;

	for (size_t i = 0; i < a->n_cells; i++) {
		const struct et_accuracy_cell *c = &a->cells[i];
		struct et_scheme_result v = judge(a, c);
		double ours = c->ours_error_ns / c->ours_ns;
		if (isfinite(v.predicted)) {
			points[n][0] = fmax(v.predicted, least_drawn);
			points[n][1] = fmax(fabs(v.ns / v.truth_ns - 1), least_drawn);
			points[n++][2] = NAN;
		}
		if (isfinite(ours)) {
			points[n][0] = fmax(ours, least_drawn);
			points[n][1] = NAN;
			points[n++][2] = fmax(fabs(et_kbest_our_error(c)), least_drawn);
		}
	}
	qsort(points, n, sizeof(*points), by_first);
	*s = (struct scatter){ .n = n };
	s->predicted = et_calloc(n + 1, sizeof(double));
	s->theirs = et_calloc(n + 1, sizeof(double));
	s->ours = et_calloc(n + 1, sizeof(double));
	for (size_t i = 0; i < n; i++) {
		s->predicted[i] = points[i][0];
		s->theirs[i] = points[i][1];
		s->ours[i] = points[i][2];
	}
	free(points);
}

static void scatter_free(struct scatter *s)
{
	free(s->predicted);
	free(s->theirs);
	free(s->ours);
}

static void predicted_text(const struct et_kbest_accuracy *a, const struct et_page *page)
{
	struct scatter s;
	char label[32];

	collect_scatter(a, &s);
	snprintf(label, sizeof(label), "K=%u", a->k);
	struct et_curve curves[] = { { label, 'k', s.theirs }, { "etalon", 'e', s.ours } };
	et_page_paragraph(page, 0, "", NULL, "true error over the predicted one", BOLD);
	for (size_t i = 0; i < s.n; i++)
		s.predicted[i] *= 100;
	if (s.n > 1)
		et_plot_error_points(
			s.predicted, s.n, curves, ET_LENGTH(curves), "% predicted", page);
	putc('\n', page->out);
	scatter_free(&s);
}

static void predicted_svg(const struct et_kbest_accuracy *a, FILE *out)
{
	static const double ends[] = { 1e-5, 10 };
	struct scatter s;
	char label[32];

	collect_scatter(a, &s);
	snprintf(label, sizeof(label), "K=%u", a->k);
	struct et_svg_series series[] = {
		{ "predicted = true", ET_SVG_LINE, ET_SVG_GREY, .x = ends, .y = ends, .n = 2 },
		{ label, ET_SVG_POINTS, ET_SVG_RED, .x = s.predicted, .y = s.theirs, .n = s.n },
		{ "etalon", ET_SVG_POINTS, ET_SVG_BLUE, .x = s.predicted, .y = s.ours, .n = s.n },
	};
	struct et_chart chart = { .title = "Does K-best know its own error?",
		.description =
			"The true error over the predicted one; below the line it is smaller.",
		.x = { .label = "predicted error", .unit = ET_AXIS_SHARE, .log = true },
		.y = { .label = "true error", .unit = ET_AXIS_SHARE, .log = true },
		.series = series,
		.n_series = ET_LENGTH(series) };
	et_svg_write(&chart, out);
	scatter_free(&s);
}

/* --- all --- */

void et_kbest_figure_text(
	const struct et_kbest_accuracy *a, enum et_kbest_figure figure, const struct et_page *page)
{
	switch (figure) {
	case ET_KBEST_LONG:
	case ET_KBEST_SHORT:
		samples_text(a, figure, page);
		return;
	case ET_KBEST_CONVERGENCE:
		convergence_text(a, page);
		return;
	case ET_KBEST_PREDICTED:
		predicted_text(a, page);
		return;
	default:
		if (has_lengths(a))
			et_page_paragraph(page, 0, "", NULL, "error by length", BOLD);
		errors_text(a, figure, page);
	}
}

void et_kbest_figure_svg(const struct et_kbest_accuracy *a, enum et_kbest_figure figure, FILE *out)
{
	struct et_error_curves curves = { 0 };

	switch (figure) {
	case ET_KBEST_LONG:
	case ET_KBEST_SHORT:
		samples_svg(a, figure, out);
		return;
	case ET_KBEST_CONVERGENCE:
		convergence_svg(a, out);
		return;
	case ET_KBEST_PREDICTED:
		predicted_svg(a, out);
		return;
	default:
		collect(a, figure, heaviest(a), &curves);
		et_error_curves_svg(&curves, error_title(figure), out);
	}
}
