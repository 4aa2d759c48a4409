// SPDX-License-Identifier: GPL-3.0-or-later
// bench-kbest-google N: times N blocks of the same function by Google Benchmark. Prints CSV, and the
// mean of the true times (ticks of the counter) of the calls that its result is based on.
#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>

extern "C" {
#include "lab/self_timed.h"
}

int main(int argc, char **argv)
{
	static char csv[] = "--benchmark_format=csv";
	char *args[] = { argv[0], csv, nullptr };
	const std::size_t stamps = 16u << 20;
	std::size_t blocks = argc == 2 ? std::strtoul(argv[1], nullptr, 10) : 0;
	et_self_timed w;
	double truth = 0;
	int n = 2;

	if (!blocks || blocks > stamps)
		return 2;
	et_self_timed_init(&w, blocks, stamps / blocks);
	benchmark::RegisterBenchmark("work", [&w](benchmark::State &state) {
		w.calls = 0; // Google Benchmark runs several rounds, and only the last one counts
		for (auto _ : state)
			et_self_timed_call(&w);
	});
	benchmark::Initialize(&n, args);
	benchmark::RunSpecifiedBenchmarks();
	for (std::size_t i = 0; i < w.calls; i++)
		truth += et_self_timed_truth(&w, i) / static_cast<double>(w.calls);
	std::printf("truth,%.9g\n", truth);
	et_self_timed_free(&w);
	return 0;
}
