/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Times one bootstrap of mean and standard deviation: bootstrap N REPLICATES THREADS WIDTH METHOD,
 * where WIDTH is portable or auto and METHOD is percentile, bca or t. Prints the elapsed time and
 * the CPU time in seconds. bench/bootstrap calls it.
 */
#include "stats/series/bootstrap.h"
#include "base/base.h"
#include "base/clock.h"
#include "num/rng.h"

#include <string.h>

int main(int argc, char **argv)
{
	struct et_boot_options o = { .seed = 1, .level = 0.95 };
	ET_AUTO_FREE double *x = NULL;
	struct et_boot mean, sd;
	struct et_rng rng;
	uint64_t begin_ns, begin_cpu_ns;
	size_t n;

	if (argc != 6) {
		fprintf(stderr, "usage: %s N REPLICATES THREADS portable|auto percentile|bca|t\n",
			argv[0]);
		return 2;
	}
	n = strtoul(argv[1], NULL, 10);
	o.replicates = strtoul(argv[2], NULL, 10);
	o.threads = (unsigned)strtoul(argv[3], NULL, 10);
	o.width = strcmp(argv[4], "auto") ? ET_WIDTH_PORTABLE : ET_WIDTH_AUTO;
	o.bca = strcmp(argv[5], "percentile") != 0;
	o.studentised = !strcmp(argv[5], "t");
	x = et_alloc(n * sizeof(*x));
	et_rng_seed(&rng, 1, 0);
	for (size_t i = 0; i < n; i++)
		x[i] = 10 + et_rng_normal(&rng);
	begin_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	begin_cpu_ns = et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID);
	et_bootstrap_mean_sd(x, n, &o, &mean, &sd);
	printf("%.4f %.4f\n", (double)(et_clock_read_ns(CLOCK_MONOTONIC) - begin_ns) * 1e-9,
		(double)(et_clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) - begin_cpu_ns) * 1e-9);
	fprintf(stderr, "# mean %.17g %.17g sd %.17g %.17g\n", mean.percentile.lo,
		mean.percentile.hi, sd.percentile.lo, sd.percentile.hi);
	return 0;
}
