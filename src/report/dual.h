/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual-execution scatter plot of EMP: each pair of successive samples is a point with the time
 * of the first as x and that of the second as y. An infrequent, long disturbance affects only one
 * of the two, so such points form an L around the central cluster.
 */
#ifndef ET_REPORT_DUAL_H
#define ET_REPORT_DUAL_H

#include "base/attr.h"

#include <stdbool.h>

struct et_dual_point {
	double x_ns, y_ns;
	const char *cause; /* a culprit or a rule; NULL: the pair is in the central cluster */
	char *title;       /* tooltip, owned; or NULL */
};

struct et_dual {
	const char *what; /* the metric, such as "CPU time" */
	struct et_dual_point *points;
	size_t n, cap;
	char **causes; /* owned, each once */
	size_t n_causes, cap_causes;
};

/* Appends a point; copies the cause and takes ownership of the title. */
void et_dual_add(struct et_dual *d, double x_ns, double y_ns, const char *cause, char *title);
void et_dual_free(struct et_dual *d); /* frees the contents, not d */

enum et_dual_zoom {
	ET_DUAL_WHOLE,
	ET_DUAL_FOOT, /* five times the cluster's extent, where the arms of the L begin */
	ET_DUAL_CLUSTER,
	ET_DUAL_ZOOMS,
};

extern const char *const et_dual_zoom_names[];

/* Sets the ends of both axes; false if this zoom would show nothing, or nothing new. */
bool et_dual_frame(const struct et_dual *d, enum et_dual_zoom zoom, double *lo, double *hi);
/* Writes a chart of a page for each zoom that shows something new. */
void et_dual_pictures(const struct et_dual *d, FILE *out);

#endif
