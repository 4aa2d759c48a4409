/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A command against the reference. Runs taken as duets or in blocks are compared as pairs: what
 * slowed the machine during a pair slowed both, so the ratio within it stands.
 */
#ifndef ET_STATS_CONTRAST_H
#define ET_STATS_CONTRAST_H

#include "model/estimate.h"
#include "model/experiment.h"

/* Compares command b with the reference; the family-wise adjustment comes later. */
void et_contrast_make(const struct et_experiment *e, uint32_t b, struct et_contrast *out);
/* Decides and words the verdict once p_holm is known. */
void et_contrast_conclude(struct et_contrast *c);

#endif
