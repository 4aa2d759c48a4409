/* SPDX-License-Identifier: MIT */
/*
 * Judges the samples of several processes: pure functions, without libRmath. The flags are those of
 * enum etalon_bench_flags.
 */
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
 * Compares two sets of slices that were taken at different times (--baseline), by the statistic
 * that suits both. `old` is the same in all slices of a set. The interval contains the true ratio
 * with probability `level`.
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
