/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether the function that is the response of a plan was seen in the runs so far. */
#pragma once

#include "model/experiment/experiment.h"
#include "plan/plan.h"

/* Returns the function whose CPU time is the response, or NULL: it is something else. */
const char *et_doe_function(const struct et_experiment *e);
/*
 * Fails if no run was seen in the function, and names its place in the plan and those that were
 * seen. `none` begins the sentence: "no run".
 */
int et_doe_check_function(const struct et_plan_file *plan, const struct et_experiment *e,
	const char *none, struct et_error *err) ET_CHECK;
/* The same as a warning: a function that takes little time may be seen later. */
void et_doe_warn_function(
	const struct et_plan_file *plan, const struct et_experiment *e, const char *none);
