/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What etalon_bench_main hands from its options to its reports. */
#ifndef ET_LIB_BENCH_H
#define ET_LIB_BENCH_H

#include "base/error.h"

#include <etalon/etalon.h>
#include <stdbool.h>

/* A function's figure from an earlier run. */
struct et_bench_entry {
	char *name;
	double ns, error;
};

struct et_bench_baseline {
	struct et_bench_entry *list;
	size_t n;
};

/* "warm" or "cold" for an enum etalon_kbest_cache. */
const char *et_bench_cache_name(int cache);
/* A file that --json wrote, with the cache as it is to be now. */
int et_bench_baseline_read(
	const char *path, int cache, struct et_bench_baseline *out, struct et_error *err);
void et_bench_baseline_free(struct et_bench_baseline *b);
/* NULL: it has none of that name. */
const struct et_bench_entry *et_bench_baseline_find(
	const struct et_bench_baseline *b, const char *name);

enum et_bench_verdict { ET_BENCH_SAME, ET_BENCH_FASTER, ET_BENCH_SLOWER, ET_BENCH_UNSURE };

struct et_bench_comparison {
	double ratio, lo, hi; /* to the kept time; both predicted errors are in the interval */
	enum et_bench_verdict verdict;
};

/* An error may be infinite, a kept time 0: the verdict is then that it cannot be told. */
struct et_bench_comparison et_bench_compare(
	double ns, double error, const struct et_bench_entry *baseline);

struct et_bench_outcome {
	const char *name;
	struct etalon_kbest_result r;
	bool compared;                         /* there is a baseline */
	const struct et_bench_entry *baseline; /* or NULL: it has no such function */
	struct et_bench_comparison comparison;
};

void et_bench_text(const struct et_bench_outcome *b, const struct etalon_kbest_opts *o, FILE *out);
void et_bench_json(const struct et_bench_outcome *list, size_t n, const struct etalon_kbest_opts *o,
	FILE *out);

#endif
