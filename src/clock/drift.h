/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How fast the processor's counter goes, by which clock, and how steadily: readings of the counter
 * beside CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC, and straight lines through them.
 */
#ifndef ET_CLOCK_DRIFT_H
#define ET_CLOCK_DRIFT_H

#include "base/attr.h"
#include "clock/anchor.h"
#include "clock/pulse.h"

#include <stdint.h>
#include <sys/timex.h>

/* The counter beside each of the two clocks. */
struct et_drift_reading {
	struct et_anchor raw, monotonic; /* CLOCK_MONOTONIC_RAW, CLOCK_MONOTONIC */
};

enum { ET_DRIFT_READINGS = 256 }; /* the most that et_drift_fit takes */

/* Undefined figures are NaN; uncertainties are standard ones. */
struct et_drift {
	double hz, hz_uncertainty; /* counts a second of CLOCK_MONOTONIC_RAW */
	double hz_monotonic, hz_monotonic_uncertainty;
	/* How much faster the counter was in the second half, by CLOCK_MONOTONIC_RAW. */
	double raw_ppm, raw_ppm_uncertainty;
	/* How much faster it goes by CLOCK_MONOTONIC than by CLOCK_MONOTONIC_RAW: NTP's doing. */
	double monotonic_ppm, monotonic_ppm_uncertainty;
};

/*
 * Reads n times, evenly over duration_ns; fewer when the pulse says so. Where there is no counter
 * CLOCK_MONOTONIC_RAW stands in for it. Returns how many were read.
 */
size_t et_drift_read(
	uint64_t duration_ns, size_t n, const struct et_pulse *pulse, struct et_drift_reading *out);
/* 0, or -ERANGE when the counter or a clock went backwards, -EINVAL with fewer than 6 readings. */
int et_drift_fit(const struct et_drift_reading *r, size_t n, struct et_drift *out) ET_CHECK;

/*
 * The chapter's mhz (Bryant & O'Hallaron): the counter's increase over a sleep, divided by what was
 * asked for. Its error is how much later than asked the sleep ends. NaN without a counter.
 */
double et_hz_by_sleep(uint64_t sleep_ns);

/* What the kernel says about its correction of CLOCK_MONOTONIC. */
struct et_ntp {
	int error; /* errno; 0: the rest is filled */
	double frequency_ppm;
	double offset_ns; /* still to be worked off */
	double max_error_ns, estimated_error_ns;
	bool synchronised;
	bool disciplined; /* a daemon steers it: PLL or FLL on */
};

void et_ntp_decode(const struct timex *t, struct et_ntp *out);
void et_ntp_read(struct et_ntp *out);

#endif
