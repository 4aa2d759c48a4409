/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Intervals that are not by-products of a test: for a spread, a median, a share. */
#pragma once

#include "stats/compare/test.h"

#include <stddef.h>

/* For the standard deviation of normal data only: it covers 20 to 70 % on heavy tails. */
struct et_interval et_sd_interval(double sd, size_t n, double level);
/* The same for a spread of which df degrees of freedom are known; they need not be whole. */
struct et_interval et_spread_interval(double spread, double df, double level);
/* Between two order statistics, exact for every continuous law; NaN when n cannot reach level. */
struct et_interval et_median_interval(const double *sorted, size_t n, double level);
/* Wilson (1927) for a share k of n: covers level on average. */
struct et_interval et_share_interval_wilson(double k, double n, double level);
