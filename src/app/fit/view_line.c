/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A straight line with its projections, and whether an expected value agrees with one. */
#include "app/fit/view.h"
#include "base/alloc.h"
#include "draw/units.h"
#include "num/line.h"
#include "num/moments.h"
#include "num/student.h"

#include <math.h>
#include <string.h>

#define BOLD "1"

static double r2_of(const struct et_fit_line *l)
{
	double total = et_variance(l->y, l->n) * (double)(l->n - 1);

	return 1 - l->line.residual_sd * l->line.residual_sd * l->line.df / total;
}

static enum et_unit unit_of(const struct et_fit_line *l)
{
	return l->points->times ? ET_UNIT_NS : ET_UNIT_NONE;
}

/* A value of y, which may be negative, with the digits that its uncertainty supports. */
static const char *figure(
	const struct et_fit_line *l, double x, double uncertainty, char buf[ET_FIGURE])
{
	char size[ET_FIGURE];

	if (!l->points->times || x >= 0)
		return et_format_value_to(x, uncertainty, unit_of(l), buf);
	snprintf(buf, ET_FIGURE, "-%.90s", et_format_value_to(-x, uncertainty, unit_of(l), size));
	return buf;
}

static void print_prediction(const struct et_fit_line *l, double x, const struct et_page *page)
{
	struct et_line_at at;
	char value[ET_FIGURE], point[ET_FIGURE], line[ET_FIGURE];

	et_line_at(&l->line, x, l->level, &at);
	figure(l, at.value, at.prediction, value);
	figure(l, at.prediction, at.prediction, point);
	figure(l, at.confidence, at.confidence, line);
	ET_AUTO_FREE char *text =
		et_asprintf("%s ± %s for one more point, ± %s for the line itself "
			    "(%.4g %%)",
			value, point, line, 100 * l->level);
	ET_AUTO_FREE char *lead = et_asprintf("  at %.6g:", x);
	et_page_paragraph(page, 6, lead, NULL, text, NULL);
}

static void print_verdict(const struct et_fit_line *l, const struct et_page *page)
{
	struct et_line_at at;
	char expect[ET_FIGURE], lo[ET_FIGURE], hi[ET_FIGURE];

	et_line_at(&l->line, l->predict[0], l->level, &at);
	bool off = et_line_is_off(&at, l->expect);
	double digits = at.prediction;
	for (int i = 0; i < 2; i++) {
		figure(l, l->expect, digits, expect);
		figure(l, at.value - at.prediction, digits, lo);
		figure(l, at.value + at.prediction, digits, hi);
		if (!off || (strcmp(expect, lo) && strcmp(expect, hi)))
			break;
		/* A value just outside needs the digits that show it. */
		digits = fabs(l->expect - at.value) - at.prediction;
	}
	ET_AUTO_FREE char *text = et_asprintf("%s is %s %s … %s", expect,
		!off                   ? "inside"
		: l->expect > at.value ? "above"
				       : "below",
		lo, hi);
	et_page_paragraph(page, 4, off ? "  anomalous:" : "  consistent:", BOLD, text, NULL);
}

void et_fit_line_text(const struct et_fit_line *l, const struct et_page *page)
{
	const struct et_line *line = &l->line;
	double k = et_qt((1 + l->level) / 2, line->df);
	char slope[ET_FIGURE], slope_half[ET_FIGURE], start[ET_FIGURE], start_half[ET_FIGURE];
	ET_AUTO_FREE char *name = et_asprintf("%s:", l->points->name);

	figure(l, line->slope, k * line->slope_error, slope);
	figure(l, k * line->slope_error, k * line->slope_error, slope_half);
	figure(l, line->intercept, k * line->intercept_error, start);
	figure(l, k * line->intercept_error, k * line->intercept_error, start_half);
	ET_AUTO_FREE char *text =
		et_asprintf("y = (%s ± %s) + (%s ± %s) x", start, start_half, slope, slope_half);
	et_page_paragraph(page, 2, name, BOLD, text, NULL);
	fprintf(page->out, "  %zu points, R² = %.4f, residual sd %s, intervals of %.4g %%\n", l->n,
		r2_of(l), figure(l, line->residual_sd, line->residual_sd, start), 100 * l->level);
	for (size_t i = 0; i < l->n_predict; i++)
		print_prediction(l, l->predict[i], page);
	if (!isnan(l->expect))
		print_verdict(l, page);
}

void et_fit_line_json(const struct et_fit_line *l, struct et_json *w)
{
	struct et_line_at at;

	et_json_object(w, NULL);
	et_json_string(w, "name", l->points->name);
	et_json_string(w, "unit", et_unit_names[unit_of(l)]);
	et_json_object(w, "line");
	et_json_double(w, "intercept", l->line.intercept);
	et_json_double(w, "slope", l->line.slope);
	et_json_double(w, "intercept_error", l->line.intercept_error);
	et_json_double(w, "slope_error", l->line.slope_error);
	et_json_double(w, "residual_sd", l->line.residual_sd);
	et_json_double(w, "df", l->line.df);
	et_json_double(w, "r2", r2_of(l));
	et_json_end(w);
	et_json_double(w, "level", l->level);
	et_json_array(w, "prediction");
	for (size_t i = 0; i < l->n_predict; i++) {
		et_line_at(&l->line, l->predict[i], l->level, &at);
		et_json_flat_object(w, NULL);
		et_json_double(w, "x", l->predict[i]);
		et_json_double(w, "value", at.value);
		et_json_double(w, "lo", at.value - at.prediction);
		et_json_double(w, "hi", at.value + at.prediction);
		et_json_double(w, "line_lo", at.value - at.confidence);
		et_json_double(w, "line_hi", at.value + at.confidence);
		et_json_end(w);
	}
	et_json_end(w);
	et_json_double(w, "expected", l->expect);
	if (isnan(l->expect)) {
		et_json_null(w, "verdict");
	} else {
		et_line_at(&l->line, l->predict[0], l->level, &at);
		et_json_string(
			w, "verdict", et_line_is_off(&at, l->expect) ? "anomalous" : "consistent");
	}
	et_json_end(w);
}
