/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When something that was seen now and then comes back. */
#ifndef ET_PROTOCOL_PERIOD_H
#define ET_PROTOCOL_PERIOD_H

#include "model/daemon.h"

/*
 * The period in seconds of what was seen in the samples of the run whose numbers are given
 * (ascending, each once; where[i] is the start of that sample); NaN when the sequence it predicts
 * does not cover the run. The rule is in daemons.h.
 */
double et_period_find(
	const struct et_daemon_run *run, const uint32_t *numbers, const double *where, size_t n);
/* The round figure that a period stands for, or itself; `off_s` is its uncertainty. */
double et_period_round(double period_s, double off_s);

#endif
