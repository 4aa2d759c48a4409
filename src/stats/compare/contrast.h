/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two commands of an experiment. Runs measured in duets or blocks are compared as pairs: a
 * slow machine affects both runs of a pair, so their ratio is not affected. Runs measured one
 * command after the other are two independent series.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/estimate.h"

/* Compares command b with command a; the family-wise adjustment comes later. */
void et_contrast_make(const struct et_experiment *e, uint32_t a, uint32_t b, enum et_metric metric,
	double level, struct et_contrast *out);
/*
 * Applies Holm's correction to the family, then draws a conclusion for each. Afterwards the
 * intervals agree with the conclusions: "no difference" contains 1, a difference has 1 at most as
 * its nearer end, and what differs before the correction only excludes 1.
 */
void et_contrasts_conclude(struct et_contrast *c, size_t n, double alpha);
