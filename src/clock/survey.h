/* SPDX-License-Identifier: GPL-3.0-or-later */
/* All that `etalon clock` finds out about one machine, in one go. */
#ifndef ET_CLOCK_SURVEY_H
#define ET_CLOCK_SURVEY_H

#include "clock/agreement.h"
#include "clock/counter.h"
#include "clock/drift.h"
#include "clock/timepiece.h"
#include "clock/timer.h"

enum { ET_SURVEY_CLOCKS = 24, ET_SURVEY_PAIRS = 256 };

struct et_survey_clock {
	const struct et_timepiece *is;
	struct et_timepiece_figures figures;
};

struct et_survey {
	int cpu;                   /* where it was done */
	size_t cpus;               /* that this process may use */
	uint64_t duration_ns;      /* as asked for */
	struct et_counter counter; /* hz by the line below */
	int counter_error;         /* errno: it may not be read; 0: it may, or there is none */
	struct et_survey_clock clocks[ET_SURVEY_CLOCKS];
	size_t n_clocks;
	double hz_by_sleep; /* NaN: not known */
	uint64_t sleep_ns;
	size_t n_readings; /* behind drift */
	int drift_error;   /* 0: drift is filled; else -errno */
	struct et_drift drift;
	struct et_ntp ntp;
	int timer_error; /* 0, -EAGAIN: fewer than ET_TIMER_INTERRUPTS; else there is no timer */
	struct et_timer timer;
	struct et_agreement pairs[ET_SURVEY_PAIRS]; /* of the CPU with each other one */
	size_t n_pairs;
	int pairs_error; /* of the last pair that could not play */
	bool cut_short;  /* the pulse said so: what comes behind is not there */
	/* How far it is, for whoever draws it. */
	size_t done, total;
};

/*
 * On the given CPU, or wherever it is when cpu is -1; takes duration_ns and a little more,
 * on a busy machine up to 5 s more until enough timer interrupts were met alone. The
 * thread keeps its affinity afterwards. 0, or -errno when it may not run on that CPU.
 */
int et_survey_take(int cpu, uint64_t duration_ns, const struct et_pulse *pulse,
	struct et_survey *out) ET_CHECK;

/* The figures of a clock by its name; NULL when it is not there or cannot be read. */
const struct et_timepiece_figures *et_survey_find(const struct et_survey *s, const char *name);
/* Smallest step in nanoseconds; counts are turned into time by the counter's rate. */
double et_survey_step_ns(const struct et_survey *s, const struct et_survey_clock *c);

struct et_survey_offsets {
	size_t compared, silent; /* pairs that played, that never met */
	double worst_ns;         /* the furthest an offset may be from 0; NaN: not known */
	bool backwards, moves;
};

struct et_survey_offsets et_survey_offsets(const struct et_survey *s);
/* The counter tells time: fixed rate, forwards, and on all CPUs the same. */
bool et_survey_counter_sound(const struct et_survey *s);

#endif
