/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How certain the figures of the versions of EMP are, and whether one is shown to be better.
 *
 * A standard deviation has a chi-square interval, in which the degrees of freedom follow from the
 * variance of s^2 (Box 1953; Cramer 1946, eq. 27.4.2): df = 2 n / (kurtosis - (n - 3) / (n - 1)),
 * which is n - 1 for normal data, and never more is taken. For the relative error sd / mean, the
 * variance of the mean and its covariance with the sd are added on the scale of logarithms.
 *
 * Two versions are compared by the mean over the lengths of log(relative error), in a permutation
 * test: if they are equally precise, it is by chance which version a run belongs to. Each time is
 * first divided by the median of its version and length, because versions may differ in speed. Runs
 * that were measured one after the other may be alike, so tenths of a version are exchanged, with
 * all lengths together. If the runs of one version are some of the other's, the question is whether
 * the check chose better than a draw of as many runs. A rare slow run is thus in either version
 * with the same probability, while a comparison of variances would see a difference wherever one
 * occurred. Versions with the same runs are not compared, nor are those with the same environment.
 */
#pragma once

#include "model/result/precision.h"

/* The degrees of freedom of an sd and of a relative error; NaN if n is less than 2. */
double et_sd_df(const struct et_precision *p);
double et_relative_error_df(const struct et_precision *p);
/*
 * Fills the intervals and the pairs of v: every two versions that take part, with Holm's correction
 * over all pairs of elapsed time, and over those of CPU time. The same runs give the same figures.
 */
void et_versions_compare(struct et_versions *v);
