/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Curves in a terminal: a few points each, joined by dots of braille, the points marked. Where
 * points of several meet there is a mark for that, and the legend says which curve hides behind
 * which.
 */
#ifndef ET_REPORT_PLOT_H
#define ET_REPORT_PLOT_H

#include "report/terminal.h"

struct et_curve {
	const char *label;
	char mark;       /* one letter for its points */
	const double *y; /* a share for each x; NaN leaves a gap */
};

/* Shares from 0 to 100 % against x, whose axis is logarithmic; x ascends and is above 0. */
void et_plot_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);

/* The same with a scale that the largest of them, at most 100 %, decides. */
void et_plot_small_shares(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);
/* Errors on a logarithmic scale from 0.01 % to 1000 %; what is beyond lies at the edge. */
void et_plot_errors(const double *x, size_t n, const struct et_curve *curves, size_t n_curves,
	const char *x_label, const struct et_page *page);

#endif
