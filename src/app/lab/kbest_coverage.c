/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `etalon lab kbest-coverage`: invokes `etalon lab functions` again and again. */
#include "lab/kbest_coverage.h"
#include "app/lab/experiments.h"
#include "app/lab/view/clocks.h"
#include "lib/bench/output.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { DEFAULT_INVOCATIONS = 20 };

static const double LEVEL = 0.95;

/* Waits for the program; after a signal, which it gets too if the terminal sent it, ends it. */
static int wait_for(pid_t pid, const struct et_interrupt *interrupt, int *status)
{
	while (waitpid(pid, status, 0) < 0) {
		if (errno != EINTR)
			return -errno;
		if (interrupt->signal)
			kill(pid, SIGTERM);
	}
	return interrupt->signal ? -EINTR : 0;
}

/* Runs the benchmark program once; its results go to the file, errors to standard error. */
static int invoke(struct et_lab_request *r, int file, struct et_error *err)
{
	const char *words[] = { "etalon", "lab", "functions", "--quiet", "--json", "-",
		r->measure.filter ? "--filter" : NULL, r->measure.filter, NULL };
	posix_spawn_file_actions_t actions;
	int rc, status = 0;
	pid_t pid;

	rc = posix_spawn_file_actions_init(&actions);
	if (rc == 0)
		rc = posix_spawn_file_actions_adddup2(&actions, file, STDOUT_FILENO);
	if (rc == 0)
		rc = posix_spawn(
			&pid, "/proc/self/exe", &actions, NULL, (char *const *)words, environ);
	posix_spawn_file_actions_destroy(&actions);
	if (rc)
		return et_fail_errno(err, rc, ET_EXIT_ENVIRONMENT, "lab functions");
	rc = wait_for(pid, r->interrupt, &status);
	if (rc)
		return rc;
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	return et_hint(err,
		et_fail(err, EIO,
			WIFEXITED(status) ? (enum et_exit)WEXITSTATUS(status) : ET_EXIT_PROGRAM,
			"the benchmark program failed"),
		"run 'etalon lab functions' alone to see why");
}

static int add_invocation(
	struct et_lab_request *r, struct et_kbest_coverage *c, struct et_error *err)
{
	struct et_bench_results results = { 0 };
	char path[64];

	ET_AUTO_CLOSE int file = memfd_create("etalon-functions", MFD_CLOEXEC);
	if (file < 0)
		return et_fail_errno(err, errno, ET_EXIT_ENVIRONMENT, "memory for results");
	int rc = invoke(r, file, err);
	if (rc)
		return rc;
	snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
	rc = et_bench_read(path, &results, err);
	if (rc)
		return rc;
	et_kbest_coverage_add(c, &results);
	et_bench_results_free(&results);
	return 0;
}

int et_lab_kbest_coverage(struct et_call *call, struct et_error *err)
{
	struct et_lab_request *r = call->ctx;
	uint32_t n = r->given & ET_LAB_REPETITIONS ? r->asked.repetitions : DEFAULT_INVOCATIONS;
	struct et_kbest_coverage c = { .level = LEVEL };
	int rc = 0;

	for (uint32_t i = 0; rc == 0 && i < n && et_lab_draw_progress(r, i, n); i++)
		rc = add_invocation(r, &c, err);
	et_progress_erase(&r->progress);
	if (rc == 0 || rc == -EINTR) {
		if (r->given & ET_LAB_JSON)
			et_kbest_coverage_json(&c, stdout);
		else
			et_kbest_coverage_text(&c, &r->page);
	}
	et_kbest_coverage_free(&c);
	return rc;
}
