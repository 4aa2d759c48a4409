/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a thread that does nothing but read a counter sees of losing its CPU: two successive
 * readings further apart than a threshold are a gap, what lies between gaps is activity (Bryant &
 * O'Hallaron, Computer Systems, "Measuring program execution time": inactiveduration). Every
 * reading is compared with the one before it, also while a gap is written down: none is missed.
 * Gaps without a reading between them are one.
 *
 * The gaps go through a ring of fixed size from the thread that spins to the one that takes them;
 * what finds no room is counted. Nothing here prints, and no allocation ends the program.
 */
#ifndef ET_CLOCK_ACTIVITY_H
#define ET_CLOCK_ACTIVITY_H

#include "clock/anchor.h"
#include "clock/counter.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* The last reading before it and the first one after it. */
struct et_gap {
	uint64_t start, end;
};

enum et_activity_end {
	ET_ACTIVITY_DONE,      /* the duration is over */
	ET_ACTIVITY_STOPPED,   /* it was asked to end */
	ET_ACTIVITY_MOVED,     /* it found itself on another CPU: the wanted one is gone */
	ET_ACTIVITY_BACKWARDS, /* the counter went back: its readings mean nothing */
};

struct et_activity {
	/* What to do; set by et_activity_init and changed by the caller before it begins. */
	uint64_t (*read)(void *ctx); /* NULL: the processor's counter */
	void *ctx;
	double hz;          /* ticks of it in a second */
	uint64_t threshold; /* ticks; readings further apart are a gap */
	uint64_t duration;  /* ticks to go on for; UINT64_MAX: until stop */
	int cpu;            /* to be on, or -1: wherever it is */
	atomic_bool stop;   /* set by anyone to end it */
	/* What was seen, valid when it has ended; begin as soon as there is a gap. */
	uint64_t begin, end; /* first and last reading */
	uint64_t readings;
	uint64_t gaps;      /* all of them */
	uint64_t gap_ticks; /* how long they were together */
	uint64_t lost;      /* gaps that found no room in the ring; they are in the sums */
	uint64_t switches;  /* how often another thread got its CPU, from first to last */
	enum et_activity_end ended;
	struct et_gap open; /* the last one, which may still grow */
	/* The ring. */
	struct et_gap *ring;
	size_t capacity; /* a power of two */
	atomic_size_t written, taken;
	pthread_t thread;
	atomic_int tid;   /* of that thread, as the kernel numbers it */
	atomic_bool over; /* the thread has ended */
};

/*
 * The processor's counter where it keeps its rate, CLOCK_MONOTONIC in nanoseconds where not. c is
 * calibrated, or NULL or without a rate: the clock. capacity is rounded up to a power of two; the
 * ring is made and touched now. 0 or -ENOMEM.
 */
int et_activity_init(struct et_activity *a, const struct et_counter *c, size_t capacity) ET_CHECK;
void et_activity_free(struct et_activity *a);

/*
 * The threshold in ticks for this counter on this machine, from readings made now for some
 * milliseconds: ten times what 99 of 100 successive readings are apart at most, and at least a
 * microsecond. The loop's own unevenness (caches, the other hardware thread) stays well below
 * that, an interrupt costs more; and fewer than one reading in a hundred is ever interrupted, so
 * interruptions do not move the quantile.
 */
uint64_t et_activity_threshold(struct et_activity *a);

/* Spins in the calling thread, which pins itself when a CPU is wanted: 0 or -errno of that. */
int et_activity_spin(struct et_activity *a) ET_CHECK;
/* The same in a thread of its own; it runs when this returns 0. Then et_activity_finish. */
int et_activity_start(struct et_activity *a) ET_CHECK;
/* Asks it to end and waits until it has; true when it had ended by itself. */
bool et_activity_finish(struct et_activity *a);
/* Takes at most n gaps out of the ring, oldest first; by one thread, also while it spins. */
size_t et_activity_take(struct et_activity *a, struct et_gap *out, size_t n);

/* A reading of its counter and of CLOCK_MONOTONIC at the same instant. */
struct et_anchor et_activity_anchor(const struct et_activity *a);

#endif
