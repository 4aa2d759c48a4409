/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Points on two equal axes as a picture in braille characters, for a terminal. */
#ifndef ET_REPORT_SCATTER_H
#define ET_REPORT_SCATTER_H

#include "report/terminal.h"

struct et_scatter {
	const double *x, *y;
	const bool *marked; /* drawn in colour where there is colour; or NULL */
	size_t n;
	double lo, hi; /* of both axes; points outside are left out */
};

/*
 * At most width columns with the axis, half as many lines: dots are square. The axes' ends are
 * written as durations (ns). Points that are not finite are left out; nothing is drawn when no
 * point is inside.
 */
void et_scatter_draw(const struct et_scatter *s, const struct et_page *page, int indent, int width);

#endif
