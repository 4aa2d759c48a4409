/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The dual-execution scatter plot (EMP): each pair of successive samples is a point, the first
 * one's time to the right, the second's upward. A disturbance that is seldom and long hits one of
 * the two: an L about the central cluster.
 */
#ifndef ET_REPORT_DUAL_H
#define ET_REPORT_DUAL_H

#include "base/attr.h"

#include <stdbool.h>

struct et_dual_point {
	double x_ns, y_ns;
	const char
		*cause; /* who is to blame for a pair outside of the cluster; NULL: it is inside */
	char *title;    /* owned; or NULL */
};

struct et_dual {
	const char *what; /* "CPU time" */
	struct et_dual_point *points;
	size_t n, cap;
};

/* Takes the title over. */
void et_dual_add(struct et_dual *d, double x_ns, double y_ns, const char *cause, char *title);
void et_dual_free(struct et_dual *d); /* what it owns */

enum et_dual_zoom {
	ET_DUAL_WHOLE,
	ET_DUAL_FOOT, /* where the arms begin: five times the cluster's extent */
	ET_DUAL_CLUSTER,
	ET_DUAL_ZOOMS,
};

extern const char *const et_dual_zoom_names[];

/* The ends of both axes; false where this zoom would show nothing, or nothing new. */
bool et_dual_frame(const struct et_dual *d, enum et_dual_zoom zoom, double *lo, double *hi);
/* Every zoom there is as a picture of a page. */
void et_dual_pictures(const struct et_dual *d, FILE *out);

#endif
