/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The times of a run before and after the two sanity checks of EMP (Tables VII, XVIII, XIX). */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/precision.h"

/* By one time, elapsed or CPU. Times are in milliseconds. */
struct et_checked {
	char *name; /* of the run; owned */
	enum et_metric metric;
	size_t samples;
	size_t by_daemons, by_value;     /* removed by the first check, by the second */
	enum et_first_check_state first; /* whether the first check was done */
	struct et_precision before, after;
};
