/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same runs timed in five ways, as in Table XXV and Figure 18 of the EMP paper. Only solo runs
 * count, without warm-up, failed and stopped runs.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/precision.h"

/* inside may be NULL: then the rows of readings inside the program are empty. */
void et_clock_methods_judge(
	const struct et_command *c, const struct et_inside *inside, struct et_clock_methods *out);
void et_clock_methods_free(struct et_clock_methods *m); /* what it owns */
