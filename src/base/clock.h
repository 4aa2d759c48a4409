/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock that code reads is passed in as an argument, so that a test can replace it. */
#ifndef ET_BASE_CLOCK_H
#define ET_BASE_CLOCK_H

#include "base/attr.h"

#include <sys/time.h>
#include <time.h>

struct et_clock {
	uint64_t (*now_ns)(void *ctx);  /* monotonic */
	uint64_t (*wall_ns)(void *ctx); /* since 1970 */
	void *ctx;
};

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

	clock_gettime(id, &t); /* it fails for unknown clocks only */
	return et_timespec_ns(t);
}

/*
 * The clock of the CPU time of a process, as clock_getcpuclockid() makes it (~pid << 3 |
 * CPUCLOCK_SCHED) but without its system call. Reading it fails if there is no such process.
 */
static inline clockid_t et_clock_of_process(pid_t pid)
{
	return (clockid_t)(((uint32_t)~pid << 3) | 2u);
}

/* Returns the interval of the timer interrupt, by which coarse clocks step, or 0 if unknown. */
static inline uint64_t et_clock_tick_ns(void)
{
	struct timespec t;

	return clock_getres(CLOCK_MONOTONIC_COARSE, &t) == 0 ? et_timespec_ns(t) : 0;
}

/*
 * Sleeps until the clock shows due_ns; a signal ends the sleep early. clock_nanosleep does not know
 * CLOCK_MONOTONIC_RAW, so the difference is slept.
 */
void et_clock_sleep_until(clockid_t id, uint64_t due_ns);

/* The real clock: CLOCK_MONOTONIC and CLOCK_REALTIME. */
extern const struct et_clock et_clock_real;

#endif
