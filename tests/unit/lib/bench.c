/* SPDX-License-Identifier: MIT */
/* The main of a benchmark program refuses wrong lists of functions and wrong options. */
#include "base/error.h"
#include "tap.h"

#include <etalon/etalon.h>

static void nothing(void *arg)
{
	(void)arg;
}

static int list(size_t sz, const char *name, void (*fn)(void *))
{
	char program[] = "bench", option[] = "--list";
	char *argv[] = { program, option, NULL };
	struct etalon_bench one = { .sz = sz, .name = name, .fn = fn };

	return etalon_bench_main(2, argv, &one, 1);
}

static int with(char *first, char *second)
{
	char program[] = "bench";
	char *argv[] = { program, first, second, NULL };
	struct etalon_bench one = { .sz = sizeof(one), .name = "# nothing", .fn = nothing };

	return etalon_bench_main(second ? 3 : 2, argv, &one, 1);
}

int main(void)
{
	char threads[] = "--threads=1,0", filter[] = "--filter=(", quiet[] = "--quiet";
	char both[] = "--baseline=a", against[] = "--against=b", fail[] = "--fail-on-regression";
	char few[] = "--max-samples=0", k[] = "--best=3", csv[] = "--csv=-", json[] = "--json=-";
	char *none[] = { NULL };

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
	ok(etalon_bench_main(0, none, NULL, 0) == ET_EXIT_USAGE, "main: an empty argv is refused");
	ok(with(quiet, threads) == ET_EXIT_USAGE, "main: 0 threads are refused");
	ok(with(filter, NULL) == ET_EXIT_USAGE, "main: a wrong regular expression is refused");
	ok(with(both, against) == ET_EXIT_USAGE, "main: --baseline and --against are refused");
	ok(with(fail, NULL) == ET_EXIT_USAGE, "main: a regression of nothing is refused");
	ok(with(few, NULL) == ET_EXIT_USAGE, "main: 0 samples are refused");
	ok(with(quiet, k) == ET_EXIT_USAGE, "main: there is no --best");
	ok(with(csv, json) == ET_EXIT_USAGE, "main: two files on standard output are refused");
	return tap_done();
}
