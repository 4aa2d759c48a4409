/* SPDX-License-Identifier: MIT */
/* All measurements of `etalon clock`, taken one after the other. */
#pragma once

#include "clock/agreement.h"
#include "clock/counter.h"
#include "clock/drift.h"
#include "clock/timepiece.h"
#include "clock/timer.h"

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
	int timer_error; /* as et_timer_measure returned it; timer is valid if 0 or -EAGAIN */
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
	/*
	 * Returns CLOCK_MONOTONIC of a timer interrupt on the CPU on which it is called, by the
	 * kernel's records, or ET_UNKNOWN; or NULL if there are no records.
	 */
	uint64_t (*tick_at_ns)(int cpu, uint64_t tick_ns);
};

/*
 * Measures on a CPU. This takes about duration_ns; on a busy machine the search for undisturbed
 * timer interrupts may take 5 s more. The thread's affinity is restored. Returns 0, or -errno if
 * the thread may not run on that CPU.
 */
int et_survey_take(const struct et_survey_options *o, struct et_survey *out) ET_CHECK;

/* Returns the figures of a clock by its name, or NULL if it does not exist or cannot be read. */
const struct et_timepiece_figures *et_survey_find(const struct et_survey *s, const char *name);
/* The same for a clock that never went backwards; NULL otherwise. */
const struct et_timepiece_figures *et_survey_find_sound(
	const struct et_survey *s, const char *name);
/* Returns the smallest step in nanoseconds; ticks are converted by the counter's rate. */
double et_survey_step_ns(const struct et_survey *s, const struct et_survey_clock *c);

/* The pairs of CPUs, summed up. */
struct et_survey_offsets {
	size_t compared, silent; /* pairs that were compared; pairs without an answer */
	double worst_ns;         /* largest possible offset of any pair; NaN: unknown */
	bool backwards, moves;   /* true of at least one pair; see agreement.h */
};

struct et_survey_offsets et_survey_offsets(const struct et_survey *s);
/* Whether the timer interrupt was found, so that `timer` is valid. */
bool et_survey_has_timer(const struct et_survey *s);
/* Whether the counter can be used as a clock: fixed rate, monotonic, the same on all CPUs. */
bool et_survey_counter_sound(const struct et_survey *s);
