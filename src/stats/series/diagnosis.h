/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Diagnoses a series for the warnings about its figures: normal or skewed, drifting, dependent, of
 * several modes, in coarse steps, with outliers.
 */
#pragma once

#include "model/result/series.h"
#include "model/result/warning.h"
#include "stats/series/modes.h"
#include "stats/series/normality.h"
#include "stats/series/serial.h"
#include "stats/series/shape.h"

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
