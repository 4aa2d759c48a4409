/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Curves in a terminal: each has a few points, marked by a letter and joined by braille dots. A
 * special mark shows where points of several curves meet, and the legend shows which curve hides
 * another.
 */
#pragma once

#include "draw/axis.h"
#include "draw/terminal.h"

struct et_curve {
	const char *label; /* in the legend; NULL: no entry there, unless that is one paragraph */
	char mark;         /* the letter of its points; '\0': dots only */
	const double *y;   /* a value for each x, a share or as stated; NaN makes a gap */
};

/* Plots shares from 0 to 100 % over x on a logarithmic axis; x ascends and is greater than 0. */
void et_plot_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);

/* Plots errors on a logarithmic scale from 0.01 % to 1000 %; others are drawn at its edge. */
void et_plot_errors(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);
/* The same without joining the points; the x axis has whole decades. */
void et_plot_error_points(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);
/*
 * Plots errors with their signs, from -100 % to 1000 %; others are drawn at the edge. The scale is
 * logarithmic on both sides of 0, and linear up to 1 %.
 */
void et_plot_signed_errors(const double *x, size_t n, const struct et_curve *curves,
	size_t n_curves, const char *x_label, const struct et_page *page);
/*
 * Plots values greater than 0 on a logarithmic scale of whole decades around them, in the unit of
 * an axis. The legend is one paragraph, so labels are short; curves without a mark are not in it.
 * Nothing is drawn without values.
 */
void et_plot_log(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	enum et_axis_unit unit, const char *x_label, const struct et_page *page);
/*
 * The same with an interval for each value, limits[i] of curves[i]. The points are not joined; the
 * curves are drawn side by side, each point with its interval as a vertical line.
 */
struct et_curve_limits {
	const double *lo, *hi;
};

void et_plot_log_intervals(const double *x, size_t n, const struct et_curve *curves,
	const struct et_curve_limits *limits, size_t n_curves, enum et_axis_unit unit,
	const char *x_label, const struct et_page *page);
/* Plots numbers from 0 to top over x; both axes are linear. */
void et_plot_numbers(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	double top, const char *x_label, const struct et_page *page);

/* A scatter plot with two equal axes in braille characters, for a terminal. */
struct et_scatter {
	const double *x, *y;
	/* A character per point, which replaces the dots of its cell; '\0': a dot. Or NULL. */
	const char *marks;
	size_t n;
	double lo, hi; /* the ends of both axes; points outside are omitted */
	const char *x_label, *y_label;
};

/*
 * Draws at most width columns including the axis, and half as many lines, because a braille cell is
 * twice as high as wide. The ends of the axes are printed as durations (ns) with as many digits as
 * make them differ. Points that are not finite are omitted; nothing is drawn if no point is inside.
 * Where points with different marks meet, '*' is drawn.
 */
void et_scatter_draw(const struct et_scatter *s, const struct et_page *page, int indent, int width);
