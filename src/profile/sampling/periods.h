/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sampling periods of a run. A fixed period, prime or not, meets a periodic program always at
 * the same places. So a run has several events, whose periods are drawn anew for each run in such a
 * way that the sum of their rates is the rate that was asked for.
 */
#pragma once

#include "base/attr.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ET_MOST_EVENTS = 8 };

struct et_periods {
	size_t n;
	uint64_t period[ET_MOST_EVENTS]; /* in the unit of the event: ns or cycles */
	/* The part of each period that has passed when the program starts, below 1. */
	double passed[ET_MOST_EVENTS];
};

/*
 * Draws the periods of n events; the same numbers give the same periods. The mean distance between
 * samples is mean. If `fixed`, n is 1 and the period is the mean; the passed part is random.
 */
void et_periods_draw(
	uint64_t seed, uint64_t run, double mean, size_t n, bool fixed, struct et_periods *out);
/*
 * Returns how many events to use for samples this far apart. Before each run a part of every period
 * must pass, which takes as much CPU time as the longest: n times this distance and more. So there
 * are fewer if samples are rare.
 */
size_t et_periods_events(double mean_ns);
/* Returns the mean distance of the samples of all events. */
double et_periods_mean(const struct et_periods *p);

/* Returns how many samples an event should have taken that counted this much. */
uint64_t et_periods_due(uint64_t counted, uint64_t period);
/* Returns how many samples neither were taken nor lost: the timer came too late for them. */
uint64_t et_periods_overruns(uint64_t due, uint64_t taken, uint64_t lost);
