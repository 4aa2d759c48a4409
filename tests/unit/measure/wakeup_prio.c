/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A real-time priority while we wait: programs are as they would be without it. */
#include "measure/wakeup_prio.h"
#include "tap.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* What a child of ours is, as one number. */
static int child_is(void)
{
	int status = -1;
	pid_t pid = fork();

	if (pid == 0)
		_exit((sched_getscheduler(0) << 6) + getpriority(PRIO_PROCESS, 0) + 20);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void check(int level)
{
	struct et_wakeup_prio p;

	setpriority(PRIO_PROCESS, 0, level);
	int before = child_is();
	et_wakeup_prio_open(&p, 0); /* with no CPU any load is too much */
	int meanwhile = child_is();
	et_wakeup_prio_close(&p);
	ok(meanwhile == before, "nice %d: what we fork is what it was (%d, %d)", level, before,
		meanwhile);
	ok(sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == level,
		"nice %d: and so are we again", level);
}

int main(void)
{
	check(0);
	check(5);
	return tap_done();
}
