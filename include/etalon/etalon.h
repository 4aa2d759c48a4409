/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * libetalon: timing inside a program, with the clock that `etalon run` uses outside it.
 * Plain C99 to C++20. Link with -letalon (pkg-config etalon). The manual is etalon(3).
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

/* The version of the library that is linked, such as "0.1.0". Static; do not free. */
ETALON_API const char *etalon_version(void);

/*
 * A stopwatch: monotonic wall time, not bent by changes of the system's date. It allocates nothing
 * and needs no end. Set it by etalon_stopwatch_start; its members are the library's.
 */
struct etalon_stopwatch {
	uint64_t start_ns;
};

ETALON_API void etalon_stopwatch_start(struct etalon_stopwatch *watch);
/* Nanoseconds since the start. It goes on running: read it as often as you like. */
ETALON_API uint64_t etalon_stopwatch_ns(const struct etalon_stopwatch *watch);

/*
 * The processor's counter, for stretches of a few instructions: etalon_ticks_start before,
 * etalon_ticks_stop behind, the difference is counter ticks. An invariant counter ticks at a fixed
 * rate whatever the core does: ticks are a unit of time, not the core's cycles. Where the processor
 * has no counter that we know, ticks are nanoseconds.
 *
 * All that is before etalon_ticks_start has ended when it reads, all that is before
 * etalon_ticks_stop when that does. Nothing holds back what comes after: on x86-64 a processor that
 * works out of order may begin the timed instructions some nanoseconds before the first reading. A
 * fence against that (etalon_kbest has it) would add a fifth to the cost of the pair.
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
 * Keeps a value, and so what computed it, from being optimised away: a number or a pointer; of an
 * object give the address. ETALON_CLOBBER: all memory may have been read and written here.
 */
#ifdef __GNUC__
#define ETALON_KEEP(x) __asm__ __volatile__("" : : "g"(x) : "memory")
#define ETALON_CLOBBER() __asm__ __volatile__("" : : : "memory")
#else
#define ETALON_KEEP(x) ((void)(x))
#define ETALON_CLOBBER() ((void)0)
#endif

/* What functions here return: 0 or one of these. etalon_strerror has a sentence for each. */
enum etalon_status {
	ETALON_OK = 0,
	ETALON_NOT_CONVERGED = -1, /* the result is filled all the same */
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

/* Never NULL, also for numbers that are no status. */
ETALON_API const char *etalon_strerror(int status);

/* Which clock times the samples. */
enum etalon_kbest_clock {
	ETALON_CLOCK_AUTO = 0,    /* the counter where it can be trusted, else the raw clock */
	ETALON_CLOCK_COUNTER = 1, /* the processor's counter or ETALON_BAD_CLOCK */
	ETALON_CLOCK_RAW = 2,     /* CLOCK_MONOTONIC_RAW */
	ETALON_CLOCK_CPU =
		3 /* CPU time of the thread; also reported where none of the others can be */
};

enum etalon_kbest_cache {
	ETALON_CACHE_WARM = 0, /* as the call before left it */
	ETALON_CACHE_COLD =
		1 /* the last-level cache is filled with other data before each sample */
};

enum etalon_kbest_priority {
	/*
	 * When others keep running within samples: a real-time priority (SCHED_FIFO 1) around
	 * samples, where the thread may take one (root, CAP_SYS_NICE or RLIMIT_RTPRIO). The others
	 * have their turn after 50 ms, or behind one sample and the look at interrupts that
	 * follows it, which take up to three times as long as the function.
	 */
	ETALON_PRIORITY_AUTO = 0,
	ETALON_PRIORITY_KEEP = 1 /* the thread's own, always */
};

/* Set by etalon_kbest_opts_init, then change what you like. Grows at its end; sz tells how far. */
struct etalon_kbest_opts {
	size_t sz;
	uint32_t k;           /* so many best that agree: 3; at most 64 */
	uint32_t max_samples; /* M: 1000 */
	double epsilon;       /* within so much of each other: 0.001 */
	int cache;            /* enum etalon_kbest_cache */
	int clock;            /* enum etalon_kbest_clock */
	uint32_t calls;       /* of the function in one sample, the first of them cold; 0: chosen */
	int compensate;       /* for timer interrupts and switches: 1 */
	uint64_t least_ns;    /* samples are spread over at least this time: 0.3 s */
	uint64_t limit_ns;    /* no new sample behind it, once K are there: 10 s; 0: none */
	void *clear_memory;   /* for ETALON_CACHE_COLD; NULL: mapped before the first sample */
	size_t clear_bytes;   /* of it, at least the last-level cache's */
	int priority;         /* enum etalon_kbest_priority */
};

/* Defaults. sz is sizeof(struct etalon_kbest_opts). ETALON_BAD_SIZE when no version had that size.
 */
ETALON_API int etalon_kbest_opts_init(struct etalon_kbest_opts *opts, size_t sz);

/* What makes a result doubtful: bits of etalon_kbest_result.warnings. */
enum etalon_warning {
	ETALON_WARNING_SPREAD = 1,    /* K samples never agreed */
	ETALON_WARNING_PREEMPTED = 2, /* hardly a sample was undisturbed: CPU time is reported */
	ETALON_WARNING_SLOW = 4,      /* the processor ran slower than it can around the best */
	ETALON_WARNING_NOT_INVARIANT = 8, /* the counter has no fixed rate: another clock is used */
	ETALON_WARNING_BACKWARDS = 16,    /* the counter went backwards: another clock is used */
	ETALON_WARNING_NO_TICK_COST =
		32,                     /* it meets timer interrupts, and their cost is not known */
	ETALON_WARNING_INTERRUPTS = 64, /* interrupts took more than could be compensated */
	ETALON_WARNING_OVERHEAD = 128, /* not longer than the uncertainty of the clock's own cost */
	ETALON_WARNING_CACHE_SIZE = 256 /* size of the last-level cache not known: 64 MiB assumed */
};

/* A sentence for one bit; "" for none. */
ETALON_API const char *etalon_warning_text(unsigned warning);

struct etalon_kbest_result {
	size_t sz;             /* bytes that the library filled */
	int converged;         /* K samples agreed within epsilon */
	int clock;             /* what timed the best: ETALON_CLOCK_COUNTER, RAW or CPU */
	const char *unit;      /* of ticks: "tsc ticks", "cntvct ticks", "ns" */
	double ticks;          /* the best, of one call */
	double ns;             /* the same in nanoseconds */
	double spread;         /* (K-th best - best) / best; infinite with fewer than K samples */
	double error;          /* predicted: within this share of ns, at 95 % */
	double hz;             /* ticks a second */
	double hz_uncertainty; /* its standard uncertainty */
	double overhead_ns;    /* of reading the clock, subtracted from each sample */
	double overhead_uncertainty_ns;
	double compensated_ns; /* subtracted from the best for interrupts and switches, a call */
	double slowdown;       /* of the processor around the best, as a share: 0 at full speed */
	uint64_t samples;      /* taken */
	uint64_t preempted;    /* of these another ran in, or the hypervisor took the CPU */
	uint64_t calls;        /* of the function in a sample */
	uint64_t elapsed_ns;   /* from the first sample to the last */
	unsigned warnings;     /* enum etalon_warning */
	int realtime;          /* samples were taken with a real-time priority */
};

/*
 * The time of fn(arg): best of K samples that agree. sz is sizeof(struct etalon_kbest_result).
 * Nothing is allocated, printed or locked between the first sample and the last. The first call in
 * a thread takes a tenth of a second longer, to learn what the clock costs. fn has to return: one
 * that jumps or throws out of here leaves the thread with what it was given for the sample.
 */
ETALON_API int etalon_kbest(void (*fn)(void *), void *arg, const struct etalon_kbest_opts *opts,
	struct etalon_kbest_result *result, size_t sz);

/* One function of a file of benchmarks. */
struct etalon_bench {
	size_t sz;
	const char *name;
	void (*fn)(void *);
	void *arg;
};

/*
 * A whole main: takes the options of etalon(3), times each, prints. Returns the exit status: 0; 1
 * when --fail-on-regression found one; 2 wrong usage; 3 when a clock or memory is missing; 4 when a
 * file could not be read or written.
 */
ETALON_API int etalon_bench_main(
	int argc, char **argv, const struct etalon_bench *benches, size_t n);

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
