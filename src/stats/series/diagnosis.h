/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Diagnoses a series: normal or skewed, drifting, dependent, modes, coarse steps, outliers. */
#pragma once

#include "model/result/series.h"
#include "model/result/warning.h"
#include "stats/series/serial.h"

/* The data's shape: rounded, skewed, with outliers, slow at the start (cold), or drifting. */

struct et_discreteness {
	double quantum; /* all values lie whole multiples of it apart; 0 when there is none that
			   matters */
	size_t distinct;
	bool coarse; /* the step is so large that dip and density see it, not the data */
};

struct et_discreteness et_discreteness(const double *sorted, size_t n);

struct et_asymmetry {
	double skewness; /* m3 / m2^(3/2) */
	double z, p;     /* D'Agostino (1970), of a symmetric normal law; NaN below 8 values */
};

struct et_asymmetry et_asymmetry(const double *x, size_t n);

/* Beyond Tukey's (1977) fences. */
struct et_outliers {
	size_t mild;     /* more than 1.5 interquartile ranges outside the quartiles; with severe */
	size_t severe;   /* more than 3 */
	size_t solitary; /* severe, and apart from the rest by more than all the rest spans */
};

struct et_outliers et_outliers(const double *sorted, size_t n);

/* The bound of a modified z-score: Iglewicz & Hoaglin (1993). */
#define ET_COLD_Z 3.5

struct et_drift {
	double first_z;  /* how far the first value lies off, in robust standard deviations */
	bool cold_start; /* the first value is far above the others: caches were cold */
	double shift;    /* second half against the first, Hodges-Lehmann, over the median */
	double p;        /* of no shift (Wilcoxon-Mann-Whitney) */
};

struct et_drift et_drift(const double *x, size_t n);

/*
 * Finds modes: Hartigan's dip test decides whether there are several, the kernel density shows
 * where they are. Data in coarse steps look multimodal to the dip test: check the quantum first.
 */

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

/* Modes `prominence` high (0: all), from left to right. Returns how many; writes `most` at most. */
size_t et_modes(const struct et_kde *kde, const double *sorted, size_t n, double prominence,
	struct et_mode *modes, size_t most);

/* --- all of them --- */

enum {
	ET_DIAGNOSIS_MODES = 8,
	ET_SERIAL_TESTABLE =
		20, /* with fewer values the tests of drift and dependence are too weak */
};

struct et_diagnosis {
	size_t n;
	bool constant;
	struct et_normality normality;
	struct et_mean_interval interval; /* at 95 %: how far it had to be widened */
	double r1;                        /* lag-1 autocorrelation */
	struct et_trend trend;
	struct et_drift drift;
	struct et_discreteness steps;
	struct et_asymmetry skew;
	struct et_outliers outliers;
	struct et_dip dip;
	double bandwidth;
	struct et_mode modes[ET_DIAGNOSIS_MODES]; /* of at least a tenth of the highest */
	size_t n_modes;
};

/* x is in order of execution; sorted holds the same values in ascending order. */
void et_diagnose(const double *x, const double *sorted, size_t n, struct et_diagnosis *out);

/* The use of a series decides which findings matter. */
enum et_diagnosis_use {
	ET_USE_COMPARISON,   /* needs no normal data: only dependence and modes matter */
	ET_USE_MEAN,         /* a mean with its interval: skewness matters, too */
	ET_USE_STOPPED_MEAN, /* the same; --until chose the number of values by looking at them */
	ET_USE_DESCRIPTION,  /* everything matters */
};

void et_diagnosis_warn(const struct et_diagnosis *d, enum et_unit unit, enum et_diagnosis_use use,
	struct et_warnings *out);
