/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the two halves of treatment.h: levels, and what is made of them. */
#pragma once

#include "measure/treat/treatment.h"

/*
 * Reads one level into the members that its kind sets; kinds that other parts set are ignored. The
 * variables are not among them. 0, or -errno with err filled.
 */
int et_treatment_read_level(const char *root, const struct et_design_factor *f, const char *text,
	struct et_child_treatment *t, struct et_error *err) ET_CHECK;

/*
 * The variable whose value the factor sets, of environment and environment-size; the latter has one
 * of ours if the plan names none.
 */
const char *et_treatment_variable(const struct et_design_factor *f);
