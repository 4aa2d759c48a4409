/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that does not want to be ended: `evil KIND FILE`. It takes measures of that kind, makes
 * FILE, and continues until it is killed, for two minutes at most. All its processes have FILE in
 * their command line, by which a test finds them.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const char *ready_file;
static time_t end;

static void ready(void)
{
	int fd = open(ready_file, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);

	if (fd < 0)
		_exit(3);
	close(fd);
}

static _Noreturn void stay(void)
{
	while (time(NULL) < end)
		sleep(1);
	_exit(0);
}

static _Noreturn void ready_and_stay(void)
{
	ready();
	stay();
}

static void ignore_all(void)
{
	for (int s = 1; s < NSIG; s++) {
		if (s != SIGCHLD)
			signal(s, SIG_IGN);
	}
}

/* Descriptors 0 to 2 become files of its own, as in any daemon. */
static void own_files(void)
{
	int fd = open("/dev/null", O_RDWR);

	for (int i = 0; i < 3; i++)
		dup2(fd, i);
	if (fd > 2)
		close(fd);
}

/* A grandchild in its own session, whose parent has ended. */
static void double_fork(bool daemon)
{
	int fds[2];
	char c;

	if (pipe(fds) < 0)
		_exit(3);
	pid_t pid = fork();
	if (pid == 0) {
		setsid();
		if (fork() == 0) {
			setsid();
			ignore_all();
			if (daemon)
				own_files();
			close(fds[0]);
			close(fds[1]);
			stay();
		}
		_exit(0);
	}
	close(fds[1]);
	waitpid(pid, NULL, 0);
	if (read(fds[0], &c, 1) < 0) /* until the grandchild is ready */
		_exit(3);
	close(fds[0]);
}

static void fork_staying(int n, bool sessions, bool stopped)
{
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();
		if (pid == 0) {
			if (sessions)
				setsid();
			stay();
		}
		if (pid > 0 && stopped)
			kill(pid, SIGSTOP);
	}
}

/* Chains of processes, each of which lives only until it has made the next. */
static void chains(int n)
{
	for (int i = 0; i < n; i++) {
		if (fork())
			continue;
		setsid();
		ignore_all();
		/* Bounded, so that zombies that init reaps slowly do not use up all PIDs. */
		for (int made = 0; made < 300 && time(NULL) < end; made++) {
			pid_t pid = fork();
			if (pid > 0)
				_exit(0);
			usleep(3000); /* or zombies would fill the machine */
		}
		_exit(0);
	}
}

static void group(void)
{
	if (setpgid(0, getpgid(getppid())) < 0)
		_exit(3);
}

static void session(void)
{
	if (fork() == 0) {
		setsid();
		ready_and_stay();
	}
	stay();
}

static void twice(void)
{
	double_fork(false);
}

static void daemons(void)
{
	double_fork(true);
}

static void many(void)
{
	fork_staying(300, false, false);
}

static void bomb(void)
{
	chains(8);
}

static void ignore(void)
{
	ignore_all();
}

static void stop(void)
{
	ready();
	raise(SIGSTOP);
	stay();
}

static void stopped(void)
{
	fork_staying(5, true, true);
}

static void close_all(void)
{
	ready();
	syscall(SYS_close_range, 0, ~0u, 0);
	stay();
}

static void parent(void)
{
	if (syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0) == 0) {
		ignore_all();
		stay();
	}
	if (syscall(SYS_clone, 0, 0, 0, 0, 0) == 0)
		stay();
}

static void subreaper(void)
{
	if (fork() == 0) {
		setsid();
		prctl(PR_SET_CHILD_SUBREAPER, 1);
		for (int i = 0; i < 5; i++) {
			if (fork() == 0) {
				double_fork(true);
				_exit(0);
			}
		}
		for (int i = 0; i < 5; i++)
			wait(NULL);
		ready_and_stay();
	}
	stay();
}

static void name(void)
{
	prctl(PR_SET_NAME, "etalon");
	double_fork(true);
}

static void deep(void)
{
	for (int i = 0; i < 100; i++) {
		if (fork() > 0)
			stay();
		if (i % 10 == 0)
			setsid();
	}
}

/* Stops etalon for a moment, from a process that is not in the stopped program's group. */
static void stop_etalon(void)
{
	kill(getppid(), SIGSTOP);
	usleep(20000);
	kill(getppid(), SIGCONT);
	double_fork(true);
}

static const struct {
	const char *name;
	void (*act)(void);
} kinds[] = { { "group", group }, { "session", session }, { "twice", twice }, { "daemon", daemons },
	{ "many", many }, { "bomb", bomb }, { "ignore", ignore }, { "stop", stop },
	{ "stopped", stopped }, { "close", close_all }, { "parent", parent },
	{ "subreaper", subreaper }, { "name", name }, { "deep", deep },
	{ "stop-etalon", stop_etalon } };

int main(int argc, char **argv)
{
	end = time(NULL) + 120;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (argc == 2 && !strcmp(argv[1], "kinds")) {
			puts(kinds[i].name);
		} else if (argc == 3 && !strcmp(argv[1], kinds[i].name)) {
			ready_file = argv[2];
			kinds[i].act();
			ready_and_stay();
		}
	}
	return argc == 2 ? 0 : 2;
}
