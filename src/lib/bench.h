/* SPDX-License-Identifier: MIT */
/* The parts of etalon_bench_main: the baseline, the comparison with it, and the reports. */
#ifndef ET_LIB_BENCH_H
#define ET_LIB_BENCH_H

#include "base/error.h"

#include <etalon/etalon.h>
#include <stdbool.h>

/* The time of one function in an earlier run. */
struct et_bench_entry {
	char *name;
	double ns, error; /* error is relative; infinite if it was unknown */
};

struct et_bench_baseline {
	struct et_bench_entry *list;
	size_t n;
};

/* Returns "warm" or "cold" for an enum etalon_kbest_cache. */
const char *et_bench_cache_name(int cache);
/* Reads a file that --json wrote. Fails if its functions were not timed with this cache. */
int et_bench_baseline_read(
	const char *path, int cache, struct et_bench_baseline *out, struct et_error *err) ET_CHECK;
void et_bench_baseline_free(struct et_bench_baseline *b);
/* Returns NULL if the baseline has no function of that name. */
const struct et_bench_entry *et_bench_baseline_find(
	const struct et_bench_baseline *b, const char *name);

enum et_bench_verdict { ET_BENCH_SAME, ET_BENCH_FASTER, ET_BENCH_SLOWER, ET_BENCH_UNSURE };

struct et_bench_comparison {
	double ratio, lo, hi; /* new time / baseline, and an interval from the errors of both */
	enum et_bench_verdict verdict;
};

/* The verdict is ET_BENCH_UNSURE if the errors sum up to 1 or more, or the limit is infinite. */
struct et_bench_comparison et_bench_compare(
	double ns, double error, const struct et_bench_entry *baseline);

/* The result of one function. */
struct et_bench_outcome {
	const char *name;
	struct etalon_kbest_result r;
	bool compared;                         /* --baseline was given */
	const struct et_bench_entry *baseline; /* NULL: the baseline lacks the function */
	struct et_bench_comparison comparison; /* valid if baseline is not NULL */
};

/* Write the result of one function as text, and those of n functions as JSON. */
void et_bench_outcome_text(
	const struct et_bench_outcome *b, const struct etalon_kbest_opts *o, FILE *out);
void et_bench_outcome_json(const struct et_bench_outcome *list, size_t n,
	const struct etalon_kbest_opts *o, FILE *out);

#endif
