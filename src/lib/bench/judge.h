/* SPDX-License-Identifier: MIT */
/* Judges the samples of several processes, by flags of enum etalon_bench_flags: pure functions. */
#pragma once

#include "lib/bench/model.h"

/*
 * Judges the slices of one case whose `old` is as given; false if there is no sample. The interval
 * contains the answer of another invocation with probability `level`. With one process nothing is
 * known about that: the interval is then unlimited.
 */
bool et_bench_judge(const struct et_slice *slices, size_t n, bool old, unsigned flags, double level,
	struct et_bench_estimate *out);
/*
 * Compares sets of slices taken at different times (--baseline), each with one `old`, by the
 * statistic that suits both. The interval contains the ratio with probability `level`.
 */
void et_bench_compare_apart(const struct et_slice *new_slices, size_t n_new,
	const struct et_slice *old_slices, size_t n_old, unsigned flags, double level,
	struct et_bench_comparison *out);
/* Compares pairs of slices (the same `process` and case, `old` and not) taken side by side. */
void et_bench_compare_pairs(const struct et_slice *slices, size_t n, unsigned flags, double level,
	struct et_bench_comparison *out);
/*
 * Decides which cases regressed by more than fail_ratio (0.05: 5 %; infinite: none can), such that
 * the probability of any false alarm among them is at most 1 - level (Holm 1979). Returns how many.
 */
size_t et_bench_family(struct et_bench_row *rows, size_t n, double fail_ratio, double level);

/* --- the samples of one case as one value per process, by one method for all of them --- */

/* The slices of one program in a list that may contain those of another. */
struct et_slices {
	const struct et_slice *list;
	size_t n;
	bool old; /* those of the old program */
};

/* How far off, relatively, a process may be before it counts as if it were that far off. */
#define ET_BENCH_REACH 0.1

/* Which samples count, in which statistic. A recorded cause leaves one out, never its duration. */
struct et_bench_method {
	enum et_bench_statistic statistic;
	enum et_bench_reason reason;
	bool all_speeds; /* too few samples ran at full speed: the others count too */
	bool by_cpu;     /* almost all samples were preempted: their CPU time counts */
	bool cpu_wanted; /* of the same samples, the CPU time */
	/* The cost of an empty call, one for all processes: errors would look like differences. */
	double empty_ns;
	double empty_uncertainty_ns; /* standard uncertainty of its mean over the processes */
	double doubt_ns;             /* and by what all processes share: how it is measured */
};

/* flags: enum etalon_bench_flags. */
struct et_bench_method et_bench_method_choose(const struct et_slices *s, unsigned flags);
/* One method for two sets of slices that are to be compared: the less demanding of theirs. */
struct et_bench_method et_bench_method_join(
	const struct et_bench_method *a, const struct et_bench_method *b);

/* One value per process, and what they have in common. */
struct et_bench_summary {
	size_t n;             /* processes with samples that count */
	double *ns;           /* their values … */
	unsigned *process;    /* … and numbers, ascending */
	double within;        /* typical relative sd within a process; NaN: unknown */
	double drift_ns;      /* standard uncertainty by the state of the machine */
	double resolution_ns; /* a tick of the clock and what a sample itself costs, per call */
};

void et_bench_summarise(
	const struct et_slices *s, const struct et_bench_method *m, struct et_bench_summary *out);
void et_bench_summary_free(struct et_bench_summary *v);

/* Where the values of processes lie, and how sure that is. */
struct et_location {
	double at;
	double se; /* standard error; NaN for one value */
	double df; /* its degrees of freedom */
	double sd; /* of the values */
};

/*
 * The mean without the lowest and the highest fifth, and its standard error from the winsorised
 * variance (Tukey and McLaughlin 1963, Yuen 1974), so that a process in a rare state does not
 * decide. Below five values it is the plain mean.
 */
struct et_location et_locate(const double *x, size_t n);
/*
 * The same place, but with the standard error of the plain mean if that is larger: processes may be
 * of two kinds, and trimming can hide the rarer one. For this, values farther than reach from the
 * place count as if they were that far: one absurd process does not make the answer worthless.
 */
struct et_location et_locate_cautiously(const double *x, size_t n, double reach);
