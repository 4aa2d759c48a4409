/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds modes: Hartigan's dip test decides whether there are several, the kernel density shows
 * where they are. Data in coarse steps look multimodal to the dip test: check the quantum first
 * (stats/series/diagnosis.h).
 */
#pragma once

#include <stddef.h>

struct et_dip {
	double statistic; /* from 1/(2n) to 1/4 */
	double p;         /* of a unimodal law; by interpolation, 0 means below 1e-5 */
};

/* Hartigan & Hartigan (1985). x need not be sorted; NaN for n = 0. */
struct et_dip et_dip(const double *x, size_t n);

/* Silverman (1986), eq. 3.31, as R's bw.nrd0; NaN below 2 values. Sorted. */
double et_bw_nrd0(const double *sorted, size_t n);

enum { ET_KDE_POINTS = 512 };

/* Density over an even grid from 3 bandwidths below the smallest to 3 above the largest value. */
struct et_kde {
	double bw, lo, step;
	double density[ET_KDE_POINTS];
};

/* Of 2 values or more. bw as from et_bw_nrd0, not below half the quantum (0: continuous data). */
void et_kde(const double *sorted, size_t n, double quantum, struct et_kde *out);

struct et_mode {
	double at, density;
	double share; /* of the values, between the valleys on both sides */
};

/*
 * Modes at least `prominence` (such as 0.1; 0: every local maximum) high, from left to right.
 * Returns how many there are; at most `most` are written.
 */
size_t et_modes(const struct et_kde *kde, const double *sorted, size_t n, double prominence,
	struct et_mode *modes, size_t most);
