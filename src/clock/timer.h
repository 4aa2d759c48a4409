/* SPDX-License-Identifier: MIT */
/*
 * The interval and the cost of the timer interrupt, from the gaps of a spinning thread
 * (clock/activity.h). The kernel's timer has a fixed interval, so the interrupts are the gaps that
 * begin at one phase of it. The phase follows from the kernel's records of an interrupt if the
 * caller has them; otherwise from the gaps across which the kernel's coarse clock advanced, which
 * happens in the timer interrupt; otherwise from the regularity of the gaps (clock/ticks.h). Then
 * several phases may be possible, because a hypervisor's timer is regular, too.
 */
#pragma once

#include "clock/ticks.h"

/*
 * --- series of times ---
 *
 * Their quartiles with the interval of the median by order statistics, and the place within a fixed
 * interval at which most of their events occur.
 */

/* Unknown values are NaN. */
struct et_clock_spread {
	size_t n;
	double min, q1, median, q3;
	double lo, hi; /* the median's 95 % interval; NaN if n is less than 6 */
};

/* Sorts x. */
struct et_clock_spread et_spread_of(double *x, size_t n);
/*
 * Returns the largest r for which the interval from the r-th smallest to the r-th largest of n
 * values contains the median with a probability of at least 95 %; 0 if there is none.
 */
size_t et_median_rank(size_t n);

struct et_phase {
	double at;   /* from 0 to the interval */
	size_t seen; /* events within half a width of it */
};

/*
 * Finds the window of this width that contains most of the n events, whose times are reduced modulo
 * the interval in place. Returns its median, with `seen` 0 if n is 0.
 */
struct et_phase et_phase_find(double *times, size_t n, double interval, double width);
/* Whether a time is within half a width of a phase. */
bool et_phase_has(double at, double time, double interval, double width);

/* --- the timer --- */

/* A callback that a long measurement calls now and then. It can stop the measurement. */
struct et_pulse {
	bool (*beat)(void *ctx); /* returns false to stop the measurement */
	void *ctx;
};

/* Returns whether to continue; always true if p is NULL. */
static inline bool et_pulse_beat(const struct et_pulse *p)
{
	return !p || !p->beat || p->beat(p->ctx);
}

enum et_timer_source {
	ET_TIMER_UNKNOWN,
	ET_TIMER_RECORDS,    /* the kernel's records of timer interrupts */
	ET_TIMER_COARSE,     /* advances of the coarse clock */
	ET_TIMER_REGULARITY, /* regular gaps, which may be another timer's */
};

/* Names in JSON: NULL, "records", "coarse-clock", "regularity". */
extern const char *const et_timer_source_names[];

struct et_timer {
	double tick_ns;    /* interval of the timer interrupt */
	double found_ns;   /* interval that was found by regularity alone; 0: none */
	double cost_ns;    /* shortest gap that is a timer interrupt; 0: unknown */
	size_t interrupts; /* timer interrupts that no preemption made longer */
	enum et_timer_source source;
	struct et_clock_spread cost; /* of those interrupts, in ns; NaN with several candidates */
	size_t candidates;           /* phases at which the interrupts may be; 0: unknown */
	/* The doubt: from the smallest first quartile of all candidates to the largest third. */
	double doubt_lo_ns, doubt_hi_ns;
};

enum { ET_TIMER_INTERRUPTS = 100 }; /* fewer are not enough to find the smallest cost */

/* The gaps of a spinning thread and what else is known about their times. */
struct et_timer_series {
	const struct et_gap *gaps;
	size_t n;
	double hz;                 /* of the readings, by CLOCK_MONOTONIC */
	uint64_t kernel_ns;        /* interval that the kernel reports; 0: unknown */
	double tick_reading;       /* a reading at which a tick began, by records; NaN: unknown */
	const uint64_t *coarse_ns; /* the coarse clock at the end of each gap; or NULL */
};

/*
 * Finds the timer interrupts among the gaps and sets ticks[i] to whether gap i is one (of the first
 * candidate). The interval is found by regularity alone first. If that finds nothing, or another
 * interval (several ticks on a shared CPU, or the timer of a hypervisor), it is the kernel's.
 * Returns 0; -ENOENT with only found_ns filled if there are none; -ENOMEM.
 */
int et_timer_find(const struct et_timer_series *s, bool *ticks, struct et_timer *out) ET_CHECK;

/*
 * How long code runs undisturbed under the present load, from the gaps of a spinning thread: for
 * runs of many lengths, the proportion of its own time that such a run loses to gaps if it begins
 * at a random moment. The fastest of several runs is a good estimate only up to the length of which
 * enough runs lose nothing.
 */
/* A gap: after how much running time it occurred, and how long it took. */
struct et_lost {
	double after_ns, ns;
};

enum { ET_STRETCH_ROWS = 64 };

/* Losses are proportions of the length. */
struct et_stretch_row {
	double length_ns;
	double fits; /* proportion of the runs that lose at most ET_STRETCH_LOSS */
	double best; /* the loss that a fifth of the runs does not exceed */
	double mean; /* the mean loss */
};

#define ET_STRETCH_LOSS 0.01

struct et_stretches {
	double ran_ns, lost_ns;       /* while the thread spun: with the CPU, and without it */
	double cpu_ns;                /* CPU time of the thread by the kernel; NaN: not known */
	size_t preempted;             /* gaps that are longer than an interrupt */
	struct et_clock_spread slice; /* running time from one of these to the next, in ns */
	/* Ascending by length, from 1 µs to a quarter of ran_ns at most. */
	struct et_stretch_row rows[ET_STRETCH_ROWS];
	size_t n_rows;
};

/* Fills rows, `preempted` and `slice` from n gaps, in order, within ran_ns. 0 or -ENOMEM. */
int et_stretches_of(const struct et_lost *gaps, size_t n, double ran_ns, double cpu_ns,
	struct et_stretches *out) ET_CHECK;

struct et_timer_options {
	uint64_t limit_ns;
	const struct et_pulse *pulse;   /* or NULL */
	uint64_t tick_at_ns;            /* CLOCK_MONOTONIC of a tick by records; or ET_UNKNOWN */
	struct et_stretches *stretches; /* filled from the same gaps; or NULL */
};

/*
 * Spins on the present CPU until `interrupts` reaches ET_TIMER_INTERRUPTS, limit_ns have passed or
 * the pulse ends it; restores the thread's affinity. Reads the counter c if it is calibrated and
 * invariant, else CLOCK_MONOTONIC. Returns 0; -EAGAIN with *out filled if there were fewer
 * interrupts (the machine is busy, or the CPU has no tick); -ENOENT with only found_ns filled if
 * there were none; -ENOMEM. The stretches are filled in all cases but the last, maybe without rows.
 */
int et_timer_spin(const struct et_counter *c, const struct et_timer_options *o,
	struct et_timer *out) ET_CHECK;
