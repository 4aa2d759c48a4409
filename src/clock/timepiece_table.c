/* SPDX-License-Identifier: MIT */
/* The table of clocks, and the functions that read them. */
#include "clock/counter.h"
#include "clock/timepiece.h"

#include <errno.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

static uint64_t read_posix(const struct et_timepiece *self)
{
	struct timespec t;

	return clock_gettime(self->id, &t) ? ET_UNKNOWN : et_timespec_ns(t);
}

static uint64_t read_gettimeofday(const struct et_timepiece *self)
{
	struct timeval t;

	(void)self;
	return gettimeofday(&t, NULL) ? ET_UNKNOWN : et_timeval_ns(t);
}

static uint64_t read_times(const struct et_timepiece *self)
{
	struct tms t;

	(void)self;
	if (times(&t) == (clock_t)-1)
		return ET_UNKNOWN;
	return (uint64_t)(t.tms_utime + t.tms_stime) *
	       (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t read_clock(const struct et_timepiece *self)
{
	clock_t t = clock();

	(void)self;
	return t == (clock_t)-1 ? ET_UNKNOWN : (uint64_t)t * (1000000000u / CLOCKS_PER_SEC);
}

static uint64_t read_getrusage(const struct et_timepiece *self)
{
	struct rusage u;

	(void)self;
	if (getrusage(RUSAGE_SELF, &u))
		return ET_UNKNOWN;
	return et_timeval_ns(u.ru_utime) + et_timeval_ns(u.ru_stime);
}

#if defined(__x86_64__)
/* If PR_SET_TSC has forbidden the counter, reading it would raise SIGSEGV. */
static int check_tsc(void)
{
	int mode = PR_TSC_ENABLE;

	return prctl(PR_GET_TSC, &mode) == 0 && mode == PR_TSC_SIGSEGV ? EPERM : 0;
}

static int check_tscp(void)
{
	unsigned a, b, c, d;
	int rc = check_tsc();

	if (rc)
		return rc;
	return __get_cpuid(0x80000001, &a, &b, &c, &d) && (d & 1u << 27) ? 0 : EOPNOTSUPP;
}

static uint64_t read_tscp(const struct et_timepiece *self)
{
	(void)self;
	return et_counter_stop();
}
#endif

#if ET_HAVE_COUNTER
static uint64_t read_counter(const struct et_timepiece *self)
{
	(void)self;
	return et_counter_read();
}
#endif

#define POSIX(clock, k, what)                                                                      \
	{                                                                                          \
#clock, k, what, clock, read_posix, NULL, NULL                                     \
	}
#define CALL(name, k, what, fn, chk)                                                               \
	{                                                                                          \
		name, k, what, ET_NO_CLOCKID, fn, chk, NULL                                        \
	}

/* To add a row: only the reader of the clock, above. */
const struct et_timepiece et_timepieces[] = {
#if defined(__x86_64__)
	CALL("rdtsc", ET_CLOCK_COUNTER, "counter", read_counter, check_tsc),
	CALL("rdtscp", ET_CLOCK_COUNTER, "counter, in order", read_tscp, check_tscp),
#elif defined(__aarch64__)
	CALL("cntvct_el0", ET_CLOCK_COUNTER, "counter", read_counter, NULL),
#endif
	POSIX(CLOCK_REALTIME, ET_CLOCK_TIME, "time of day"),
	POSIX(CLOCK_MONOTONIC, ET_CLOCK_TIME, "time, NTP's rate"),
	POSIX(CLOCK_MONOTONIC_RAW, ET_CLOCK_TIME, "time, own rate"),
	POSIX(CLOCK_BOOTTIME, ET_CLOCK_TIME, "time with suspend"),
	POSIX(CLOCK_TAI, ET_CLOCK_TIME, "atomic time"),
	CALL("gettimeofday", ET_CLOCK_TIME, "time of day", read_gettimeofday, NULL),
	POSIX(CLOCK_REALTIME_COARSE, ET_CLOCK_TIME, "time of day"),
	POSIX(CLOCK_MONOTONIC_COARSE, ET_CLOCK_TIME, "time, NTP's rate"),
	CALL("times", ET_CLOCK_CPU, "CPU, process", read_times, NULL),
	POSIX(CLOCK_PROCESS_CPUTIME_ID, ET_CLOCK_CPU, "CPU, process"),
	POSIX(CLOCK_THREAD_CPUTIME_ID, ET_CLOCK_CPU, "CPU, thread"),
	CALL("clock", ET_CLOCK_CPU, "CPU, process", read_clock, NULL),
	CALL("getrusage", ET_CLOCK_CPU, "CPU, process", read_getrusage, NULL),
	{ 0 },
};
