/* SPDX-License-Identifier: MIT */
/* Clocks: a pair that a test can replace, conversions to and from ns, and the kernel's own. */
#pragma once

#include "base/base.h"

#include <sys/time.h>
#include <time.h>

struct et_clock {
	uint64_t (*now_ns)(void *ctx);  /* monotonic, from an arbitrary origin */
	uint64_t (*wall_ns)(void *ctx); /* since 1970 */
	void *ctx;
};

/* The real clock: CLOCK_MONOTONIC and CLOCK_REALTIME. */
extern const struct et_clock et_clock_real;

static inline uint64_t et_timespec_ns(struct timespec t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static inline uint64_t et_timeval_ns(struct timeval t)
{
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u;
}

static inline struct timespec et_ns_timespec(uint64_t ns)
{
	return (struct timespec){ (time_t)(ns / 1000000000u), (long)(ns % 1000000000u) };
}

static inline uint64_t et_clock_read_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t); /* cannot fail for clocks of the machine or of this process */
	return et_timespec_ns(t);
}

/*
 * Returns the clock of a process's CPU time, as clock_getcpuclockid() computes it (~pid << 3 |
 * CPUCLOCK_SCHED), but without its system call. Read it by clock_gettime(), which fails if there is
 * no such process, and not by et_clock_read_ns().
 */
static inline clockid_t et_clock_of_process(pid_t pid)
{
	return (clockid_t)(((uint32_t)~pid << 3) | 2u);
}

/* Returns the interval of the timer interrupt, or 0 if unknown. Coarse clocks advance by it. */
static inline uint64_t et_clock_tick_ns(void)
{
	struct timespec t;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 ? et_timespec_ns(t) : 0;
}

/*
 * Sleeps until the clock reaches due_ns. A signal ends the sleep early. It computes how long to
 * sleep, because clock_nanosleep() cannot wait for CLOCK_MONOTONIC_RAW.
 */
void et_clock_sleep_until(clockid_t id, uint64_t due_ns);
