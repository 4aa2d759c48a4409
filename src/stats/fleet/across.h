/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two series of different experiments. They were measured at different times, and a change
 * of the machine between them looks like a difference of the programs. The probe, a fixed loop that
 * is timed around each run, shows how fast the machine was. It enters as a control variate: the
 * difference of the mean logarithms of the times is corrected by beta times that of the probe.
 *
 * beta is fitted within the two series, if it is significant there. Noise of single readings makes
 * the fitted beta too small for the means of many, and a program that computes has a beta of 1. So
 * the true one may be as far from the fitted one as 1 is, which adds (1 - beta)^2 / 2 times the
 * squared difference of the probe to the variance: a U-shaped distribution, whose ends are likely
 * (JCGM 101, 6.4.6). Where the machine was steady in either experiment, but not equally fast,
 * nothing can be fitted: then beta is 1/2 and may be as far off as 0 and 1, a variance of 1/8.
 */
#pragma once

#include "model/result/estimate.h"
#include "model/result/series.h"

/* One series with the reading of the probe at each value. */
struct et_probed {
	double *log_value, *log_probe; /* owned */
	size_t n;
};

/* The samples of a series of an experiment that have a reading. */
void et_probed_take(const struct et_series *s, struct et_probed *out);
void et_probed_free(struct et_probed *p); /* what it owns */
/* Whether there are enough readings to know how fast the machine was. */
bool et_probed_suffices(const struct et_probed *p);

/*
 * Replaces the test and the interval in `out`, which et_judge_apart has filled, if the probe shows
 * a different machine or explains part of the times; the level is that of `out`. Returns by how
 * much longer the probe took in b than in a, as a proportion; 0 if no difference is shown.
 */
double et_judge_across(
	const struct et_probed *a, const struct et_probed *b, struct et_contrast *out);
