/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Curves of the error of several methods over the length of the timed work: terminal and SVG. */
#pragma once

#include "draw/terminal.h"

enum { ET_ERROR_POINTS = 32, ET_ERROR_CURVES = 8 };

struct et_error_curve {
	char label[64];
	char mark;
	double y[ET_ERROR_POINTS]; /* the error for each length; its sign is not drawn; NaN: none */
};

struct et_error_curves {
	double x_ns[ET_ERROR_POINTS]; /* ascending */
	size_t n;
	struct et_error_curve list[ET_ERROR_CURVES];
	size_t n_curves;
};

/* Adds a length; ignored if ET_ERROR_POINTS are there already. */
void et_error_curves_length(struct et_error_curves *c, double ns);
/* The index of a length; SIZE_MAX if it was not added. */
size_t et_error_curves_at(const struct et_error_curves *c, double ns);
/* Adds a curve without points; NULL if ET_ERROR_CURVES are there already. */
struct et_error_curve *et_error_curves_add(struct et_error_curves *c, char mark);

void et_error_curves_text(const struct et_error_curves *c, const struct et_page *page);
void et_error_curves_svg(const struct et_error_curves *c, const char *title, FILE *out);
