/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often a simulation is repeated: a quarter of the times, or all of them if ETALON_SIMULATE is
 * set, as `make check-all` does. A check allows for the Monte-Carlo error of the number that it
 * got.
 */
#pragma once

#include <math.h>
#include <stdlib.h>

static inline int repetitions(int all)
{
	return getenv("ETALON_SIMULATE") ? all : all / 4;
}

/* How much wider the bounds of a share p are than with all repetitions: two standard deviations. */
static inline double slack(double p, int all)
{
	return 2 * sqrt(p * (1 - p)) * (1 / sqrt(repetitions(all)) - 1 / sqrt(all));
}
