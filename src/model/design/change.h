/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The difference between the plan of a stored experiment and a plan file as it is now. */
#pragma once

#include "model/experiment/experiment.h"

/*
 * Compares designs by their meaning: comments and the form of the plan file do not count. Returns a
 * text with a line per difference, such as "replications: 31, now 21", or NULL if there is none.
 * The caller frees it.
 */
char *et_design_changes(const struct et_design *before, const struct et_design *now);
/* The same, and of the options that the plan sets; the seed only if has_seed. */
char *et_plan_changes(
	const struct et_experiment *before, const struct et_experiment *now, bool has_seed);
/* Whether the runs of both can be analysed together: treatments, programs and response are equal.
 */
bool et_design_same(const struct et_design *a, const struct et_design *b);
