/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A table of every clock that a program can read, and the measurement of each: its smallest step
 * and the cost of a reading. The clock and the reference to measure it by are passed in.
 */
#ifndef ET_CLOCK_TIMEPIECE_H
#define ET_CLOCK_TIMEPIECE_H

#include "base/clock.h"

enum et_clock_kind {
	ET_CLOCK_COUNTER, /* the processor's counter: readings are ticks, not ns */
	ET_CLOCK_TIME,
	ET_CLOCK_COARSE, /* advances at the timer interrupt only */
	ET_CLOCK_CPU,    /* CPU time: does not advance while others run */
};

extern const char *const et_clock_kind_names[];

struct et_timepiece {
	const char *name;
	enum et_clock_kind kind;
	const char *counts; /* in a few words, at most 17 columns */
	clockid_t id;       /* for clock_getres, or ET_NO_CLOCKID */
	/* Returns nanoseconds or ticks; ET_UNKNOWN with errno set if it cannot be read. */
	uint64_t (*read)(const struct et_timepiece *self);
	int (*check)(void); /* 0, or the errno if read must not be called; may be NULL */
	void *ctx;
};

enum { ET_NO_CLOCKID = -1, ET_STEP_CONFIRMED = 3 };

/* All clocks of this architecture; the table ends with a name of NULL. */
extern const struct et_timepiece et_timepieces[];

/* Undefined figures are NaN. */
struct et_timepiece_figures {
	int error;          /* errno if it cannot be read, else 0 */
	double claimed_ns;  /* resolution as clock_getres() reports it */
	double step;        /* smallest step, ns or ticks; NaN: it did not advance in time */
	uint32_t confirmed; /* times it was observed; if few, there may be smaller ones */
	uint32_t steps;     /* number of steps observed */
	uint32_t backwards; /* readings smaller than the previous one */
	double latency_ns;  /* of a reading: median of batches */
	double latency_lo_ns, latency_hi_ns; /* its 95 % interval by order statistics */
};

/* Returns the cost of the loop around the readings, which is subtracted from latencies. */
double et_timepiece_overhead(const struct et_clock *reference);
/* Measures a clock; this takes at most about 0.3 s by the reference. */
void et_timepiece_measure(const struct et_timepiece *t, const struct et_clock *reference,
	double overhead_ns, struct et_timepiece_figures *out);

#endif
