/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Finds the period of a daemon that was seen several times. */
#pragma once

#include "model/sample/daemon.h"

/*
 * Joins samples, given by their ascending places in run->listed, to visits: successive samples are
 * one. Fills `starts` (room for n) with the start of the first sample of each visit, and returns
 * the number of visits. A place may occur several times.
 */
size_t et_visits(const struct et_daemon_run *run, const size_t *places, size_t n, double *starts);
/*
 * Returns the period in seconds of n visits of a daemon, which began with the samples that started
 * at these times (ascending); NaN if it is not periodic by the rule in daemons.h.
 */
double et_period_find(const struct et_daemon_run *run, const double *starts, size_t n);
/* Rounds a period as daemons.h states it, or returns it as it is; off_s is its uncertainty. */
double et_period_round(double period_s, double off_s);
