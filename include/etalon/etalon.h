/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libetalon times parts of a program from within. This header compiles as C99 to C++20. Link with
 * -letalon (pkg-config etalon). The manual is etalon(3).
 */
#ifndef ETALON_ETALON_H
#define ETALON_ETALON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __GNUC__
#define ETALON_API __attribute__((visibility("default")))
#else
#define ETALON_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the version of the linked library, such as "0.1.0", in static memory. */
ETALON_API const char *etalon_version(void);

/*
 * A stopwatch measures elapsed time by CLOCK_MONOTONIC, which setting the system's date does not
 * change. There is nothing to free. Its members are private.
 */
struct etalon_stopwatch {
	uint64_t start_ns;
};

ETALON_API void etalon_stopwatch_start(struct etalon_stopwatch *watch);
/* Returns the nanoseconds since the start. The stopwatch keeps running. */
ETALON_API uint64_t etalon_stopwatch_ns(const struct etalon_stopwatch *watch);

/*
 * These functions read the processor's counter, to time a few instructions: call etalon_ticks_start
 * before them and etalon_ticks_stop after them; the difference is in counter ticks. An invariant
 * counter ticks at a fixed rate, so ticks are a unit of time and not cycles of the core. On
 * processors other than x86-64 and AArch64 they read CLOCK_MONOTONIC_RAW, and a tick is 1 ns.
 *
 * Each function reads the counter after all earlier instructions have completed. On x86-64, neither
 * holds back later instructions: out-of-order execution may begin the timed instructions some
 * nanoseconds before etalon_ticks_start reads. The fence that would prevent this would make the
 * pair a fifth slower. etalon_kbest uses that fence.
 */
#if defined(__GNUC__) && defined(__x86_64__)
static inline uint64_t etalon_ticks_start(void)
{
	uint32_t lo, hi;

	__asm__ __volatile__("lfence\n\trdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	return (uint64_t)hi << 32 | lo;
}

static inline uint64_t etalon_ticks_stop(void)
{
	uint32_t lo, hi, aux;

	__asm__ __volatile__("rdtscp" : "=a"(lo), "=d"(hi), "=c"(aux) : : "memory");
	return (uint64_t)hi << 32 | lo;
}
#elif defined(__GNUC__) && defined(__aarch64__)
static inline uint64_t etalon_ticks_start(void)
{
	uint64_t v;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(v) : : "memory");
	return v;
}

static inline uint64_t etalon_ticks_stop(void)
{
	uint64_t v;

	__asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(v) : : "memory");
	return v;
}
#else
ETALON_API uint64_t etalon_ticks_start(void);
ETALON_API uint64_t etalon_ticks_stop(void);
#endif

/*
 * ETALON_KEEP makes the compiler compute x, a number or a pointer, although nothing else uses it.
 * For an object, pass its address. ETALON_CLOBBER makes the compiler assume that all memory is read
 * and written at this point.
 */
#ifdef __GNUC__
#define ETALON_KEEP(x) __asm__ __volatile__("" : : "g"(x) : "memory")
#define ETALON_CLOBBER() __asm__ __volatile__("" : : : "memory")
#else
#define ETALON_KEEP(x) ((void)(x))
#define ETALON_CLOBBER() ((void)0)
#endif

/* The status that a function returns. etalon_strerror describes each. */
enum etalon_status {
	ETALON_OK = 0,
	ETALON_NOT_CONVERGED = -1, /* the result is filled, unlike with the other errors */
	ETALON_BAD_FUNCTION = -2,
	ETALON_BAD_SIZE = -3,
	ETALON_BAD_K = -4,
	ETALON_BAD_EPSILON = -5,
	ETALON_BAD_SAMPLES = -6,
	ETALON_BAD_CACHE = -7,
	ETALON_BAD_CLOCK = -8,
	ETALON_NO_MEMORY = -9,
	ETALON_BAD_PRIORITY = -10
};

/* Returns a description in static memory, or "unknown status" for any other number. */
ETALON_API const char *etalon_strerror(int status);

/* The clock that times the samples. */
enum etalon_kbest_clock {
	ETALON_CLOCK_AUTO = 0,    /* the counter if it can be trusted, else CLOCK_MONOTONIC_RAW */
	ETALON_CLOCK_COUNTER = 1, /* the processor's counter; fails if it cannot be trusted */
	ETALON_CLOCK_RAW = 2,     /* CLOCK_MONOTONIC_RAW */
	/* The thread's CPU time. The other clocks give way to it if most samples are preempted. */
	ETALON_CLOCK_CPU = 3
};

enum etalon_kbest_cache {
	ETALON_CACHE_WARM = 0, /* the cache is as the previous call left it */
	ETALON_CACHE_COLD = 1  /* the cache is filled with other data before each sample */
};

enum etalon_kbest_priority {
	/*
	 * If other threads preempt samples, the library raises the thread to SCHED_FIFO priority 1,
	 * if that is permitted (root, CAP_SYS_NICE or RLIMIT_RTPRIO). After 50 ms it lets the other
	 * threads run again, but not within a sample or the measurement of interrupts after it;
	 * these take up to three times as long as the sample alone.
	 */
	ETALON_PRIORITY_AUTO = 0,
	ETALON_PRIORITY_KEEP = 1 /* never change the thread's priority */
};

/*
 * Options of etalon_kbest. Fill them by etalon_kbest_opts_init, then change members. Later versions
 * append members; sz, the size of the struct, says which ones the caller has. Defaults are in
 * parentheses.
 */
struct etalon_kbest_opts {
	size_t sz;
	uint32_t k;           /* how many of the shortest samples must agree (3), at most 64 */
	uint32_t max_samples; /* the most samples to take (1000), at least k */
	double epsilon;       /* largest relative difference of samples that agree (0.001) */
	int cache;            /* enum etalon_kbest_cache (warm) */
	int clock;            /* enum etalon_kbest_clock (auto) */
	uint32_t calls;       /* calls per sample (0: chosen by the library) */
	int compensate;       /* subtract the time of interrupts and context switches (1) */
	uint64_t least_ns;    /* spread the samples over at least this time (0.3 s) */
	uint64_t limit_ns;    /* after this time, end once k samples exist (10 s; 0: no limit) */
	void *clear_memory;   /* overwritten for ETALON_CACHE_COLD (NULL: the library maps some) */
	size_t clear_bytes;   /* size of clear_memory, at least that of the last-level cache */
	int priority;         /* enum etalon_kbest_priority (auto) */
};

/* Fills in the defaults. Pass sizeof(*opts) as sz. Returns ETALON_OK or ETALON_BAD_SIZE. */
ETALON_API int etalon_kbest_opts_init(struct etalon_kbest_opts *opts, size_t sz);

/* Reasons to distrust a result: bits of etalon_kbest_result.warnings. */
enum etalon_warning {
	ETALON_WARNING_SPREAD = 1,        /* the K shortest samples did not agree */
	ETALON_WARNING_PREEMPTED = 2,     /* almost every sample was preempted: this is CPU time */
	ETALON_WARNING_SLOW = 4,          /* the processor ran below its full speed */
	ETALON_WARNING_NOT_INVARIANT = 8, /* the counter has no fixed rate: another clock is used */
	ETALON_WARNING_BACKWARDS = 16,    /* the counter went backwards: another clock is used */
	ETALON_WARNING_NO_TICK_COST = 32, /* the time of interrupts is unknown: not subtracted */
	ETALON_WARNING_INTERRUPTS = 64,   /* the time of interrupts varies by more than epsilon */
	ETALON_WARNING_OVERHEAD = 128,    /* a sample is hardly longer than reading the clock */
	ETALON_WARNING_CACHE_SIZE = 256   /* the cache's size is unknown: 64 MiB are assumed */
};

/* Returns a sentence in static memory for one bit, or "" if the bit has no meaning. */
ETALON_API const char *etalon_warning_text(unsigned warning);

/* ticks, ns and compensated_ns are per call of the function. */
struct etalon_kbest_result {
	size_t sz;        /* bytes that the library filled; it zeroed any further ones */
	int converged;    /* the K shortest samples agreed within epsilon */
	int clock;        /* clock of the result: ETALON_CLOCK_COUNTER, RAW or CPU */
	const char *unit; /* unit of ticks: "tsc ticks", "cntvct ticks", "ns" */
	double ticks;     /* the shortest time, in ticks */
	double ns;        /* the shortest time, in nanoseconds */
	double spread;    /* (K-th shortest - shortest) / shortest; infinite with fewer than K */
	double error;     /* predicted relative error of ns, at 95 % confidence; may be infinite */
	double hz;        /* ticks per second */
	double hz_uncertainty;          /* standard uncertainty of hz */
	double overhead_ns;             /* cost of reading the clock; subtracted from each sample */
	double overhead_uncertainty_ns; /* standard uncertainty of overhead_ns */
	double compensated_ns;          /* time of interrupts; already subtracted from ns */
	double slowdown;     /* relative, of the processor around the shortest sample; 0: none */
	uint64_t samples;    /* samples taken */
	uint64_t preempted;  /* samples in which another thread or virtual machine had the CPU */
	uint64_t calls;      /* calls of the function per sample */
	uint64_t elapsed_ns; /* from the first sample to the last */
	unsigned warnings;   /* bits of enum etalon_warning */
	int realtime;        /* samples were taken with a real-time priority */
};

/*
 * Times fn(arg) by K-best: repeats it until the K shortest samples agree. opts may be NULL for the
 * defaults; pass sizeof(*result) as sz. Returns an etalon_status. From the first sample to the last
 * the library does not allocate, print or lock. The first call in a thread takes a tenth of a
 * second longer, to calibrate the clocks. fn must return: if it leaves by longjmp or an exception,
 * the thread may keep a raised priority, and memory for a cold cache stays mapped.
 */
ETALON_API int etalon_kbest(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *result, size_t sz);

/* One function of a benchmark program. */
struct etalon_bench {
	size_t sz; /* sizeof(struct etalon_bench) */
	const char *name;
	void (*fn)(void *);
	void *arg; /* passed to fn */
};

/*
 * The main function of a benchmark program: parses the options that etalon(3) lists, times each of
 * the n functions and prints the results. Returns the exit status: 0; 1 if --fail-on-regression
 * found a regression; 2 for wrong usage; 3 if a clock or memory is missing; 4 if a file could not
 * be read or written.
 */
ETALON_API int etalon_bench_main(
	int argc, char **argv, const struct etalon_bench *benches, size_t n);

/*
 * ETALON_MAIN(element, …) defines main(). ETALON_BENCH makes an element that is named like its
 * function, which gets NULL; ETALON_BENCH_ARG makes one with another name and argument.
 */
#define ETALON_BENCH(fn)                                                                           \
	{                                                                                          \
		sizeof(struct etalon_bench), #fn, fn, 0                                            \
	}
#define ETALON_BENCH_ARG(name, fn, arg)                                                            \
	{                                                                                          \
		sizeof(struct etalon_bench), name, fn, arg                                         \
	}
#define ETALON_MAIN(...)                                                                           \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		const struct etalon_bench benches[] = { __VA_ARGS__ };                             \
		return etalon_bench_main(                                                          \
			argc, argv, benches, sizeof(benches) / sizeof(benches[0]));                \
	}

#ifdef __cplusplus
}
#endif

#endif
