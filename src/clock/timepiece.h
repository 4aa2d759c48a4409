/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every clock a program can read, as one table, and what each is worth here: how fine it steps and
 * what a reading costs. Clocks and the reference they are held against are passed in.
 */
#ifndef ET_CLOCK_TIMEPIECE_H
#define ET_CLOCK_TIMEPIECE_H

#include "base/clock.h"

enum et_clock_kind {
	ET_CLOCK_CYCLES, /* the processor's counter: readings are counts */
	ET_CLOCK_TIME,
	ET_CLOCK_TICKS, /* goes on only with the timer interrupt */
	ET_CLOCK_CPU,   /* stands still while others run */
};

extern const char *const et_clock_kind_names[];

struct et_timepiece {
	const char *name;
	enum et_clock_kind kind;
	const char *counts; /* in a few words */
	clockid_t id;       /* for clock_getres, or ET_NO_CLOCKID */
	/* Nanoseconds or counts; ET_UNKNOWN with errno set when it cannot be read. */
	uint64_t (*read)(const struct et_timepiece *self);
	int (*check)(void); /* 0, or the errno that forbids even to try; or NULL */
	void *ctx;
};

enum { ET_NO_CLOCKID = -1 };

/* All of this machine's architecture; the list ends with a name of NULL. */
extern const struct et_timepiece et_timepieces[];

/* Undefined figures are NaN. */
struct et_timepiece_figures {
	int error;          /* errno; 0: it can be read */
	double claimed_ns;  /* what clock_getres says */
	double step;        /* smallest seen, ns or counts; NaN: none in the time there was */
	uint32_t steps;     /* so many were seen */
	uint32_t backwards; /* so often a reading was before the last one */
	double latency_ns;  /* of a reading: median of batches … */
	double latency_lo_ns, latency_hi_ns; /* … and its 95 % interval by order statistics */
};

/* What the loop around the readings costs, to be taken off a latency. */
double et_timepiece_overhead(const struct et_clock *reference);
/* Takes at most about 0.15 s by the reference. */
void et_timepiece_measure(const struct et_timepiece *t, const struct et_clock *reference,
	double overhead_ns, struct et_timepiece_figures *out);

#endif
