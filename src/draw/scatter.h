/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A scatter plot with two equal axes in braille characters, for a terminal. */
#pragma once

#include "draw/terminal.h"

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
