/* SPDX-License-Identifier: MIT */
/*
 * The values that the parts of etalon_bench_main hand to each other: cases (what is timed), slices
 * (the samples of one case from one process), estimates and comparisons (what they say), results
 * (all of it, as reports and files see it).
 */
#pragma once

#include "base/error.h"

#include <etalon/etalon.h>

enum { ET_BENCH_PARAMS = 8 };

/* One benchmark with one combination of parameters and one number of threads. */
struct et_bench_case {
	const struct etalon_bench *bench;
	char *name; /* "sort/1024/threads:4" */
	int64_t params[ET_BENCH_PARAMS];
	size_t n_params;
	unsigned threads; /* at least 1 */
};

/* The benchmarks of a program, and the cases that they and their parameters make. */
struct et_bench_cases {
	struct et_bench_case *list;
	size_t n;
	struct etalon_bench *benches; /* copies, to which the cases point */
	/* Of benchmarks with ETALON_BENCH_SAME_NAME: repeated cases that were dropped, and cases
	 * that were named "name#2" because another benchmark has their name. */
	size_t dropped, numbered;
};

/*
 * Makes the cases of n benchmarks and of the registered ones. A benchmark is expanded by its axes
 * or its rows of parameters, and by its numbers of threads, or by `threads` if that is not NULL.
 * Refuses incomplete benchmarks, axes that never end, more cases than anybody can want and equal
 * names, with exit status 2; equal names with ETALON_BENCH_SAME_NAME are made different instead.
 */
int et_cases_build(const struct etalon_bench *benches, size_t n, const unsigned *threads,
	size_t n_threads, struct et_bench_cases *out, struct et_error *err) ET_CHECK;
/*
 * Keeps the cases whose names match the regular expression `filter` (or, if it begins with '-', do
 * not match the rest of it) and do not match `exclude`; either may be NULL. Fails if none is left.
 */
int et_cases_filter(struct et_bench_cases *c, const char *filter, const char *exclude,
	struct et_error *err) ET_CHECK;
/* The name of parameter number k of the cases of a benchmark, or NULL. */
const char *et_param_name(const struct etalon_bench *b, size_t k);
/* Returns NULL if no case has that name. */
const struct et_bench_case *et_cases_find(const struct et_bench_cases *c, const char *name);
void et_cases_free(struct et_bench_cases *c);

enum et_bench_when { ET_BENCH_AUTO, ET_BENCH_ALWAYS, ET_BENCH_NEVER };

/* The options of the program. */
struct et_bench_options {
	struct etalon_kbest_opts kbest; /* k, epsilon, cache, clock, compensate, priority … */
	unsigned processes;             /* 0: chosen by the program */
	unsigned repetitions;           /* 0: once */
	uint64_t case_ns;               /* time per case, over all processes; 0: not given */
	uint64_t limit_ns;              /* of the whole program; 0: none */
	uint64_t case_limit_ns;         /* of one case, over all processes */
	uint64_t timeout_ns;            /* a function that takes longer has hung */
	double level;                   /* of intervals, 0.95 */
	double fail_ratio;              /* INFINITY: regressions do not matter */
	uint64_t seed;
	const char *filter, *exclude; /* regular expressions; NULL: none */
	const char *json, *csv, *markdown, *google, *google_csv, *baseline, *against;
	int statistic; /* 0: chosen by the program; 1 + enum et_bench_statistic: by the user */
	enum et_bench_when progress, color;
	const unsigned *threads; /* of --threads; NULL: those of the benchmark */
	size_t n_threads;
	bool list, quiet, verbose, max_samples_given;
};

/* Marks of a sample; none of them removes it. */
enum et_bench_mark {
	ET_BENCH_PREEMPTED = 1, /* another thread or virtual machine had the CPU meanwhile */
	ET_BENCH_SLOW = 2,      /* the processor ran below its full speed around it */
	ET_BENCH_FIRST = 4,     /* the first of its slice: caches may have been cold */
};

struct et_bench_sample {
	double ns;       /* of one call; the costs of clock and loop are subtracted */
	double cpu_ns;   /* of one call, CPU time of the thread */
	double slowdown; /* relative, of the reference loop before and after; 0: none */
	unsigned marks;  /* enum et_bench_mark */
};

struct et_bench_counter {
	char *name;
	double value; /* finished: rates are per second, averages are divided */
	unsigned kind;
};

/* Events of the processor, per call; NaN where the machine or its settings refuse them. */
enum et_bench_event {
	ET_EVENT_CYCLES,
	ET_EVENT_INSTRUCTIONS,
	ET_EVENT_BRANCH_MISSES,
	ET_EVENT_CACHE_MISSES,
	ET_EVENTS
};

/* The samples of one case from one process, without a pause. wire.c sends all members. */
struct et_slice {
	size_t which;     /* number of the case */
	unsigned process; /* from 0 */
	bool old;         /* from the program of --against */
	uint64_t calls;   /* per sample */
	/* The cost of an empty call or loop, per call: measured, and subtracted from samples. */
	double empty_ns, empty_uncertainty_ns;
	double overhead_ns; /* of reading the clock, per sample; subtracted */
	double floor_loss_ns, floor_loss_uncertainty_ns; /* least time of interrupts; subtracted */
	double hz;
	int clock; /* ETALON_CLOCK_COUNTER, RAW or CPU */
	/* Elapsed time of a sample with given times or pauses; 0: calls times ns. */
	double sample_ns;
	struct et_bench_sample *samples;
	size_t n;
	double events[ET_EVENTS];
	int events_error;      /* errno of one that cannot be counted; 0: none */
	bool events_user_only; /* without the kernel's part */
	double items, bytes;   /* per call; 0: not set */
	double size;           /* of the input; NaN: not set */
	double wall_ns; /* with threads: time of all of them per call of one; NaN otherwise */
	double at_once; /* how many of the threads run at the same time; 0: there is one */
	double loop_ns; /* elapsed time per call of one thread, by which counters have rates */
	struct et_bench_counter *counters;
	size_t n_counters;
	unsigned warnings;   /* bits of enum etalon_warning */
	char *label, *error; /* NULL: none */
	bool skipped; /* the error is no failure: the function said that it cannot run here */
};

void et_slice_free(struct et_slice *s);

/* The statistic that answers "how long does it take?". */
enum et_bench_statistic { ET_BENCH_BEST, ET_BENCH_MEDIAN, ET_BENCH_MEAN };

/* Samples are judged by etalon_bench_flags and, shifted by this, `statistic` of the options. */
enum { ET_BENCH_ASKED_SHIFT = 16 };

/* Why the best is not the answer. */
enum et_bench_reason {
	ET_BENCH_FLOOR_HOLDS,
	ET_BENCH_BELOW_FLOOR,  /* samples at reduced speed were shorter than all at full speed */
	ET_BENCH_CALLS_DIFFER, /* calls do different work, or only some do it */
	ET_BENCH_NO_FLOOR,     /* the shortest samples do not agree */
	ET_BENCH_ASKED,        /* by the user */
};

struct et_bench_estimate {
	enum et_bench_statistic statistic;
	enum et_bench_reason reason;
	double ns;              /* the answer, per call */
	double lo_ns, hi_ns;    /* interval: contains what other invocations would give */
	double between, within; /* relative sd between processes, and within them */
	double min_ns, median_ns, mean_ns, sd_ns, q1_ns, q3_ns, p10_ns, p90_ns, p99_ns, max_ns;
	size_t n, processes, preempted, slow;
	unsigned warnings;
};

enum et_bench_verdict { ET_BENCH_SAME, ET_BENCH_FASTER, ET_BENCH_SLOWER, ET_BENCH_UNSURE };

struct et_bench_comparison {
	double ratio, lo, hi; /* new / old */
	double p;             /* of no difference; NaN: not tested */
	double se, df;        /* standard error of log(ratio), and its degrees of freedom */
	double resolution;    /* differences of log(ratio) below this are not claimed */
	enum et_bench_verdict verdict;
	/* Filled by et_bench_family, for all cases of the invocation together. */
	double p_family; /* of no regression beyond fail_ratio, by Holm; NaN: not tested */
	bool regression;
};

/* Everything about one case. */
struct et_bench_row {
	char *name;
	const struct et_bench_case *which; /* NULL in results that were read from a file */
	char *error;  /* why the function failed, or NULL; it may have slices all the same */
	bool skipped; /* the error is no failure, see struct et_slice */
	struct et_slice *slices;
	size_t n_slices;
	struct et_bench_estimate estimate; /* of the new program */
	bool has_old;                      /* a baseline or --against has this case */
	struct et_bench_estimate old;
	struct et_bench_comparison comparison;
};

/* Where and how the results were obtained; all strings may be NULL. */
struct et_bench_context {
	char *date, *host, *kernel, *cpu, *compiler, *flags, *version, *program, *machine_id;
	unsigned cpus;
	double hz, load;
	bool optimised; /* the program was compiled with optimisation, as far as known */
};

struct et_complexity;

struct et_bench_results {
	struct et_bench_options options;
	struct et_bench_context context;
	struct et_bench_row *rows;
	size_t n;
	struct et_complexity *complexity; /* of benchmarks with ETALON_BENCH_COMPLEXITY */
	size_t n_complexity;
	bool cut_short; /* a signal ended the run before all samples were taken */
	bool google;    /* read from a file of Google Benchmark: its times are means */
	char **notes;   /* warnings that concern all cases: et_bench_note */
	size_t n_notes;
};

/* --- the command line of a benchmark program --- */

enum et_bench_action { ET_BENCH_TIME, ET_BENCH_HELP, ET_BENCH_VERSION };

/* Parses and checks the options. Texts point into argv; et_bench_options_free frees the rest. */
int et_bench_options_parse(int argc, char **argv, struct et_bench_options *out,
	enum et_bench_action *action, struct et_error *err) ET_CHECK;
void et_bench_options_free(struct et_bench_options *o);
void et_bench_options_help(const char *program, FILE *out);

/* --- the run --- */

/*
 * Times the cases in several processes: fills the rows of r, one for each case, with their slices;
 * r->options are set. A function that fails has the reason in its row. *signal is the signal that
 * ended it early, or 0. Fails if nothing can be timed: no clock, or no program of --against.
 */
int et_bench_run(const struct et_bench_cases *cases, char **argv, struct et_bench_results *r,
	int *signal, struct et_error *err) ET_CHECK;
/* Lets signals end the program again: until the results are written, they do not. */
void et_bench_run_end(void);
