/* SPDX-License-Identifier: MIT */
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
 * Returns the rate of these ticks in hz and its standard uncertainty; either pointer may be NULL.
 * The first of these calls in a thread takes a twentieth of a second, to measure the rate. Returns
 * ETALON_BAD_CLOCK with NaN if the counter has no fixed rate or goes backwards: ticks are then no
 * measure of time, and the stopwatch is.
 */
ETALON_API int etalon_ticks_rate(double *hz, double *uncertainty);
/* Converts ticks to nanoseconds; NaN if the rate is not known. */
ETALON_API double etalon_ticks_ns(double ticks);
/*
 * Measures what etalon_ticks_stop() - etalon_ticks_start() is with nothing in between, in ticks,
 * and how far it varies; either pointer may be NULL. Returns an etalon_status.
 */
ETALON_API int etalon_ticks_cost(double *ticks, double *uncertainty);

/* A period in which this thread did not run; nanoseconds since the call of etalon_inactive. */
struct etalon_period {
	double start_ns, end_ns;
};

/* A summary of the periods that etalon_inactive found. */
struct etalon_inactivity {
	uint64_t periods; /* as many as were found, also those that were not stored */
	double inactive_ns, elapsed_ns;
	double threshold_ns; /* readings of the clock further apart than this are a period */
	int clock;           /* ETALON_CLOCK_COUNTER, or ETALON_CLOCK_RAW if it cannot be trusted */
};

/*
 * Reads the clock over and over, and stores the periods in which this thread lost its CPU to an
 * interrupt, another thread or another virtual machine. It ends after duration_ns, or as soon as
 * the list is full: with a capacity of 1 it waits for one period. threshold_ns 0: chosen by the
 * library, at least 1 µs. list or out may be NULL. Returns an etalon_status.
 */
ETALON_API int etalon_inactive(double threshold_ns, double duration_ns, struct etalon_period *list,
	size_t capacity, struct etalon_inactivity *out);

/*
 * ETALON_KEEP(x) makes the compiler compute x, although nothing else uses it. ETALON_HIDE(x) makes
 * it forget what it knows about the value of a variable: it can neither compute in advance what
 * depends on x, nor move it out of a loop. Hide the inputs of timed code and keep its outputs. Both
 * take numbers, pointers and structs; for an array, pass a pointer to it. Memory that pointers
 * reach is read and written too, as with ETALON_CLOBBER, as far as the compiler knows. Numbers and
 * pointers stay in registers.
 */
#ifdef __GNUC__
#define ETALON_CLOBBER() __asm__ __volatile__("" : : : "memory")
#if defined(__x86_64__)
#define ETALON_FLOAT_REGISTER "x"
#elif defined(__aarch64__)
#define ETALON_FLOAT_REGISTER "w"
#else
#define ETALON_FLOAT_REGISTER "m"
#endif
/* The compilers classify floating-point numbers as 8. */
#define ETALON_IS_FLOAT(x) (__builtin_classify_type(x) == 8 && sizeof(x) <= sizeof(double))
#define ETALON_IS_WORD(x)                                                                          \
	(!ETALON_IS_FLOAT(x) && (sizeof(x) == 1 || sizeof(x) == 2 || sizeof(x) == 4 ||             \
					sizeof(x) == sizeof(void *)))
#define ETALON_READ(constraint, x) __asm__ __volatile__("" : : constraint(x) : "memory")
#define ETALON_CHANGE(constraint, x) __asm__ __volatile__("" : "+" constraint(x) : : "memory")
#ifdef __cplusplus
} /* extern "C" */
template <bool is_float, bool is_word> struct etalon_opaque {
	template <class T> static inline void keep(const T &x)
	{
		ETALON_READ("m", x);
	}
	template <class T> static inline void hide(T &x)
	{
		ETALON_CHANGE("m", x);
	}
};
template <> struct etalon_opaque<true, false> {
	template <class T> static inline void keep(const T &x)
	{
		ETALON_READ(ETALON_FLOAT_REGISTER, x);
	}
	template <class T> static inline void hide(T &x)
	{
		ETALON_CHANGE(ETALON_FLOAT_REGISTER, x);
	}
};
template <> struct etalon_opaque<false, true> {
	template <class T> static inline void keep(const T &x)
	{
		ETALON_READ("r", x);
	}
	template <class T> static inline void hide(T &x)
	{
		ETALON_CHANGE("r", x);
	}
};
template <class T> struct etalon_opaque_as {
	static T &x;
	static const bool is_float = ETALON_IS_FLOAT(x);
	static const bool is_word = __is_trivially_copyable(T) && ETALON_IS_WORD(x);
	typedef etalon_opaque<is_float, is_word> type;
};
template <class T> inline void etalon_keep(const T &x)
{
	etalon_opaque_as<T>::type::keep(x);
}
template <class T> inline void etalon_hide(T &x)
{
	etalon_opaque_as<T>::type::hide(x);
}
#define ETALON_KEEP(x) etalon_keep(x)
#define ETALON_HIDE(x) etalon_hide(x)
extern "C" {
#else
/* A compiler checks the operands of branches that are never taken too. */
#define ETALON_AS_FLOAT(x) __builtin_choose_expr(ETALON_IS_FLOAT(x), x, etalon_float)
#define ETALON_AS_WORD(x) __builtin_choose_expr(ETALON_IS_WORD(x), x, etalon_word)
#define ETALON_OPAQUE(how, x)                                                                      \
	do {                                                                                       \
		double etalon_float = 0;                                                           \
		uintptr_t etalon_word = 0;                                                         \
		(void)etalon_float;                                                                \
		(void)etalon_word;                                                                 \
		if (ETALON_IS_FLOAT(x))                                                            \
			how(ETALON_FLOAT_REGISTER, ETALON_AS_FLOAT(x));                            \
		else if (ETALON_IS_WORD(x))                                                        \
			how("r", ETALON_AS_WORD(x));                                               \
		else                                                                               \
			how("m", x);                                                               \
	} while (0)
#define ETALON_KEEP(x)                                                                             \
	do {                                                                                       \
		__extension__ __auto_type etalon_kept = (x);                                       \
		ETALON_OPAQUE(ETALON_READ, etalon_kept);                                           \
	} while (0)
#define ETALON_HIDE(x) ETALON_OPAQUE(ETALON_CHANGE, x)
#endif
#else
#define ETALON_KEEP(x) ((void)(x))
#define ETALON_HIDE(x) ((void)(x))
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
	ETALON_BAD_PRIORITY = -10,
	ETALON_BAD_DURATION = -11
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
	/* All caches are filled with other data and code before each sample, which is one call. */
	ETALON_CACHE_COLD = 1,
	/*
	 * The data are cold, the code is warm: after clearing, the function is called with
	 * other_arg, untimed, which loads its code. Or a working_set is given.
	 */
	ETALON_CACHE_COLD_DATA = 2
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
	/*
	 * For a cold cache, the only memory to clear, line by line (NULL: everything is cleared).
	 * Code, stack and all other data stay warm.
	 */
	void *working_set;
	size_t working_set_bytes;
	void *other_arg; /* of ETALON_CACHE_COLD_DATA: an argument with other data than arg */
	/* Room for the samples, in nanoseconds per call and in their order (NULL: not wanted). */
	double *sample_ns;
	size_t sample_capacity;
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
	ETALON_WARNING_OVERHEAD = 128,    /* hardly longer than reading the clock, or the call */
	ETALON_WARNING_CACHE_SIZE = 256,  /* the cache's size is unknown: 64 MiB are assumed */
	ETALON_WARNING_NOT_COLD = 512,    /* loads after clearing the caches found data there */
	/* Samples at reduced speed were shorter than those at full speed: this is the median. */
	ETALON_WARNING_BELOW_FLOOR = 1024,
	ETALON_WARNING_CALLS_DIFFER = 2048, /* some calls do more than others: this is the mean */
	ETALON_WARNING_THREADS = 4096,      /* more threads than CPUs: they take turns */
	ETALON_WARNING_RATES = 8192 /* other programs had the CPUs meanwhile: rates are too low */
};

/* Returns a sentence in static memory for one bit, or "" if the bit has no meaning. */
ETALON_API const char *etalon_warning_text(unsigned warning);

/* Which figure of the samples is the result. */
enum etalon_statistic { ETALON_BEST = 0, ETALON_MEDIAN = 1, ETALON_MEAN = 2 };

/* ticks and all times are per call of the function, except overhead and elapsed_ns. */
struct etalon_kbest_result {
	size_t sz;        /* bytes that the library filled; it zeroed any further ones */
	int converged;    /* the K shortest samples agreed within epsilon */
	int clock;        /* clock of the result: ETALON_CLOCK_COUNTER, RAW or CPU */
	const char *unit; /* unit of ticks: "tsc ticks", "cntvct ticks", "ns" */
	double ticks;     /* the result, in ticks: the shortest time, unless statistic differs */
	double ns;        /* the same in nanoseconds */
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
	int statistic;       /* enum etalon_statistic: best, unless a warning says why not */
	double error_ns;     /* error * ns; finite even if ns is 0 */
	double empty_ns;     /* what an empty call adds to a call; already subtracted */
	double empty_uncertainty_ns; /* standard uncertainty of empty_ns */
	/*
	 * Of all samples that were not preempted, or of the CPU time of all. Interrupts are not
	 * subtracted from them.
	 */
	double min_ns, p10_ns, q1_ns, median_ns, q3_ns, p90_ns, mean_ns;
	size_t sample_n; /* samples in sample_ns of the options */
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

/*
 * The state of a benchmark whose function contains its own loop. The library hands it to the
 * function, which passes it on to the calls below.
 */
struct etalon_state;

/*
 * ETALON_LOOP(state) { … } times its body. It takes samples of many iterations each, so the clock
 * is read rarely; the cost of the loop itself is measured and subtracted. Code before and after it
 * is not timed. Use one loop per function, and leave it neither by break nor by return. Threads
 * begin their loops together, and none leaves its loop before all have finished.
 */
#define ETALON_LOOP(state)                                                                         \
	for (uint64_t etalon_left = etalon_loop_first(state);                                      \
		etalon_left > 0 || (etalon_left = etalon_loop_next(state)) > 0; etalon_left--)

/* Begin the first sample, or end one and begin the next; return its iterations, 0 at the end. */
ETALON_API uint64_t etalon_loop_first(struct etalon_state *state);
ETALON_API uint64_t etalon_loop_next(struct etalon_state *state);

/* Code between these two calls is not timed. Their own cost is measured and subtracted. */
ETALON_API void etalon_pause(struct etalon_state *state);
ETALON_API void etalon_resume(struct etalon_state *state);
/* Replaces the measured time of the current iteration (of a device, for example). */
ETALON_API void etalon_set_time(struct etalon_state *state, double ns);

ETALON_API void *etalon_arg(const struct etalon_state *state);
ETALON_API const char *etalon_name(const struct etalon_state *state); /* of the case */
/* Returns parameter number i, or 0 if there are fewer. */
ETALON_API int64_t etalon_param(const struct etalon_state *state, size_t i);
/* Returns the iterations of the loop so far; after the loop, all of them. */
ETALON_API uint64_t etalon_iterations(const struct etalon_state *state);
ETALON_API unsigned etalon_thread(const struct etalon_state *state);  /* from 0 */
ETALON_API unsigned etalon_threads(const struct etalon_state *state); /* 1 without --threads */

/* How much one iteration processes: shown as items and bytes per second. */
ETALON_API void etalon_set_items(struct etalon_state *state, double per_iteration);
ETALON_API void etalon_set_bytes(struct etalon_state *state, double per_iteration);
/* The size of the input, for complexity and cycles per element; parameter 0 if not set. */
ETALON_API void etalon_set_size(struct etalon_state *state, double n);
ETALON_API void etalon_set_label(struct etalon_state *state, const char *label);
/* The benchmark failed: the loop ends, and the reason is shown instead of a time. */
ETALON_API void etalon_fail(struct etalon_state *state, const char *why);
/* The same for a benchmark that cannot run here, which is no failure. */
ETALON_API void etalon_skip(struct etalon_state *state, const char *why);
/* Before the loop: each of its iterations does that many calls, and all figures are per call. */
ETALON_API void etalon_set_batch(struct etalon_state *state, uint64_t calls);

/* How a counter of the user is shown; bits. */
enum etalon_counter_kind {
	ETALON_COUNTER_PLAIN = 0,
	ETALON_COUNTER_RATE = 1,          /* divided by the time of the loop, in seconds */
	ETALON_COUNTER_PER_ITERATION = 2, /* divided by the number of iterations */
	ETALON_COUNTER_PER_THREAD = 4,    /* averaged over threads instead of summed up */
	ETALON_COUNTER_INVERT = 8,        /* one divided by it */
	ETALON_COUNTER_TIMES_ITERATIONS = 16
};

/* Sets a counter of that name; the library copies the name. */
ETALON_API void etalon_set_counter(
	struct etalon_state *state, const char *name, double value, unsigned kind);

/*
 * One parameter of a benchmark: n values, or (if values is NULL) from, … up to `to`, each
 * multiplied by `factor` or, if that is 0, increased by `step`. `to` is always included.
 */
struct etalon_axis {
	const char *name; /* may be NULL */
	const int64_t *values;
	size_t n;
	int64_t from, to, factor, step;
};

enum etalon_bench_flags {
	ETALON_BENCH_COMPLEXITY = 1,   /* fit how the time grows with the size */
	ETALON_BENCH_CALLS_DIFFER = 2, /* calls differ by intent: the answer is the mean */
	ETALON_BENCH_WALL = 4,         /* threads: judge the time of all threads together */
	ETALON_BENCH_MANUAL_TIME = 8,  /* etalon_set_time gives the time */
	/* Another benchmark may have the same name, and is then shown as "name#2". */
	ETALON_BENCH_SAME_NAME = 16
};

/* A model of how the time grows with the size n. */
enum etalon_growth {
	ETALON_GROWTH_BEST = 0, /* the one that fits best */
	ETALON_GROWTH_CONSTANT = 1,
	ETALON_GROWTH_LOG_N = 2,
	ETALON_GROWTH_N = 3,
	ETALON_GROWTH_N_LOG_N = 4,
	ETALON_GROWTH_N_SQUARED = 5,
	ETALON_GROWTH_N_CUBED = 6
};

/* One function of a benchmark program. Members after arg may be 0. */
struct etalon_bench {
	size_t sz; /* sizeof(struct etalon_bench) */
	const char *name;
	void (*fn)(void *); /* timed as a whole */
	void *arg;          /* passed to fn, setup and the others */
	/* Appended: */
	void (*body)(struct etalon_state *); /* instead of fn; contains ETALON_LOOP */
	void (*setup)(void *);               /* once before the samples of a process … */
	void (*teardown)(void *);            /* … and once after them; not timed */
	void (*before)(void *);         /* before each sample of fn, which is then one call … */
	void (*after)(void *);          /* … and after it; not timed */
	const struct etalon_axis *axes; /* all combinations are timed */
	size_t n_axes;
	const int64_t *cases; /* or these: n_cases rows of n_params parameters */
	size_t n_cases, n_params;
	const unsigned *threads; /* numbers of threads of body, each a case of its own */
	size_t n_threads;
	uint32_t calls;                             /* per sample (0: chosen by the library) */
	unsigned flags;                             /* enum etalon_bench_flags */
	void (*setup_state)(struct etalon_state *); /* as setup, with parameters; of body */
	void (*teardown_state)(struct etalon_state *);
	const char *const *param_names; /* n_params names for those of cases; each may be NULL */
	/* Of --cold=data, one of them, as in struct etalon_kbest_opts: */
	void *other_arg;   /* an argument with other data than arg */
	void *working_set; /* all data of the function */
	size_t working_set_bytes;
	int growth; /* of ETALON_BENCH_COMPLEXITY: the model to show, enum etalon_growth */
};

/*
 * Adds a benchmark to those of etalon_bench_main; any file of a program may do so before main. The
 * library copies the struct and the name; what else it points to must stay. Returns an
 * etalon_status.
 */
ETALON_API int etalon_register(const struct etalon_bench *bench);

/*
 * The main function of a benchmark program: parses the options that etalon(3) lists, times each of
 * the n functions and those of etalon_register, and prints the results. To include the variation
 * from process to process, it executes the program again several times; what main does before it is
 * then done again, with standard output discarded. benches may be NULL if n is 0. Returns the exit
 * status: 0; 1 if a function failed; 2 for wrong usage; 3 if a clock or memory is missing; 4 if a
 * file could not be read or written; 5 if --fail-on-regression found a regression; 128 + the signal
 * if it was interrupted.
 */
ETALON_API int etalon_bench_main(
	int argc, char **argv, const struct etalon_bench *benches, size_t n);

/*
 * Records how the program was compiled, for its JSON. ETALON_MAIN and ETALON_REGISTERED_MAIN call
 * it. The compiler does not tell its flags: define ETALON_FLAGS as a string to record them. The
 * strings must stay.
 */
ETALON_API void etalon_build(const char *compiler, const char *flags, int optimised);

#ifdef __clang__
#define ETALON_COMPILER __VERSION__
#elif defined(__GNUC__)
#define ETALON_COMPILER "gcc " __VERSION__
#else
#define ETALON_COMPILER 0
#endif
#ifndef ETALON_FLAGS
#define ETALON_FLAGS 0
#endif
#if defined(__OPTIMIZE__) || !defined(__GNUC__)
#define ETALON_BUILD() etalon_build(ETALON_COMPILER, ETALON_FLAGS, 1)
#else
#define ETALON_BUILD() etalon_build(ETALON_COMPILER, ETALON_FLAGS, 0)
#endif

/*
 * ETALON_MAIN(element, …) defines main(). ETALON_BENCH makes an element that is named like its
 * function, which gets NULL; ETALON_BENCH_ARG makes one with another name and argument;
 * ETALON_BENCH_BODY makes one of a function that contains ETALON_LOOP. In C++, ETALON_BENCHMARK of
 * etalon.hpp also takes functions without the argument, or with another result.
 */
#define ETALON_BENCH_ROW(name, fn, arg, body)                                                      \
	{                                                                                          \
		sizeof(struct etalon_bench), name, fn, arg, body, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
			0, 0, 0, 0, 0, 0, 0, 0, 0                                                  \
	}
#define ETALON_BENCH(...) ETALON_BENCH_ROW(#__VA_ARGS__, (__VA_ARGS__), 0, 0)
#define ETALON_BENCH_ARG(name, fn, arg) ETALON_BENCH_ROW(name, fn, arg, 0)
#define ETALON_BENCH_BODY(...) ETALON_BENCH_ROW(#__VA_ARGS__, 0, 0, (__VA_ARGS__))
#define ETALON_MAIN(...)                                                                           \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		const struct etalon_bench benches[] = { __VA_ARGS__ };                             \
		ETALON_BUILD();                                                                    \
		return etalon_bench_main(                                                          \
			argc, argv, benches, sizeof(benches) / sizeof(benches[0]));                \
	}

#ifdef __GNUC__
/*
 * ETALON_REGISTER(fn); and ETALON_REGISTER_BODY(fn); outside functions, in any file, register a
 * benchmark before main begins. ETALON_REGISTERED_MAIN() defines a main() that runs them.
 */
#define ETALON_REGISTER_AS(id, ...)                                                                \
	__attribute__((constructor)) static void etalon_register_##id(void)                        \
	{                                                                                          \
		const struct etalon_bench bench = __VA_ARGS__;                                     \
		etalon_register(&bench);                                                           \
	}                                                                                          \
	struct etalon_bench /* so that a semicolon may follow */
#define ETALON_REGISTER(fn) ETALON_REGISTER_AS(fn, ETALON_BENCH(fn))
#define ETALON_REGISTER_BODY(fn) ETALON_REGISTER_AS(fn, ETALON_BENCH_BODY(fn))
#endif
#define ETALON_REGISTERED_MAIN()                                                                   \
	int main(int argc, char **argv)                                                            \
	{                                                                                          \
		ETALON_BUILD();                                                                    \
		return etalon_bench_main(argc, argv, 0, 0);                                        \
	}

#ifdef __cplusplus
}
#endif

#endif
