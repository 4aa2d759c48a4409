/* SPDX-License-Identifier: MIT */
/* All measurements of `etalon clock`, taken one after the other. */
#pragma once

#include "clock/timepiece.h"
#include "clock/timer.h"

#include <sys/timex.h>

/*
 * --- the rate of the processor's counter and its stability ---
 *
 * Readings of the counter beside CLOCK_MONOTONIC_RAW and CLOCK_MONOTONIC, and straight lines
 * through them.
 */

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
/* Returns 0; -ERANGE if a clock went backwards; -EINVAL if n is not 6 to ET_DRIFT_READINGS. */
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

/*
 * --- the counters of two CPUs ---
 *
 * Compares the counters of two CPUs, called near and far. In each round a message goes from the
 * near CPU to the far one and back. The near counter is read before and after, and the far counter
 * when the message arrives, so the two near readings bound the offset of the far counter. All
 * rounds together bound it more tightly (Cristian 1989).
 */

struct et_agreement {
	int near, far;      /* the CPUs */
	uint32_t rounds;    /* rounds done; 0: no answer within the time limit */
	int64_t lo, hi;     /* bounds for the ticks by which the far counter is ahead */
	uint32_t backwards; /* rounds in which a message seemed to arrive before it was sent */
};

void et_agreement_init(struct et_agreement *a, int near, int far);
/* Adds a round: the near counter before and after the message, and the far counter. */
void et_agreement_add(struct et_agreement *a, uint64_t before, uint64_t far, uint64_t after);
/* Whether the offset changes: no constant one fits all rounds. */
bool et_agreement_moves(const struct et_agreement *a);

/*
 * Exchanges messages between two threads until `rounds` are done or limit_ns has passed. Returns 0
 * or -errno: -EINVAL if this process may not use a CPU, -EOPNOTSUPP without a counter.
 */
int et_agreement_measure(
	int near, int far, uint32_t rounds, uint64_t limit_ns, struct et_agreement *out) ET_CHECK;

/* --- all measurements --- */

enum { ET_SURVEY_CLOCKS = 24, ET_SURVEY_PAIRS = 256 };

/* A row of et_timepieces and what was measured of it. */
struct et_survey_clock {
	const struct et_timepiece *is;
	struct et_timepiece_figures figures;
};

struct et_survey {
	int cpu;                   /* on which it was measured */
	size_t cpus;               /* CPUs that this process may use */
	uint64_t duration_ns;      /* as requested */
	struct et_counter counter; /* with the hz of drift; name is NULL if it may not be read */
	int counter_error;         /* errno if it may not be read; 0 if it may, or there is none */
	struct et_survey_clock clocks[ET_SURVEY_CLOCKS];
	size_t n_clocks;
	double hz_by_sleep; /* by et_hz_by_sleep; NaN: unknown */
	uint64_t sleep_ns;  /* duration of that sleep */
	size_t n_readings;  /* from which drift was computed */
	int drift_error;    /* 0: drift is valid; else -errno */
	struct et_clock_drift drift;
	struct et_ntp ntp;
	int timer_error; /* as et_timer_spin returned it; timer is valid if 0 or -EAGAIN */
	struct et_timer timer;
	struct et_stretches stretches; /* of the same spinning; n_rows is 0: not measured */
	struct et_agreement pairs[ET_SURVEY_PAIRS]; /* cpu with each of the others */
	size_t n_pairs;
	int pairs_error; /* -errno of the last pair that could not be measured; 0: none */
	bool cut_short;  /* the pulse ended it: later results are missing */
	/* Steps done and steps in all, for a progress display. */
	size_t done, total;
};

struct et_survey_options {
	int cpu; /* -1: the present one */
	uint64_t duration_ns;
	const struct et_pulse *pulse; /* or NULL */
	/* CLOCK_MONOTONIC of a tick on this CPU by records, or ET_UNKNOWN; NULL: no records. */
	uint64_t (*tick_at_ns)(int cpu, uint64_t tick_ns);
};

/*
 * Measures on a CPU, for about duration_ns, or 5 s more if timer interrupts are disturbed. Restores
 * the thread's affinity. Returns 0, or -errno if the thread may not run on that CPU.
 */
int et_survey_take(const struct et_survey_options *o, struct et_survey *out) ET_CHECK;

/* Returns the figures of a clock; NULL if it is missing, unreadable or ever went backwards. */
const struct et_timepiece_figures *et_survey_find_sound(
	const struct et_survey *s, const char *name);
/* Returns the smallest step in nanoseconds; ticks are converted by the counter's rate. */
double et_survey_step_ns(const struct et_survey *s, const struct et_survey_clock *c);

/* The pairs of CPUs, summed up. */
struct et_survey_offsets {
	size_t compared, silent; /* pairs that were compared; pairs without an answer */
	double worst_ns;         /* largest possible offset of any pair; NaN: unknown */
	bool backwards, moves;   /* true of at least one pair; see struct et_agreement */
};

struct et_survey_offsets et_survey_offsets(const struct et_survey *s);
/* Whether the timer interrupt was found, so that `timer` is valid. */
bool et_survey_has_timer(const struct et_survey *s);
/* Whether the counter can be used as a clock: fixed rate, monotonic, the same on all CPUs. */
bool et_survey_counter_sound(const struct et_survey *s);
