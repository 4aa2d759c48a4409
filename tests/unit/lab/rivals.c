/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Processes that make a load: they run, take their share of the CPU, and end. */
#include "lab/rivals.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RIVALS = 4 };

/* Spins for ns and returns the share of the CPU that we got. */
static double share(uint64_t ns)
{
	uint64_t start = et_clock_read_ns(CLOCK_MONOTONIC);
	uint64_t cpu = et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID), now;

	do
		now = et_clock_read_ns(CLOCK_MONOTONIC);
	while (now < start + ns);
	return (double)(et_clock_read_ns(CLOCK_THREAD_CPUTIME_ID) - cpu) / (double)(now - start);
}

static void bind_here(int *cpu)
{
	cpu_set_t set;

	*cpu = sched_getcpu();
	CPU_ZERO(&set);
	CPU_SET((size_t)*cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

/* A process that has rivals is killed. */
static void test_orphans(int cpu)
{
	int fds[2], status;
	struct et_rivals r;
	struct et_error err;

	ok(pipe(fds) == 0, "orphans: a pipe is made");
	pid_t pid = fork();
	if (pid == 0) {
		if (et_rivals_start(&r, 2, cpu, NULL, &err) == 0)
			(void)!write(fds[1], r.pids, 2 * sizeof(pid_t));
		pause();
		_exit(0);
	}
	pid_t rivals[2] = { 0, 0 };
	ok(read(fds[0], rivals, sizeof(rivals)) == sizeof(rivals),
		"orphans: a child starts two rivals");
	kill(pid, SIGKILL);
	waitpid(pid, &status, 0);
	close(fds[1]);
	/* The rivals hold the write end of the pipe until they have ended. */
	char byte;
	ok(read(fds[0], &byte, 1) == 0, "orphans: the rivals end when the child is killed");
	close(fds[0]);
}

static void test_program(int cpu)
{
	char *const argv[] = { (char *)"sleep", (char *)"600", NULL };
	struct et_rivals r;
	struct et_error err;
	char path[64], name[32] = "";

	ok(et_rivals_start(&r, 1, cpu, argv, &err) == 0 && r.n == 1, "program: one starts");
	pid_t pid = r.pids[0];
	snprintf(path, sizeof(path), "/proc/%d/comm", pid);
	while (strcmp(name, "sleep\n")) { /* it has executed the program */
		FILE *f = fopen(path, "re");
		if (!f || !fgets(name, sizeof(name), f))
			name[0] = '\0';
		if (f)
			fclose(f);
		if (!f || waitpid(pid, NULL, WNOHANG))
			break;
	}
	is_str(name, "sleep\n", "program: it is found in the PATH and executed");
	et_rivals_end(&r);
	ok(kill(pid, 0) < 0 && errno == ESRCH, "program: it does not exist after the end");
}

int main(void)
{
	struct et_rivals r;
	struct et_error err;
	sigset_t mask;
	int cpu, rc;

	bind_here(&cpu);
	rc = et_rivals_start(&r, RIVALS, cpu, NULL, &err);
	ok(rc == 0 && r.n == RIVALS, "rivals: four start");
	if (rc)
		return tap_done();
	sigprocmask(SIG_BLOCK, NULL, &mask);
	ok(sigismember(&mask, SIGTSTP) == 1, "rivals: SIGTSTP is blocked while they run");
	bool apart = true;
	/* The rivals call setsid() meanwhile. */
	double got = share(1000000000);
	for (int i = 0; i < RIVALS; i++)
		apart = apart && getsid(r.pids[i]) == r.pids[i];
	ok(apart, "rivals: each is in a session of its own");
	/* A fifth is fair. Other processes may run here, too, so there is no lower bound. */
	ok(got > 0 && got < 0.35, "rivals: beside four of them we get a fifth of the CPU: %.3f",
		got);
	pid_t first = r.pids[0];
	et_rivals_end(&r);
	ok(kill(first, 0) < 0 && errno == ESRCH, "rivals: none exists after the end");
	sigprocmask(SIG_BLOCK, NULL, &mask);
	ok(sigismember(&mask, SIGTSTP) == 0, "rivals: SIGTSTP is unblocked after the end");
	ok(et_rivals_start(&r, 0, cpu, NULL, &err) == 0 && r.n == 0,
		"rivals: a load of none starts nothing");
	et_rivals_end(&r);
	test_orphans(cpu);
	test_program(cpu);
	return tap_done();
}
