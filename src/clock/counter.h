/* SPDX-License-Identifier: MIT */
/*
 * The processor's counter: the time stamp counter of x86-64, the virtual counter of arm64. If
 * invariant, it has a fixed rate: its ticks are a unit of time, not cycles of the core.
 */
#pragma once

#include "base/base.h"

#include <time.h>

struct et_counter {
	const char *name;      /* "tsc", "cntvct"; NULL: no counter that we know how to read */
	bool invariant;        /* its rate is fixed in every power state */
	double hz;             /* ticks per second; 0: not calibrated */
	double hz_uncertainty; /* standard uncertainty of hz */
};

#if defined(__x86_64__)
#define ET_HAVE_COUNTER 1

/* Reads after all earlier instructions have completed and before later ones begin. */
static inline uint64_t et_counter_start(void)
{
	uint32_t lo, hi;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(lo), "=d"(hi)::"memory");
	return (uint64_t)hi << 32 | lo;
}

/* The same, by rdtscp, which waits for earlier instructions without a fence. */
static inline uint64_t et_counter_stop(void)
{
	uint32_t lo, hi, aux;

	__asm__ volatile("rdtscp\n\tlfence" : "=a"(lo), "=d"(hi), "=c"(aux)::"memory");
	return (uint64_t)hi << 32 | lo;
}

/* Reads as fast as possible, without ordering: for loops that look for gaps. */
static inline uint64_t et_counter_read(void)
{
	uint32_t lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi)::"memory");
	return (uint64_t)hi << 32 | lo;
}
#elif defined(__aarch64__)
#define ET_HAVE_COUNTER 1

static inline uint64_t et_counter_read(void)
{
	uint64_t v;

	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(v)::"memory");
	return v;
}

static inline uint64_t et_counter_start(void)
{
	uint64_t v;

	__asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(v)::"memory");
	return v;
}

static inline uint64_t et_counter_stop(void)
{
	return et_counter_start();
}
#else
/* These compile, but must not be called. */
#define ET_HAVE_COUNTER 0

static inline uint64_t et_counter_read(void)
{
	return 0;
}

static inline uint64_t et_counter_start(void)
{
	return 0;
}

static inline uint64_t et_counter_stop(void)
{
	return 0;
}
#endif

/* Fills name and invariant from what the processor reports; hz is 0. */
void et_counter_identify(struct et_counter *c);
/*
 * Fills hz and its uncertainty by a straight line through readings of the counter and of
 * CLOCK_MONOTONIC_RAW during duration_ns. 0; -EOPNOTSUPP: no counter; -ERANGE: it went backwards.
 */
int et_counter_calibrate(struct et_counter *c, uint64_t duration_ns) ET_CHECK;

/* A reading of a counter and of a clock at one instant. Two of them convert readings into times. */
struct et_anchor {
	uint64_t reading, ns;
};

/*
 * Reads the clock between two readings of the counter, and takes their middle as that at this time.
 * Of several attempts the closest pair counts: an interrupt moves them apart.
 */
struct et_anchor et_anchor_take(uint64_t (*read)(void *ctx), void *ctx, clockid_t clock);
/* Returns the time of a reading by the straight line through two anchors, 0 if it is negative. */
uint64_t et_anchor_ns(const struct et_anchor *from, const struct et_anchor *to, uint64_t reading);
