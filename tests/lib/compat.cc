// SPDX-License-Identifier: GPL-3.0-or-later
// A file of benchmarks that is written for Google Benchmark. The test compiles it unchanged with
// libetalon, and with Google's own library where that is installed.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <string>
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
BENCHMARK(BM_copy)->Arg(64)->Range(512, 4096);

static void BM_while(benchmark::State &state)
{
	int x = 1;

	while (state.KeepRunning())
		benchmark::DoNotOptimize(x += 2);
	state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_while);

static void BM_sort(benchmark::State &state)
{
	std::vector<int> v(static_cast<size_t>(state.range(0)));

	for (auto _ : state) {
		state.PauseTiming();
		std::iota(v.rbegin(), v.rend(), 0);
		state.ResumeTiming();
		std::sort(v.begin(), v.end());
		benchmark::DoNotOptimize(v.data());
	}
	state.SetComplexityN(state.range(0));
}
BENCHMARK(BM_sort)->RangeMultiplier(4)->Range(64, 4096)->Complexity(benchmark::oNLogN);

static void BM_product(benchmark::State &state)
{
	int64_t sum = state.range(0) * state.range(1);

	for (auto _ : state)
		benchmark::DoNotOptimize(sum += 1);
	state.counters["sum"] = static_cast<double>(sum);
	state.counters["rate"] = benchmark::Counter(
		static_cast<double>(state.iterations()), benchmark::Counter::kIsRate);
	state.SetLabel("a label");
}
BENCHMARK(BM_product)->ArgsProduct({ { 1, 2 }, { 3 } })->ArgNames({ "a", "b" });

template <class T, class U> static void BM_template(benchmark::State &state)
{
	std::map<T, U> m;

	for (auto _ : state)
		m[T(1)] = U(2);
}
BENCHMARK_TEMPLATE(BM_template, int, double)->Unit(benchmark::kMicrosecond);

static void BM_captured(benchmark::State &state, const std::string &text)
{
	for (auto _ : state) {
		std::string copy(text);
		benchmark::DoNotOptimize(copy);
	}
}
BENCHMARK_CAPTURE(BM_captured, long, std::string(100, 'x'));

class Numbers : public benchmark::Fixture
{
public:
	void SetUp(const benchmark::State &state) override
	{
		list.assign(static_cast<size_t>(state.range(0)), 1);
	}
	void TearDown(const benchmark::State &) override
	{
		list.clear();
	}
	std::vector<int> list;
};

BENCHMARK_DEFINE_F(Numbers, sum)(benchmark::State &state)
{
	for (auto _ : state)
		benchmark::DoNotOptimize(std::accumulate(list.begin(), list.end(), 0));
}
BENCHMARK_REGISTER_F(Numbers, sum)->Arg(100);

template <class T> class Typed : public benchmark::Fixture
{
public:
	T value = T();
};

BENCHMARK_TEMPLATE_F(Typed, count, double)(benchmark::State &state)
{
	for (auto _ : state)
		benchmark::DoNotOptimize(value += 1);
}

static void BM_threads(benchmark::State &state)
{
	int x = state.thread_index();

	for (auto _ : state)
		benchmark::DoNotOptimize(x++);
}
BENCHMARK(BM_threads)->Threads(2)->UseRealTime();

// Google's user guide: "all will have finished before any thread exits the benchmark loop".
static std::vector<int> *shared;
static void BM_shared(benchmark::State &state)
{
	if (state.thread_index() == 0)
		shared = new std::vector<int>(1000, 1);
	for (auto _ : state)
		benchmark::DoNotOptimize(std::accumulate(shared->begin(), shared->end(), 0));
	if (state.thread_index() == 0) {
		delete shared;
		shared = nullptr;
	}
}
BENCHMARK(BM_shared)->Threads(2)->Threads(4);

// Work that takes as long per iteration in batches as one by one, and as long as it is told to.
static void spin(int64_t n)
{
	uint64_t x = 3;

	for (int64_t i = 0; i < n; i++) {
		x *= 0x9e3779b97f4a7c15u;
		benchmark::DoNotOptimize(x);
	}
}

static void BM_batch(benchmark::State &state)
{
	while (state.KeepRunningBatch(100))
		for (int i = 0; i < 100; i++)
			spin(500);
	state.SetItemsProcessed(state.iterations());
}
BENCHMARK(BM_batch);

static void BM_linear(benchmark::State &state)
{
	for (auto _ : state)
		spin(state.range(0));
	state.SetComplexityN(state.range(0));
	state.counters["each"] = benchmark::Counter(static_cast<double>(state.iterations()),
		benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}
BENCHMARK(BM_linear)->RangeMultiplier(2)->Range(500, 4000)->Complexity(benchmark::oN);
BENCHMARK(BM_linear)->Arg(500)->Arg(500);

static void BM_skipped(benchmark::State &state)
{
	if (state.range(0) > 1)
		state.SkipWithError("no such size");
	for (auto _ : state) {
	}
}
BENCHMARK(BM_skipped)->Arg(2);

int main(int argc, char **argv)
{
	int captured = 3;

	benchmark::RegisterBenchmark("registered", [captured](benchmark::State &state) {
		int x = captured;
		for (auto _ : state)
			benchmark::DoNotOptimize(x);
	});
	benchmark::Initialize(&argc, argv);
	if (benchmark::ReportUnrecognizedArguments(argc, argv))
		return 1;
	benchmark::RunSpecifiedBenchmarks();
	benchmark::Shutdown();
	return 0;
}
