/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * etalon-put-omp: runs a kernel and verifies its result. `etalon put` executes it and has checked
 * the arguments before, so that a wrong one gets no hint here.
 * Usage: etalon-put-omp KERNEL CLASS THREADS [quiet|verbose] [spoil]; THREADS 0: as OpenMP decides
 */
#include "base/error.h"
#include "put/kernel.h"

#ifdef _OPENMP
#include <omp.h>
#endif

enum { MOST_THREADS = 1024 };

/* Sets the number of threads; returns how many there will be. */
static int use_threads(unsigned long wanted)
{
#ifdef _OPENMP
	omp_set_dynamic(0);
	if (wanted)
		omp_set_num_threads((int)wanted);
	return omp_get_max_threads();
#else
	(void)wanted;
	return 1;
#endif
}

/* Returns the exit status. */
static int run(const struct et_put_kernel *k, enum et_kernel_class size, int threads, bool verbose,
	bool spoil)
{
	struct et_kernel_result result = { 0 };
	char why[160];

	k->run(size, spoil, &result);
	bool right = et_kernel_verify(k, size, &result, why, sizeof(why));
	if (verbose)
		fprintf(stdout, "%s: class %c, %d thread%s: %s; %s\n", k->name,
			et_kernel_letters[size], threads, threads == 1 ? "" : "s", result.detail,
			right ? "verified" : "wrong");
	if (!right)
		fprintf(stderr, "etalon: put %s: wrong result: %s\n", k->name, why);
	return right ? ET_EXIT_DONE : ET_EXIT_PROGRAM;
}

int main(int argc, char **argv)
{
	const struct et_put_kernel *k = argc > 3 ? et_kernel_find(argv[1]) : NULL;
	enum et_kernel_class size = k ? et_kernel_class_find(argv[2]) : ET_CLASSES;
	unsigned long wanted = k ? strtoul(argv[3], NULL, 10) : 0;

	if (!k || size == ET_CLASSES || wanted > MOST_THREADS) {
		fputs("usage: etalon-put-omp KERNEL CLASS THREADS\n", stderr);
		return ET_EXIT_USAGE;
	}
	int threads = use_threads(wanted);
	if (wanted && (unsigned long)threads != wanted) {
		fprintf(stderr,
			"etalon: put %s: cannot use %lu threads: etalon was built without OpenMP\n"
			"hint: omit --threads, or build etalon with OpenMP\n",
			k->name, wanted);
		return ET_EXIT_ENVIRONMENT;
	}
	bool verbose = argc > 4 && !strcmp(argv[4], "verbose");
	bool spoil = argc > 5 && !strcmp(argv[5], "spoil");
	return run(k, size, threads, verbose, spoil);
}
