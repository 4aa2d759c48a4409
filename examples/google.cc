// SPDX-License-Identifier: MIT
// A file of benchmarks for Google Benchmark, which libetalon runs unchanged:
//	c++ -O2 google.cc $(pkg-config --cflags --libs etalon-compat) -o google
#include <benchmark/benchmark.h>

#include <cstring>
#include <vector>

static void BM_copy(benchmark::State &state)
{
	std::vector<char> from(static_cast<size_t>(state.range(0)), 'x'), to(from.size());

	for (auto _ : state) {
		std::memcpy(to.data(), from.data(), from.size());
		benchmark::ClobberMemory();
	}
	state.SetBytesProcessed(state.iterations() * state.range(0));
}
BENCHMARK(BM_copy)->Range(64, 4096);

BENCHMARK_MAIN();
