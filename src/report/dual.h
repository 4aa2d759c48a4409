/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual-execution scatter plot of EMP: each pair of successive samples, (1, 2), (3, 4) …, is a
 * point, the first as x, the second as y. A rare, long disturbance affects one of the two: these
 * points form an L around the central cluster. A frequent one affects both: upper right corner.
 */
#pragma once

#include "draw/chart.h"

enum et_dual_kind {
	ET_DUAL_CENTRAL,
	ET_DUAL_FREQUENT, /* also in the cluster, but a frequent daemon moved it */
	ET_DUAL_FAR,      /* on an arm of the L */
};

struct et_dual_point {
	double x_ns, y_ns;
	enum et_dual_kind kind;
	const char *cause; /* of a far pair: a culprit or a rule */
	char *title;       /* tooltip, owned; or NULL */
};

struct et_dual {
	const char *what;           /* the metric, such as "elapsed time" */
	const char *first, *second; /* the samples of a pair, such as "odd samples" */
	char *shape;                /* a line about the cluster's symmetry, owned; or NULL */
	struct et_dual_point *points;
	size_t n, cap;
	char **causes; /* owned, each once */
	size_t n_causes, cap_causes;
};

/* Appends a point; copies the cause (only of far pairs) and takes ownership of the title. */
void et_dual_add(struct et_dual *d, double x_ns, double y_ns, enum et_dual_kind kind,
	const char *cause, char *title);
void et_dual_free(struct et_dual *d); /* frees the contents, not d */

/* One of the successive zooms: both axes have these ends. */
struct et_dual_zoom {
	double lo, hi;
	size_t pairs; /* inside; of the last zoom: in the cluster */
	bool cluster; /* it shows the central cluster alone */
};

enum { ET_DUAL_MOST_ZOOMS = 6 };

/*
 * Finds the zooms: all pairs first; then, while pairs on the arms remain that the last axes do not
 * separate from the cluster, axes of at most a quarter of the length; and the cluster alone, unless
 * it takes most of the axes. Returns their number; 0: all points are the same.
 */
size_t et_dual_zooms(const struct et_dual *d, struct et_dual_zoom zooms[ET_DUAL_MOST_ZOOMS]);

/* Makes a chart of samples in order, marked by cause as the others: x is the number, y the time. */
void et_dual_in_order(const struct et_dual *d, const struct et_dual_point *samples, size_t n,
	int width, const struct et_chart_to *to);
void et_dual_charts(const struct et_dual *d, const struct et_chart_to *to);
/* Draws the zooms in a terminal, with a letter per cause. */
void et_dual_text(const struct et_dual *d, const struct et_page *page);
