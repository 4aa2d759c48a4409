/* SPDX-License-Identifier: MIT */
/* The benchmarks of a program, and the cases that they and their parameters make. */
#pragma once

#include "lib/bench/model.h"

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
 * Refuses benchmarks that are incomplete, axes that never end, more cases than anybody can want and
 * equal names, with exit status 2; equal names of benchmarks with ETALON_BENCH_SAME_NAME are made
 * different instead.
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
