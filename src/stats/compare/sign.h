/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign test of paired differences, which assumes only independence. */
#pragma once

#include "stats/compare/test.h"

#include <stddef.h>

/*
 * Are positive and negative differences equally likely? Exact binomial, zeros left out (Dixon &
 * Mood 1946). statistic: how many are positive; df: how many are not 0; estimate: the median of
 * all differences with its order-statistic interval.
 */
struct et_interval_test et_sign_test(const double *d, size_t n, double level);
