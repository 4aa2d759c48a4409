// SPDX-License-Identifier: MIT
// A benchmark program in C++. Lambdas without captures convert to plain functions.
#include <etalon/etalon.h>

#include <string>

static void append(void *)
{
	std::string s;

	for (int i = 0; i < 100; i++)
		s += 'x';
	ETALON_KEEP(s.data());
}

ETALON_MAIN(ETALON_BENCH(append),
	ETALON_BENCH_ARG(
		"construct",
		[](void *text) {
			std::string s(static_cast<const char *>(text));
			ETALON_KEEP(s.data());
		},
		const_cast<char *>("a text that is too long for the object itself")))
