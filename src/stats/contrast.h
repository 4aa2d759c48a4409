/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Two commands of an experiment compared. Runs taken as duets or in blocks are compared as pairs:
 * what slowed the machine during a pair slowed both, so the ratio within it stands. Runs taken one
 * command after the other are two independent series.
 */
#ifndef ET_STATS_CONTRAST_H
#define ET_STATS_CONTRAST_H

#include "model/estimate.h"
#include "model/experiment.h"

/* Compares command b with command a; the family-wise adjustment comes later. */
void et_contrast_make(const struct et_experiment *e, uint32_t a, uint32_t b, enum et_metric metric,
	double level, struct et_contrast *out);
/* Holm over the family, then a conclusion for each. */
void et_contrasts_conclude(struct et_contrast *c, size_t n, double alpha);
/* Is any slower than the reference, significantly so, and by more than that proportion? */
bool et_contrasts_regressed(
	const struct et_contrast *c, size_t n, uint32_t reference, double proportion);

#endif
