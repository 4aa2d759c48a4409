/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real-time priority: when it is raised, and that programs do not inherit it. */
#include "measure/wakeup_prio.h"
#include "measure/tree.h"
#include "tap.h"

#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Policy and nice value of a child of ours, as one number. */
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
	et_wakeup_prio_open(&p, tree, 2);
	int meanwhile = child_is();
	et_wakeup_prio_close(&p);
	ok(meanwhile == before, "nice %d: children have the same policy and nice value (%d, %d)",
		level, before, meanwhile);
	ok(sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == level,
		"nice %d: our own policy and nice value are restored", level);
}

static void only_if_busy(void)
{
	struct et_wakeup_prio p;

	tree_write("/proc/loadavg", "0.99 2.00 2.00 1/100 4711\n");
	et_wakeup_prio_open(&p, tree, 2);
	ok(!p.on && sched_getscheduler(0) == SCHED_OTHER,
		"the priority is not raised while the load is below half the CPUs");
	et_wakeup_prio_close(&p);
	tree_write("/proc/loadavg", "nonsense");
	et_wakeup_prio_open(&p, tree, 2);
	ok(!p.on, "the priority is not raised if the load is not known");
	et_wakeup_prio_close(&p);
}

int main(void)
{
	tree_open();
	only_if_busy();
	tree_write("/proc/loadavg", "1.01 0.00 0.00 1/100 4711\n");
	check(0);
	check(5);
	tree_close();
	return tap_done();
}
