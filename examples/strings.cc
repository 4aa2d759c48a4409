// SPDX-License-Identifier: MIT
// A benchmark program in C++: the loop is a range, and benchmarks may be lambdas.
#include <etalon/etalon.hpp>

#include <string>

static void append(etalon::state &state)
{
	for (auto _ : state) {
		std::string s;

		for (int64_t i = 0; i < state.param(0); i++)
			s += 'x';
		etalon::keep(s);
	}
	state.bytes(static_cast<double>(state.param(0)));
}
ETALON_BENCHMARK(append)->range(8, 512);

ETALON_BENCHMARK([](etalon::state &state) {
	const char *text = "a text that is too long for the object itself";

	for (auto _ : state) {
		etalon::hide(text);
		std::string s(text);
		etalon::keep(s);
	}
})->name("construct");

ETALON_BENCHMARK_MAIN()
