/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does the minimum that a tool can do: posix_spawn, CLOCK_MONOTONIC, wait4, in a loop.
 *
 *   bench-bare RUNS [--split] [--] PROGRAM [ARG…]
 *
 * Prints one line per run: the elapsed nanoseconds and the CPU time of the child. With --split the
 * measured window is narrower: the child is created by vfork and reads the clock itself immediately
 * before execve, and waitid reports its end before it is reaped. The line then also contains the
 * time before and after that window, which is the cost of any window that narrow. The last line is
 * "total" and the wall time of the loop.
 */
#include "base/clock.h"

#include <inttypes.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

struct run {
	uint64_t before_ns, elapsed_ns, behind_ns, cpu_ns;
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	return et_clock_read_ns(CLOCK_MONOTONIC);
}

static uint64_t cpu_ns(const struct rusage *u)
{
	return ((uint64_t)u->ru_utime.tv_sec + (uint64_t)u->ru_stime.tv_sec) * 1000000000u +
	       ((uint64_t)u->ru_utime.tv_usec + (uint64_t)u->ru_stime.tv_usec) * 1000u;
}

static void run_plain(char **argv, posix_spawn_file_actions_t *files, struct run *r)
{
	struct rusage usage;
	int status;
	pid_t pid;
	uint64_t t0 = now_ns();

	if (posix_spawn(&pid, argv[0], files, NULL, argv, environ) != 0)
		die(argv[0]);
	if (wait4(pid, &status, 0, &usage) != pid)
		die("wait4");
	*r = (struct run){ .elapsed_ns = now_ns() - t0, .cpu_ns = cpu_ns(&usage) };
}

static void run_split(char **argv, struct run *r)
{
	static volatile uint64_t t0;
	struct rusage usage;
	siginfo_t info;
	int status;
	uint64_t began = now_ns();
	pid_t pid = vfork();

	if (pid == 0) {
		t0 = now_ns();
		execve(argv[0], argv, environ);
		_exit(127);
	}
	if (pid < 0 || waitid(P_PID, (id_t)pid, &info, WEXITED | WNOWAIT) < 0)
		die(argv[0]);
	uint64_t t1 = now_ns();
	if (wait4(pid, &status, 0, &usage) != pid)
		die("wait4");
	*r = (struct run){ t0 - began, t1 - t0, now_ns() - t1, cpu_ns(&usage) };
}

int main(int argc, char **argv)
{
	size_t runs = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
	int at = 2;
	bool split = argc > at && !strcmp(argv[at], "--split");
	posix_spawn_file_actions_t files;

	at += split;
	at += argc > at && !strcmp(argv[at], "--");
	if (runs < 1 || runs > 10000000 || argc <= at) {
		fprintf(stderr, "usage: bench-bare RUNS [--split] [--] PROGRAM [ARG...]\n");
		return 2;
	}
	struct run *all = calloc(runs, sizeof(*all));
	if (!all)
		die("memory");
	posix_spawn_file_actions_init(&files);
	for (int fd = 0; fd < 3; fd++)
		posix_spawn_file_actions_addopen(&files, fd, "/dev/null", fd ? 1 : 0, 0);
	run_plain(&argv[at], &files, &all[0]); /* warm-up */
	uint64_t began = now_ns();
	for (size_t i = 0; i < runs; i++) {
		if (split)
			run_split(&argv[at], &all[i]);
		else
			run_plain(&argv[at], &files, &all[i]);
	}
	uint64_t total = now_ns() - began;
	for (size_t i = 0; i < runs; i++) {
		printf("%" PRIu64 " %" PRIu64, all[i].elapsed_ns, all[i].cpu_ns);
		if (split)
			printf(" %" PRIu64 " %" PRIu64, all[i].before_ns, all[i].behind_ns);
		printf("\n");
	}
	printf("total %" PRIu64 "\n", total);
	free(all);
	posix_spawn_file_actions_destroy(&files);
	return 0;
}
