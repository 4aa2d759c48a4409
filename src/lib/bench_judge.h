/* SPDX-License-Identifier: MIT */
/* Judges the samples of several processes: pure functions, without libRmath. */
#ifndef ET_LIB_BENCH_JUDGE_H
#define ET_LIB_BENCH_JUDGE_H

#include "lib/bench_model.h"

/* Judges the slices of one case whose `old` is as given; false if there is no sample. */
bool et_bench_judge(const struct et_slice *slices, size_t n, bool old, unsigned flags, double level,
	struct et_bench_estimate *out);
/* Compares two sets of slices that were taken at different times (--baseline). */
void et_bench_compare_apart(const struct et_slice *new_slices, size_t n_new,
	const struct et_slice *old_slices, size_t n_old,
	const struct et_bench_estimate *new_estimate, const struct et_bench_estimate *old_estimate,
	double level, struct et_bench_comparison *out);
/* Compares pairs of slices (the same `process` and case, `old` and not) taken side by side. */
void et_bench_compare_pairs(
	const struct et_slice *slices, size_t n, double level, struct et_bench_comparison *out);

#endif
