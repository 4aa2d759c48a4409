/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What makes a figure doubtful, each in a sentence that says what to do about it. */
#ifndef ET_STATS_DOUBTS_H
#define ET_STATS_DOUBTS_H

#include "model/estimate.h"
#include "model/experiment.h"

/* About a series of nanoseconds in order of execution: see stats/diagnosis.h. */
void et_doubt_series(const double *x, size_t n, struct et_warnings *out);
/* About a command: why its elapsed time is not its process time, marks on its samples. */
void et_doubt_command(const struct et_experiment *e, enum et_protocol protocol,
	const struct et_command *c, struct et_warnings *out);
/* The share of a command's elapsed time in which it slept or waited for something. */
double et_idle_share(const struct et_command *c);
/* About the machine. */
void et_doubt_host(const struct et_experiment *e, struct et_warnings *out);

#endif
