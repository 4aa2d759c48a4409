/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels of `etalon put` are a program of their own, which is linked with OpenMP (put/kernel.h
 * says why).
 */
#include "app/put/put.h"
#include "cli/program.h"

static const char program[] = "etalon-put-omp";

int et_put_execute(
	const struct et_cli *cli, const struct et_workload *w, const struct et_put_params *p)
{
	char size[] = { w->defaults.size_class, '\0' }, threads[24];
	struct et_error err;

	if (et_workload_check(w, p, &err))
		return et_cli_fail(&err);
	if (p->given & ET_PUT_SIZE)
		size[0] = p->size_class;
	/* Without a number, OpenMP would take all CPUs. */
	const char *wanted = getenv("OMP_NUM_THREADS");
	uint64_t n = p->given & ET_PUT_THREADS ? p->threads : wanted && *wanted ? 0 : 1;
	snprintf(threads, sizeof(threads), "%llu", (unsigned long long)n);
	static char verbose[] = "verbose", quiet[] = "quiet";
	char *argv[] = { (char *)program, (char *)w->name, size, threads,
		cli->verbosity > 0 ? verbose : quiet, NULL };
	(void)!et_program_execute(program, argv, &err);
	return et_cli_fail(&err);
}
