/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The comparison with a baseline combines both errors; wrong lists of functions are refused. */
#include "lib/bench.h"
#include "tap.h"

#include <math.h>

static void nothing(void *arg)
{
	(void)arg;
}

static int list(size_t sz, const char *name, void (*fn)(void *))
{
	char program[] = "bench", option[] = "--list";
	char *argv[] = { program, option, NULL };
	struct etalon_bench one = { sz, name, fn, NULL };

	return etalon_bench_main(2, argv, &one, 1);
}

static void bad_input(void)
{
	ok(list(sizeof(struct etalon_bench), "# nothing", nothing) == ET_EXIT_DONE,
		"main: a function is listed");
	ok(list(0, "f", nothing) == ET_EXIT_USAGE, "main: sz of 0 is refused");
	ok(list((size_t)-1, "f", nothing) == ET_EXIT_USAGE, "main: sz of SIZE_MAX is refused");
	ok(list(sizeof(struct etalon_bench) + 4, "f", nothing) == ET_EXIT_USAGE,
		"main: an sz that misaligns the next element is refused");
	ok(list(sizeof(struct etalon_bench), "f", NULL) == ET_EXIT_USAGE,
		"main: a NULL function is refused");
	ok(list(sizeof(struct etalon_bench), NULL, nothing) == ET_EXIT_USAGE,
		"main: a function without a name is refused");
}

int main(void)
{
	struct et_bench_entry past = { .ns = 100, .error = 0.01 }, none = { .ns = 0, .error = 0 };
	struct et_bench_comparison c = et_bench_compare(103, 0.01, &past);

	near(c.ratio, 1.03, 1e-12, 0, "compare: the ratio is new time / baseline");
	near(c.lo, 103 * 0.99 / 101, 1e-12, 0,
		"compare: the lower limit assumes a new time too long and a baseline too short");
	near(c.hi, 103 * 1.01 / 99, 1e-12, 0, "compare: the upper limit assumes the opposite");
	ok(c.verdict == ET_BENCH_SLOWER, "compare: an interval above 1 is slower");
	ok(et_bench_compare(101, 0.01, &past).verdict == ET_BENCH_SAME,
		"compare: an interval that contains 1 is no difference");
	ok(et_bench_compare(95, 0.01, &past).verdict == ET_BENCH_FASTER,
		"compare: an interval below 1 is faster");
	ok(et_bench_compare(500, INFINITY, &past).verdict == ET_BENCH_UNSURE,
		"compare: an infinite error is unsure");
	ok(et_bench_compare(5, 0.01, &none).verdict == ET_BENCH_UNSURE,
		"compare: a baseline of 0 is unsure");
	bad_input();
	return tap_done();
}
