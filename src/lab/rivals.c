/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/rivals.h"

#include <assert.h>
#include <fcntl.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* More than the caches nearest to a CPU hold, so that a rival displaces what the thread needs. */
enum { ARRAY_BYTES = 4 << 20 };

/* Writes an array and reads it back, again and again. */
static _Noreturn void work(void)
{
	volatile uint64_t *array =
		mmap(NULL, ARRAY_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t sum = 0;

	for (uint64_t round = 0;; round++) {
		for (size_t i = 0; array != MAP_FAILED && i < ARRAY_BYTES / sizeof(*array); i++)
			array[i] = round + sum;
		for (size_t i = 0; array != MAP_FAILED && i < ARRAY_BYTES / sizeof(*array); i++)
			sum += array[i];
		__asm__ volatile("" ::: "memory");
	}
}

/* Without a program it uses the CPU and the memory. */
static _Noreturn void rival(int cpu, pid_t parent, char *const *argv)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	(void)prctl(PR_SET_NAME, "etalon-rival"); /* for people who look at ps */
	/* The parent may have died before PR_SET_PDEATHSIG was in force. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent || setsid() < 0 ||
		sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	if (argv) {
		sigset_t none;
		int null = open("/dev/null", O_RDWR | O_CLOEXEC);
		sigemptyset(&none);
		sigprocmask(SIG_SETMASK, &none, NULL);
		for (int fd = 0; null >= 0 && fd < 3; fd++)
			dup2(null, fd);
		execvp(argv[0], argv);
		_exit(1);
	}
	work();
}

int et_rivals_start(
	struct et_rivals *r, unsigned n, int cpu, char *const *argv, struct et_error *err)
{
	pid_t parent = getpid();
	sigset_t held;

	assert(n <= ET_RIVALS_MAX);
	r->n = 0;
	sigemptyset(&held);
	sigaddset(&held, SIGTSTP);
	sigprocmask(SIG_BLOCK, &held, &r->mask);
	while (r->n < n) {
		pid_t pid = fork();
		if (pid == 0)
			rival(cpu, parent, argv);
		if (pid < 0) {
			int errnum = errno;
			et_rivals_end(r);
			return et_fail_errno(err, errnum, ET_EXIT_ENVIRONMENT,
				"cannot start %u processes for the load", n);
		}
		r->pids[r->n++] = pid;
	}
	return 0;
}

void et_rivals_end(struct et_rivals *r)
{
	for (unsigned i = 0; i < r->n; i++)
		kill(r->pids[i], SIGKILL);
	for (unsigned i = 0; i < r->n; i++) {
		while (waitpid(r->pids[i], NULL, 0) < 0 && errno == EINTR)
			;
	}
	r->n = 0;
	sigprocmask(SIG_SETMASK, &r->mask, NULL);
}
