/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Combines several components of uncertainty as the GUM (JCGM 100:2008) does: `compare` the means
 * of two dependent series. The uncertainty of a profile will have several components, too.
 */
#pragma once

#include <stddef.h>

struct et_component {
	double u;  /* standard uncertainty */
	double c;  /* sensitivity: change of the result per unit */
	double df; /* INFINITY where it is taken as known */
};

struct et_combined {
	double u;        /* combined standard uncertainty */
	double df;       /* effective */
	double k;        /* coverage factor at the requested level */
	double expanded; /* k u */
};

/* GUM eq. 10 for independent components, Welch-Satterthwaite (eq. G.2b) for the freedom. */
struct et_combined et_combine(const struct et_component *parts, size_t n, double level);

/* The standard uncertainty of a display or clock with this step (GUM F.2.2.1). */
double et_resolution_uncertainty(double step);
