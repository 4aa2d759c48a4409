/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "app/lab/view/error_curves.h"
#include "draw/plot.h"
#include "draw/svg.h"

#include <math.h>

size_t et_error_curves_at(const struct et_error_curves *c, double ns)
{
	for (size_t i = 0; i < c->n; i++) {
		if (c->x_ns[i] == ns)
			return i;
	}
	return SIZE_MAX;
}

void et_error_curves_length(struct et_error_curves *c, double ns)
{
	if (c->n == ET_ERROR_POINTS || et_error_curves_at(c, ns) != SIZE_MAX)
		return;
	size_t at = c->n++;
	for (; at > 0 && c->x_ns[at - 1] > ns; at--)
		c->x_ns[at] = c->x_ns[at - 1];
	c->x_ns[at] = ns;
}

struct et_error_curve *et_error_curves_add(struct et_error_curves *c, char mark)
{
	if (c->n_curves == ET_ERROR_CURVES)
		return NULL;
	struct et_error_curve *curve = &c->list[c->n_curves++];
	*curve = (struct et_error_curve){ .mark = mark };
	for (size_t i = 0; i < ET_ERROR_POINTS; i++)
		curve->y[i] = NAN;
	return curve;
}

void et_error_curves_text(const struct et_error_curves *c, const struct et_page *page)
{
	double x[ET_ERROR_POINTS], y[ET_ERROR_CURVES][ET_ERROR_POINTS];
	struct et_curve curves[ET_ERROR_CURVES];

	if (c->n < 2)
		return;
	for (size_t k = 0; k < c->n_curves; k++) {
		for (size_t i = 0; i < c->n; i++) {
			x[i] = 1e-6 * c->x_ns[i];
			y[k][i] = fabs(c->list[k].y[i]);
		}
		curves[k] = (struct et_curve){ c->list[k].label, c->list[k].mark, y[k] };
	}
	et_plot_errors(x, c->n, curves, c->n_curves, "ms", page);
	putc('\n', page->out);
}

/* Smaller errors are drawn as this one: a log axis has no 0. */
static const double least_drawn = 1e-5;

void et_error_curves_svg(const struct et_error_curves *c, const char *title, FILE *out)
{
	double y[ET_ERROR_CURVES][ET_ERROR_POINTS];
	struct et_svg_series series[ET_ERROR_CURVES];
	struct et_svg_mark marks[] = { { 0.001, "0.1 %", true }, { 0.01, "1 %", true } };

	for (size_t k = 0; k < c->n_curves; k++) {
		for (size_t i = 0; i < c->n; i++)
			y[k][i] = isnan(c->list[k].y[i]) ? NAN
							 : fmax(fabs(c->list[k].y[i]), least_drawn);
		series[k] = (struct et_svg_series){ .name = c->list[k].label,
			.shape = ET_SVG_CURVE,
			.color = (unsigned)k,
			.x = c->x_ns,
			.y = y[k],
			.n = c->n };
	}
	struct et_chart chart = { .title = title,
		.description = "Relative error over the true time; both axes are logarithmic.",
		.x = { .label = "true time", .unit = ET_AXIS_NS, .log = true },
		.y = { .label = "error", .unit = ET_AXIS_SHARE, .log = true },
		.series = series,
		.n_series = c->n_curves,
		.marks = marks,
		.n_marks = ET_LENGTH(marks) };
	et_svg_write(&chart, out);
}
