/* SPDX-License-Identifier: MIT */
/*
 * The rate of the processor's counter and its stability: readings of the counter beside
 * CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC, and straight lines through them.
 */
#pragma once

#include "base/attr.h"
#include "clock/counter.h"
#include "clock/pulse.h"

#include <stdint.h>
#include <sys/timex.h>

/* A reading of the counter together with each of the two clocks. */
struct et_drift_reading {
	struct et_anchor raw, monotonic; /* CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC */
};

enum { ET_DRIFT_READINGS = 256 }; /* the most that et_drift_fit accepts */

/* Undefined figures are NaN; uncertainties are standard ones. */
struct et_clock_drift {
	double hz, hz_uncertainty; /* ticks per second of CLOCK_MONOTONIC_RAW */
	double hz_monotonic;       /* ticks per second of CLOCK_MONOTONIC */
	/* How much faster the counter was in the second half of the readings than in the first. */
	double raw_ppm, raw_ppm_uncertainty;
	/* How much hz_monotonic is above hz: NTP adjusts CLOCK_MONOTONIC only. */
	double monotonic_ppm, monotonic_ppm_uncertainty;
};

/*
 * Takes n readings, at least 2, evenly spread over duration_ns; fewer if the pulse ends it. Without
 * a counter it reads CLOCK_MONOTONIC_RAW instead. Returns the number of readings.
 */
size_t et_drift_read(
	uint64_t duration_ns, size_t n, const struct et_pulse *pulse, struct et_drift_reading *out);
/*
 * Returns 0, -ERANGE if the counter or a clock went backwards, or -EINVAL if n is below 6 or above
 * ET_DRIFT_READINGS.
 */
int et_drift_fit(const struct et_drift_reading *r, size_t n, struct et_clock_drift *out) ET_CHECK;

/*
 * Returns the increase of the counter during a sleep, per second of the requested duration (the
 * function mhz of Bryant & O'Hallaron). It is too high because a sleep ends late. NaN without a
 * counter or if a signal interrupted the sleep.
 */
double et_hz_by_sleep(uint64_t sleep_ns);

/* The kernel's correction of CLOCK_MONOTONIC, as adjtimex(2) reports it. */
struct et_ntp {
	int error; /* errno; 0: the other members are valid */
	double frequency_ppm;
	double offset_ns; /* that the kernel has still to correct */
	double max_error_ns, estimated_error_ns;
	bool synchronised;
	bool disciplined; /* a daemon adjusts the clock: PLL or FLL is on */
};

void et_ntp_decode(const struct timex *t, struct et_ntp *out);
void et_ntp_read(struct et_ntp *out);
