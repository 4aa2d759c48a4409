/* SPDX-License-Identifier: MIT */
#include "clock/timepiece.h"
#include "clock/counter.h"
#include "clock/timer.h"

#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/times.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

const char *const et_clock_basis_names[] = { NULL, "cycles", "ticks" };

const char *et_clock_kind_name(enum et_clock_kind kind, enum et_clock_basis basis)
{
	static const char *const names[] = { "cycles", "time", "cpu" };

	if (basis == ET_BASIS_UNDECIDED)
		return NULL;
	return basis == ET_BASIS_TICKS ? "ticks" : names[kind];
}

/* --- steps --- */

/* A step equal to the smallest confirms it; a smaller one replaces it. */
static void note_step(struct et_timepiece_figures *out, uint64_t by)
{
	double step = (double)by;

	out->steps++;
	if (!(step >= 0.99 * out->step)) {
		out->step = step;
		out->confirmed = 0;
	}
	if (step <= 1.01 * out->step) {
		out->step = fmin(out->step, step);
		out->confirmed++;
	}
}

enum et_clock_basis et_timepiece_decide(const struct et_timepiece_figures *f, double tick_ns)
{
	if (f->windows < ET_STEP_CONFIRMED)
		return ET_BASIS_UNDECIDED;
	if (f->still * 10 <= f->windows && f->least_ns < tick_ns / 10)
		return ET_BASIS_CYCLES;
	if (f->still * 10 >= f->windows * 9 && f->least_ns > tick_ns / 2)
		return ET_BASIS_TICKS;
	return ET_BASIS_UNDECIDED;
}

/* The duration of one count of a counter, which is not in ns as those of other clocks. */
static double unit_of(const struct et_timepiece *t, const struct et_clock *reference)
{
	const uint64_t enough_ns = 200000;
	uint64_t began = reference->now_ns(reference->ctx), first = t->read(t), now, last;

	if (t->kind != ET_CLOCK_COUNTER)
		return 1;
	do {
		last = t->read(t);
		now = reference->now_ns(reference->ctx);
	} while (now - began < enough_ns);
	return last > first ? (double)(now - began) / (double)(last - first) : 1;
}

/* Reads for a window, and returns the smallest step in it; NaN if the clock stood still. */
static double read_window(
	const struct et_timepiece *t, uint64_t *last, struct et_timepiece_figures *out)
{
	enum { READINGS = 256 };
	double least = NAN;

	for (int i = 0; i < READINGS; i++) {
		uint64_t now = t->read(t);
		if (now > *last) {
			note_step(out, now - *last);
			least = fmin(least, (double)(now - *last));
		}
		out->backwards += now < *last;
		*last = now;
	}
	return least;
}

/*
 * Reads until there are enough steps. While another thread ran, several ticks look like one step.
 */
static void find_step(const struct et_timepiece *t, const struct et_clock *reference,
	struct et_timepiece_figures *out)
{
	const uint64_t shortest_ns = 2000000, longest_ns = 250000000, away_ns = 1000000;
	const uint64_t usual_tick_ns = 4000000;
	const uint64_t tick_ns = et_clock_tick_ns() ? et_clock_tick_ns() : usual_tick_ns;
	double unit_ns = unit_of(t, reference), least = NAN;
	uint64_t began = reference->now_ns(reference->ctx), spent = 0;
	uint64_t last = t->read(t);

	while (spent < longest_ns && (out->confirmed < ET_STEP_CONFIRMED || spent < shortest_ns)) {
		struct et_timepiece_figures before = *out;
		double in_window = read_window(t, &last, out);
		uint64_t looked = reference->now_ns(reference->ctx) - began;
		if (looked - spent > away_ns) {
			*out = before;
		} else {
			out->windows++;
			out->still += isnan(in_window);
		}
		least = fmin(least, in_window);
		spent = looked;
	}
	out->least_ns = least * unit_ns;
	out->basis = et_timepiece_decide(out, (double)tick_ns);
}

/* --- latency --- */

enum { BATCHES = 51 };

static double batch_ns(const struct et_timepiece *t, const struct et_clock *reference, uint32_t n)
{
	uint64_t began = reference->now_ns(reference->ctx);

	for (uint32_t i = 0; i < n; i++)
		t->read(t);
	return (double)(reference->now_ns(reference->ctx) - began);
}

/* The median of batches is robust against batches that were interrupted. */
static void find_latency(const struct et_timepiece *t, const struct et_clock *reference,
	struct et_timepiece_figures *out)
{
	const double batch_least_ns = 20000, longest_ns = 40e6;
	const uint32_t most = 1u << 20;
	double x[BATCHES], spent = 0;
	uint32_t n = 16;
	size_t batches = 0;

	while (n < most && batch_ns(t, reference, n) < batch_least_ns)
		n *= 2;
	while (batches < BATCHES && (batches < 7 || spent < longest_ns)) {
		double took = batch_ns(t, reference, n);
		spent += took;
		x[batches++] = took / n;
	}
	struct et_clock_spread cost = et_spread_of(x, batches);
	out->latency_ns = cost.median;
	out->latency_lo_ns = cost.lo;
	out->latency_hi_ns = cost.hi;
}

static uint64_t read_nothing(const struct et_timepiece *self)
{
	__asm__ volatile("" ::: "memory");
	return (uint64_t)self->kind;
}

double et_timepiece_overhead(const struct et_clock *reference)
{
	const struct et_timepiece nothing = { .name = "nothing", .read = read_nothing };
	struct et_timepiece_figures f;

	find_latency(&nothing, reference, &f);
	return f.latency_lo_ns; /* the lower limit, so that not too much is subtracted later */
}

void et_timepiece_measure(const struct et_timepiece *t, const struct et_clock *reference,
	double overhead_ns, struct et_timepiece_figures *out)
{
	struct timespec claim;

	*out = (struct et_timepiece_figures){ .claimed_ns = NAN,
		.step = NAN,
		.least_ns = NAN,
		.latency_ns = NAN,
		.latency_lo_ns = NAN,
		.latency_hi_ns = NAN };
	out->error = t->check ? t->check() : 0;
	errno = ENOTSUP; /* in case read() does not set it */
	if (out->error == 0 && t->read(t) == ET_UNKNOWN)
		out->error = errno;
	if (out->error)
		return;
	if (t->id != ET_NO_CLOCKID && clock_getres(t->id, &claim) == 0)
		out->claimed_ns = (double)et_timespec_ns(claim);
	find_step(t, reference, out);
	find_latency(t, reference, out);
	out->latency_ns = fmax(out->latency_ns - overhead_ns, 0);
	out->latency_lo_ns = fmax(out->latency_lo_ns - overhead_ns, 0);
	out->latency_hi_ns = fmax(out->latency_hi_ns - overhead_ns, 0);
}

/* --- the table, and the functions that read the clocks --- */

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
