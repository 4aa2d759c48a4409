/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes intervals of replicates. Private to the bootstrap. */
#pragma once

#include "stats/series/bootstrap.h"

/* An estimate without intervals. */
struct et_boot et_boot_undefined(double estimate);
/*
 * Fills *out, whose estimate is set. theta and t (may be NULL) hold one number per replicate; they
 * are reordered. error is the standard error of the estimate, for bootstrap-t.
 */
void et_boot_intervals(const struct et_boot_options *options, double *theta, double *t,
	double error, double acceleration, struct et_boot *out);
