/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * bench-functions [NAME…]: times the functions of `etalon lab functions` by hand, as programs often
 * do: enough calls for 50 ms, ten times. Prints name, mean and standard deviation in ns per line.
 */
#include "lab/functions.h"
#include "base/base.h"
#include "base/clock.h"
#include "num/moments.h"

#include <stdbool.h>
#include <string.h>

enum { TIMES = 10, LEAST_NS = 50000000 };

static double time_calls(const struct etalon_bench *b, uint64_t calls)
{
	uint64_t start = et_clock_read_ns(CLOCK_MONOTONIC);

	for (uint64_t i = 0; i < calls; i++)
		b->fn(b->arg);
	return (double)(et_clock_read_ns(CLOCK_MONOTONIC) - start);
}

static void by_hand(const struct etalon_bench *b)
{
	double ns[TIMES];
	uint64_t calls = 1;

	while (time_calls(b, calls) < LEAST_NS)
		calls *= 2;
	for (int i = 0; i < TIMES; i++)
		ns[i] = time_calls(b, calls) / (double)calls;
	printf("%s %.9g %.9g\n", b->name, et_mean(ns, TIMES), et_sd(ns, TIMES));
}

int main(int argc, char **argv)
{
	const struct etalon_bench *list;
	size_t n;
	struct et_lab_data *d = et_lab_functions_begin(&list, &n);

	for (size_t i = 0; i < n; i++) {
		bool wanted = argc == 1;

		for (int k = 1; k < argc; k++)
			wanted |= !strcmp(argv[k], list[i].name);
		if (wanted)
			by_hand(&list[i]);
	}
	et_lab_functions_end(d);
	return 0;
}
