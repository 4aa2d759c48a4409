/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "profile/sampling/burners.h"
#include "base/clock.h"

#include <fcntl.h>
#include <signal.h>

struct burning {
	struct et_squad_board board;
	uint64_t ns; /* CPU time to use */
};

/* A burner writes one of these: it is ready, or may not use its CPU. It is silent if it fails. */
#define READY "+"
#define UNUSABLE "-"

/* --- in the burner --- */

static void burn(void *ctx)
{
	const struct burning *shared = ctx;
	uint64_t end_ns = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) + shared->ns;

	while (et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) < end_ns)
		;
}

static _Noreturn void become_burner(
	struct et_squad_board *board, pid_t etalon, int cpu, int procs_fd, int ready_fd)
{
	cpu_set_t one;
	sigset_t all;

	sigfillset(&all);
	sigprocmask(SIG_SETMASK, &all, NULL);
	setsid();
	et_squad_enter("et-burner");
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (getppid() != etalon)
		_exit(1);
	if (sched_setaffinity(0, sizeof(one), &one) < 0) {
		(void)!write(ready_fd, errno == EINVAL ? UNUSABLE : "?", 1);
		_exit(1);
	}
	if (write(procs_fd, "0", 1) != 1 || write(ready_fd, READY, 1) != 1)
		_exit(1);
	et_squad_serve(board, etalon, burn, board);
}

/* --- in etalon --- */

/* Waits for the byte of a burner; it closes the pipe if it fails. */
static int start_one(struct et_squad *b, int cpu, int procs_fd)
{
	int ends[2];
	char byte = 0;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	pid_t etalon = getpid(), pid = et_squad_fork();
	if (pid == 0)
		become_burner(b->board, etalon, cpu, procs_fd, ends[1]);
	int rc = pid < 0 ? pid : 0;
	close(ends[1]);
	if (pid > 0 && (read(ends[0], &byte, 1) != 1 || byte != *READY)) {
		et_squad_end(pid);
		rc = byte == *UNUSABLE ? 0 : -ECHILD;
	} else if (pid > 0) {
		b->pids[b->n++] = pid;
	}
	close(ends[0]);
	return rc;
}

int et_burners_open(struct et_squad *b, const cpu_set_t *cpus, int procs_fd)
{
	int rc = et_squad_open(b, sizeof(struct burning), (size_t)CPU_COUNT(cpus));

	for (int cpu = 0; rc == 0 && cpu < CPU_SETSIZE; cpu++)
		rc = CPU_ISSET(cpu, cpus) ? start_one(b, cpu, procs_fd) : 0;
	if (rc == 0 && b->n == 0)
		rc = -ENODEV;
	if (rc)
		et_squad_close(b);
	return rc;
}

void et_burners_burn(struct et_squad *b, uint64_t ns)
{
	const uint64_t patience_ns = 1000000000;
	struct burning *shared = (void *)b->board;

	if (!b->n || !ns)
		return;
	shared->ns = ns;
	et_squad_order(b);
	et_squad_wait(b, 4 * ns + patience_ns);
}
