/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels of `etalon put` are a program of their own, which is linked with OpenMP (put/kernel.h
 * says why). It is beside etalon in a build folder, and in the folder for such programs if etalon
 * is installed, also below another prefix than the one it was built for.
 */
#include "cmd/put.h"

#include "base/alloc.h"
#include "cmd/libexec.h" /* generated */

#include <errno.h>
#include <limits.h>
#include <string.h>

static const char program[] = "etalon-put-omp";

/* Executes the program in the first folder that has it; returns only after a failure. */
static int try_folders(char **argv, struct et_error *err)
{
	static const char *const below[] = { "", "/../libexec/etalon" };
	char own[PATH_MAX];
	int rc = et_cli_own_path(own, sizeof(own), err);

	if (rc)
		return rc;
	*strrchr(own, '/') = '\0';
	for (size_t i = 0; i <= ET_LENGTH(below); i++) {
		ET_AUTO_FREE char *path = i < ET_LENGTH(below)
						  ? et_asprintf("%s%s/%s", own, below[i], program)
						  : et_asprintf("%s/%s", ET_LIBEXEC, program);
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR)
			return et_fail_file(err, errno, ET_EXIT_ENVIRONMENT, path);
	}
	rc = et_fail(err, ENOENT, ET_EXIT_ENVIRONMENT, "%s, the program of the kernels, is missing",
		program);
	return et_hint(err, rc, "install all of etalon, or copy %s beside it", program);
}

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
	(void)!try_folders(argv, &err);
	return et_cli_fail(&err);
}
