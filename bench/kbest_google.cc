// SPDX-License-Identifier: GPL-3.0-or-later
// bench-kbest-google R: the same function by Google Benchmark, as CSV.
#include "bench/kbest_work.h"

#include <benchmark/benchmark.h>
#include <cstdlib>

int main(int argc, char **argv)
{
	static char csv[] = "--benchmark_format=csv";
	char *args[] = { argv[0], csv, nullptr };
	int n = 2;

	if (argc != 2)
		return 2;
	unsigned long rounds = std::strtoul(argv[1], nullptr, 10);
	benchmark::RegisterBenchmark("work", [rounds](benchmark::State &state) {
		for (auto _ : state)
			kbest_work(rounds);
	});
	benchmark::Initialize(&n, args);
	benchmark::RunSpecifiedBenchmarks();
	return 0;
}
