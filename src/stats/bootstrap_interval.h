/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From replicates to intervals; inside the bootstrap only. */
#ifndef ET_STATS_BOOTSTRAP_INTERVAL_H
#define ET_STATS_BOOTSTRAP_INTERVAL_H

#include "stats/bootstrap.h"

/* Everything unknown but the estimate. */
struct et_boot et_boot_undefined(double estimate);
/*
 * Fills *out, whose estimate is set. theta and t (may be NULL) hold a number a replicate and are
 * put out of order; error is the estimate's standard error, for bootstrap-t.
 */
void et_boot_intervals(const struct et_boot_options *options, double *theta, double *t,
	double error, double acceleration, struct et_boot *out);

#endif
