/* SPDX-License-Identifier: MIT */
/*
 * A thread that does nothing but read a counter notices when it loses its CPU: two successive
 * readings further apart than a threshold are a gap; between gaps the thread is active (Bryant &
 * O'Hallaron, Computer Systems, "Measuring program execution time": inactiveduration). Every
 * reading is compared with the previous one, even while a gap is recorded, so no gap is missed.
 * A gap that begins at the reading that ended another one is merged with it.
 *
 * The spinning thread passes gaps to another thread through a ring buffer of fixed size; gaps that
 * do not fit are counted as lost. Nothing here prints, and running out of memory does not end the
 * program.
 */
#pragma once

#include "clock/counter.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

/* The last reading before the gap and the first one after it. */
struct et_gap {
	uint64_t start, end;
};

enum et_activity_end {
	ET_ACTIVITY_DONE,      /* the duration has passed, or there are as many gaps as wanted */
	ET_ACTIVITY_STOPPED,   /* stop was set */
	ET_ACTIVITY_MOVED,     /* the kernel moved the thread: its CPU went offline */
	ET_ACTIVITY_BACKWARDS, /* the counter went backwards, so it cannot be used */
};

struct et_activity {
	/* Settings: et_activity_init sets defaults; the caller may change them before the start. */
	uint64_t (*read)(void *ctx); /* NULL: et_counter_read() */
	void *ctx;
	double hz;          /* ticks per second */
	uint64_t threshold; /* ticks; readings further apart than this are a gap */
	uint64_t duration;  /* ticks to spin for; UINT64_MAX: until stop is set */
	uint64_t most;      /* end with the beginning of this many gaps */
	int cpu;            /* to run on; -1: any */
	/* Gets each gap that has ended, instead of the ring buffer; NULL: the ring buffer does. */
	void (*keep)(const struct et_activity *a, struct et_gap gap, void *keep_ctx);
	void *keep_ctx;
	atomic_bool stop; /* set by any thread to end the spinning */
	/* Results, valid when the spinning has ended; begin is valid as soon as there is a gap. */
	uint64_t begin, end; /* first and last reading */
	uint64_t readings;
	uint64_t gaps;      /* number of gaps */
	uint64_t gap_ticks; /* their total length */
	uint64_t lost; /* gaps that did not fit into the ring; gaps and gap_ticks include them */
	uint64_t switches; /* context switches of the thread between begin and end */
	enum et_activity_end ended;
	struct et_gap open;      /* the latest gap, which may still grow */
	uint64_t open_coarse_ns; /* CLOCK_MONOTONIC_COARSE at its end */
	/* The ring buffer, and the coarse clock at the end of each gap: it advances at a tick. */
	struct et_gap *ring;
	uint64_t *coarse_ns;
	size_t capacity;              /* a power of two */
	atomic_size_t written, taken; /* gaps since the start; never wrapped to the capacity */
	/* The thread that et_activity_start makes. */
	pthread_t thread;
	atomic_int tid;   /* its ID, as gettid() returns it */
	atomic_bool over; /* the spinning has ended */
};

/*
 * Uses the counter c if it is calibrated and invariant, otherwise CLOCK_MONOTONIC in ns; c may be
 * NULL. Makes the ring, rounded up to a power of two, and touches its pages. 0 or -ENOMEM.
 */
int et_activity_init(struct et_activity *a, const struct et_counter *c, size_t capacity) ET_CHECK;
void et_activity_free(struct et_activity *a);

/*
 * Returns a threshold in ticks that suits this counter and machine, but does not set it. It reads
 * the counter for some milliseconds and returns ten times the 99th percentile of the distance
 * between successive readings, at least a microsecond. Variations of the loop itself (caches, the
 * hyper-thread sibling) stay well below that, and an interrupt takes longer. Far less than one
 * reading in a hundred is interrupted, so interrupts do not affect the percentile.
 */
uint64_t et_activity_threshold(struct et_activity *a);

/* Spins in the calling thread, which stays pinned to a->cpu if that is set. Returns 0 or -errno. */
int et_activity_spin(struct et_activity *a) ET_CHECK;
/* Spins in a new thread and returns at once: 0, and call et_activity_finish later; or -errno. */
int et_activity_start(struct et_activity *a) ET_CHECK;
/* Keeps the calling thread on a CPU. *before, if not NULL: where it was allowed to run. 0 or
 * -errno. */
int et_stay_on(int cpu, cpu_set_t *before) ET_CHECK;
/* Starts a thread that blocks all signals, on a CPU (-1: any). Returns 0 or -errno. */
int et_thread_start(int cpu, void *(*fn)(void *ctx), void *ctx, pthread_t *out) ET_CHECK;
/* Stops the thread and waits for it. Returns true if it had already ended by itself. */
bool et_activity_finish(struct et_activity *a);
/* Takes at most n gaps, oldest first; returns their number. One thread may, during the spinning. */
size_t et_activity_take(struct et_activity *a, struct et_gap *out, size_t n);

/* Reads the counter and CLOCK_MONOTONIC at the same instant. */
struct et_anchor et_activity_anchor(const struct et_activity *a);
