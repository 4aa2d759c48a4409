/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The keeper: what it ends when the process that it guards is killed, and what it leaves alone. */
#include "measure/child/keeper.h"
#include "base/clock.h"
#include "tap.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>

/* PIDs that the processes below write for the test. */
struct shared {
	struct et_interrupt interrupt;
	volatile pid_t keeper, session, group, stranger;
};

static struct shared *shared;

static _Noreturn void stay(volatile pid_t *pid)
{
	*pid = getpid();
	for (;;)
		pause();
}

/* Plays an etalon with descendants of several kinds. */
static _Noreturn void guarded(void)
{
	int mark = open("/dev/null", O_RDWR | O_CLOEXEC), other = open("/dev/null", O_RDWR);

	pid_t keeper =
		et_keeper_start(&shared->interrupt, (const int[ET_KEEPER_MARKS]){ mark, -1, 2, 1 });
	shared->keeper = keeper ? keeper : -1;
	if (fork() == 0) { /* its own session, and our descriptor as its standard input */
		setsid();
		dup2(mark, 0);
		stay(&shared->session);
	}
	pid_t group = fork();
	if (group == 0) { /* other descriptors, in a group that is known */
		setpgid(0, 0);
		dup2(other, 0);
		stay(&shared->group);
	}
	shared->interrupt.groups[0] = group;
	if (fork() == 0) { /* neither; descriptors 1 and 2 are not etalon's own */
		setsid();
		dup2(other, 0);
		stay(&shared->stranger);
	}
	for (;;)
		pause();
}

static bool ends(pid_t pid)
{
	for (int i = 0; i < 5000; i++) {
		if (waitpid(pid, NULL, WNOHANG) == pid)
			return true;
		usleep(1000);
	}
	return false;
}

/* As process 1 does in many containers, the test reaps no orphan until the keeper has ended. */
static void unreaped(void)
{
	pid_t pid = fork();

	if (pid == 0)
		guarded();
	while (!shared->keeper || !shared->session || !shared->group || !shared->stranger)
		usleep(1000);
	kill(shared->stranger, SIGKILL);
	uint64_t began_ns = et_clock_read_ns(CLOCK_MONOTONIC);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	if (shared->keeper > 0) {
		waitpid(shared->keeper, NULL, __WALL);
		double seconds = 1e-9 * (double)(et_clock_read_ns(CLOCK_MONOTONIC) - began_ns);
		ok(seconds < 4.5,
			"the keeper does not wait for zombies until its time is over: %.2f s",
			seconds);
	} else {
		kill(shared->session, SIGKILL);
		kill(shared->group, SIGKILL);
	}
	ok(ends(shared->session) && ends(shared->group) && ends(shared->stranger),
		"zombies that nobody had reaped: the processes had ended");
	memset(shared, 0, sizeof(*shared));
}

static void killed(void)
{
	pid_t pid = fork();

	if (pid == 0)
		guarded();
	while (!shared->keeper || !shared->session || !shared->group || !shared->stranger)
		usleep(1000);
	if (shared->keeper < 0) {
		kill(pid, SIGKILL);
		kill(shared->session, SIGKILL);
		kill(shared->group, SIGKILL);
		kill(shared->stranger, SIGKILL);
		while (wait(NULL) > 0)
			;
		ok(true, "this kernel cannot make a keeper # SKIP no clone3()");
		return;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	ok(ends(shared->session), "a process in its own session with our descriptor is ended");
	ok(ends(shared->group), "a process in a known group is ended");
	ok(ends(shared->keeper), "the keeper ends when it is done");
	ok(kill(shared->stranger, 0) == 0 && waitpid(shared->stranger, NULL, WNOHANG) == 0,
		"a process that has only descriptors of etalon's caller is left alone");
	kill(shared->stranger, SIGKILL);
	waitpid(shared->stranger, NULL, 0);
}

static void stopped(void)
{
	pid_t child = fork();

	if (child == 0) {
		for (;;)
			pause();
	}
	pid_t keeper =
		et_keeper_start(&shared->interrupt, (const int[ET_KEEPER_MARKS]){ -1, -1, -1, -1 });
	ok(waitpid(-1, NULL, WNOHANG) == 0, "waiting for all children does not report the keeper");
	if (keeper)
		kill(keeper, SIGSTOP);
	et_keeper_stop(keeper);
	et_keeper_stop(0);
	ok(waitpid(-1, NULL, __WCLONE | WNOHANG) < 0 && errno == ECHILD,
		"a keeper ends with its runner, even if it was stopped");
	ok(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child,
		"a keeper that ends with its runner kills nothing");
	ok(waitpid(-1, NULL, WNOHANG) < 0 && errno == ECHILD,
		"no child is reported when only a keeper was there");
}

int main(void)
{
	shared = mmap(
		NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	unreaped();
	killed();
	stopped();
	return tap_done();
}
