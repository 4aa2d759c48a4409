// SPDX-License-Identifier: GPL-3.0-or-later
// bench-functions-google: times the functions of `etalon lab functions` by Google Benchmark, with its
// own options.
#include <benchmark/benchmark.h>
#include <etalon/etalon.h> // before extern "C": it has templates

extern "C" {
#include "lab/functions.h"
}

int main(int argc, char **argv)
{
	std::size_t n;
	const etalon_bench *list;
	et_lab_data *d = et_lab_functions_begin(&list, &n);

	for (std::size_t i = 0; i < n; i++) {
		const etalon_bench *b = &list[i];
		benchmark::RegisterBenchmark(b->name, [b](benchmark::State &state) {
			for (auto _ : state)
				b->fn(b->arg);
		});
	}
	benchmark::Initialize(&argc, argv);
	benchmark::RunSpecifiedBenchmarks();
	et_lab_functions_end(d);
	return 0;
}
