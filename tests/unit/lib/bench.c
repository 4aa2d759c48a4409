/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Comparison with kept results: the interval holds both errors. */
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
		"one is listed");
	ok(list(0, "f", nothing) == ET_EXIT_USAGE, "sz of 0");
	ok(list((size_t)-1, "f", nothing) == ET_EXIT_USAGE, "sz of all memory");
	ok(list(sizeof(struct etalon_bench) + 4, "f", nothing) == ET_EXIT_USAGE,
		"an sz at which the next one is not aligned");
	ok(list(sizeof(struct etalon_bench), "f", NULL) == ET_EXIT_USAGE, "a null function");
	ok(list(sizeof(struct etalon_bench), NULL, nothing) == ET_EXIT_USAGE, "no name");
}

int main(void)
{
	struct et_bench_entry kept = { .ns = 100, .error = 0.01 }, none = { .ns = 0, .error = 0 };
	struct et_bench_comparison c = et_bench_compare(103, 0.01, &kept);

	near(c.ratio, 1.03, 1e-12, 0, "the ratio");
	near(c.lo, 103 * 0.99 / 101, 1e-12, 0, "at least: the new too long, the old too short");
	near(c.hi, 103 * 1.01 / 99, 1e-12, 0, "at most: the other way round");
	ok(c.verdict == ET_BENCH_SLOWER, "surely slower");
	ok(et_bench_compare(101, 0.01, &kept).verdict == ET_BENCH_SAME,
		"within the errors: the same");
	ok(et_bench_compare(95, 0.01, &kept).verdict == ET_BENCH_FASTER, "surely faster");
	ok(et_bench_compare(500, INFINITY, &kept).verdict == ET_BENCH_UNSURE, "an unknown error");
	ok(et_bench_compare(5, 0.01, &none).verdict == ET_BENCH_UNSURE, "a kept time of 0");
	bad_input();
	return tap_done();
}
