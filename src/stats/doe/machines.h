/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Designed experiments on several machines: value = treatment + machine + part of the machine +
 * machine × treatment + noise, where all but the treatment is random. Parts are sessions at
 * different times. Private to the analysis of designed experiments.
 *
 * Values are logarithms, so that a machine that is slower by a factor has the same effects; if
 * some are not above 0, values over their mean. Components of variance come from the mean squares
 * of the cells' means (the exact analysis of variance, if all cells have equally many values, and
 * else that of unweighted means with the harmonic mean of the numbers), with intervals by Ting,
 * Burdick, Graybill, Jeyaratnam & Lu (1990), which are those of Burdick & Graybill (1992),
 * table 3.3.1. If machines have several parts, that of the component between machines subtracts two
 * mean squares, by Satterthwaite's degrees of freedom of their sum.
 */
#pragma once

#include "stats/doe/data.h"
#include "stats/doe/doe.h"

/*
 * Fills out->fleet, and `over` of all effects, which are judged. Nothing is filled if fewer than
 * two machines have values of all cells.
 *
 * Whether an effect differs between machines is tested by the differences of its contrasts between
 * them, over the noise of each machine, with Box's approximation as in et_doe_effects: of machines
 * that are equally noisy this is the F test of the interaction with the machine.
 */
void et_doe_fleet_judge(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_options *o, struct et_doe_program *out);

/*
 * The interval of (a - b) / k, where a and b are mean squares with these degrees of freedom. Its
 * ends are at least 0.
 */
void et_doe_component_interval(double a, double df_a, double b, double df_b, double k, double level,
	double *lo, double *hi);
