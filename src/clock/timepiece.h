/* SPDX-License-Identifier: MIT */
/* The clocks that a program can read (timepieces), and the smallest step and cost of each. */
#pragma once

#include "base/clock.h"

/* A clock counts one of these, by its definition. */
enum et_clock_kind {
	ET_CLOCK_COUNTER, /* the processor's counter: readings are ticks, not ns */
	ET_CLOCK_TIME,
	ET_CLOCK_CPU, /* CPU time: does not advance while others run */
};

/* How a clock advances, decided by its steps. */
enum et_clock_basis {
	ET_BASIS_UNDECIDED,
	ET_BASIS_CYCLES, /* all the time: it is derived from a counter */
	ET_BASIS_TICKS,  /* by whole intervals of the timer interrupt: interval counting */
};

/* NULL, "cycles", "ticks": names in JSON, which must not change. */
extern const char *const et_clock_basis_names[];
/*
 * The kind in JSON, whose names must not change: "ticks" if it advances by ticks, otherwise
 * "cycles", "time" or "cpu" by what it counts; NULL if its basis is undecided.
 */
const char *et_clock_kind_name(enum et_clock_kind kind, enum et_clock_basis basis);

struct et_timepiece {
	const char *name;
	enum et_clock_kind kind;
	const char *counts; /* what it counts, in at most 17 columns */
	clockid_t id;       /* for clock_getres, or ET_NO_CLOCKID */
	/* Returns nanoseconds or ticks; ET_UNKNOWN with errno set if it cannot be read. */
	uint64_t (*read)(const struct et_timepiece *self);
	int (*check)(void); /* returns 0, or an errno if read must not be called; may be NULL */
	void *ctx;          /* for read */
};

enum { ET_NO_CLOCKID = -1 };
enum { ET_STEP_CONFIRMED = 3 }; /* a smallest step that was seen less often is uncertain */

/* All clocks of this architecture; the table ends with a name of NULL. */
extern const struct et_timepiece et_timepieces[];

/* Undefined figures are NaN. */
struct et_timepiece_figures {
	int error;          /* errno if it cannot be read, else 0 */
	double claimed_ns;  /* resolution as clock_getres() reports it */
	double step;        /* smallest step, ns or ticks; NaN: no step within 0.25 s */
	uint32_t confirmed; /* how often the smallest step was seen */
	uint32_t steps;     /* number of all steps seen */
	uint32_t backwards; /* readings smaller than the previous one */
	/* Short series of readings, those in which it stood still, and the smallest step of all. */
	uint32_t windows, still;
	double least_ns; /* also of steps while other threads ran; NaN: none */
	enum et_clock_basis basis;
	double latency_ns;                   /* duration of a reading: median of batches */
	double latency_lo_ns, latency_hi_ns; /* its 95 % interval by order statistics */
};

/* Returns the time per iteration of the loop around the readings, in ns, by a reference clock. */
double et_timepiece_overhead(const struct et_clock *reference);
/* Measures a clock by another one, in at most about 0.3 s. Reduces latencies by overhead_ns. */
void et_timepiece_measure(const struct et_timepiece *t, const struct et_clock *reference,
	double overhead_ns, struct et_timepiece_figures *out);

/*
 * Decides the basis. A clock that advances in nine of ten windows, which take a few microseconds,
 * is cycle-based. A clock that stands still in nine of ten and never advances by less than half an
 * interval of the timer interrupt counts ticks. Others are undecided.
 */
enum et_clock_basis et_timepiece_decide(const struct et_timepiece_figures *f, double tick_ns);
