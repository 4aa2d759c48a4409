/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the period of a daemon that was seen several times. */
#ifndef ET_PROTOCOL_PERIOD_H
#define ET_PROTOCOL_PERIOD_H

#include "model/daemon.h"

/*
 * Returns the period in seconds of a daemon that was seen in the samples with these numbers
 * (ascending, each once; where[i] is the start of that sample); NaN if it is not periodic by the
 * rule in daemons.h.
 */
double et_period_find(
	const struct et_daemon_run *run, const uint32_t *numbers, const double *where, size_t n);
/* Rounds a period as daemons.h states it, or returns it as it is; off_s is its uncertainty. */
double et_period_round(double period_s, double off_s);

#endif
