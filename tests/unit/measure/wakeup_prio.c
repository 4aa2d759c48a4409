/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real-time priority: when it is raised, and that children do not inherit its effects. */
#include "measure/child/wakeup_prio.h"
#include "measure/tree.h"
#include "tap.h"

#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Attributes that a child of ours inherits. */
struct inherited {
	int policy, nice;
	int slack_ns, default_slack_ns;
};

static struct inherited inherit(void)
{
	struct inherited *in =
		mmap(NULL, sizeof(*in), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pid_t pid = fork();

	if (pid == 0) {
		in->policy = sched_getscheduler(0);
		in->nice = getpriority(PRIO_PROCESS, 0);
		in->slack_ns = prctl(PR_GET_TIMERSLACK);
		prctl(PR_SET_TIMERSLACK, 0);
		in->default_slack_ns = prctl(PR_GET_TIMERSLACK);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	struct inherited out = *in;
	munmap(in, sizeof(*in));
	return out;
}

static void check(int level, int slack_ns)
{
	struct et_wakeup_prio p;

	setpriority(PRIO_PROCESS, 0, level);
	prctl(PR_SET_TIMERSLACK, slack_ns);
	struct inherited before = inherit();
	et_wakeup_prio_open(&p, tree, 2);
	ok(sched_getscheduler(0) == SCHED_OTHER, "nice %d: opening raises no priority", level);
	et_wakeup_prio_raise(&p);
	ok(!p.wanted || (p.raised && sched_getscheduler(0) == SCHED_FIFO),
		"nice %d: on a busy machine the priority is raised where that is allowed", level);
	et_wakeup_prio_lower(&p);
	struct inherited after = inherit();
	ok(after.policy == before.policy && after.nice == before.nice,
		"nice %d: children have the same policy and nice value (%d, %d)", level,
		after.policy, after.nice);
	ok(after.slack_ns == slack_ns && after.default_slack_ns == before.default_slack_ns,
		"nice %d: children have our timer slack of %d ns (%d, default %d)", level, slack_ns,
		after.slack_ns, after.default_slack_ns);
	ok(sched_getscheduler(0) == SCHED_OTHER && getpriority(PRIO_PROCESS, 0) == level,
		"nice %d: our own policy and nice value are restored", level);
	et_wakeup_prio_lower(&p);
	ok(sched_getscheduler(0) == SCHED_OTHER, "nice %d: lowering twice changes nothing", level);
}

/* A child that vfork() made raises the priority of its parent. */
static void raised_by_child(void)
{
	struct et_wakeup_prio p;

	et_wakeup_prio_open(&p, tree, 2);
	pid_t parent = getpid(), pid = fork();
	if (pid == 0) {
		et_wakeup_prio_raise_process(parent);
		_exit(0);
	}
	waitpid(pid, NULL, 0);
	ok(sched_getscheduler(0) == (p.wanted ? SCHED_FIFO : SCHED_OTHER),
		"a child raises the priority of its parent where that is allowed");
	p.raised = true;
	et_wakeup_prio_lower(&p);
	ok(sched_getscheduler(0) == SCHED_OTHER, "the parent lowers it again");
}

static void hurry(void)
{
	struct et_wakeup_prio p;

	prctl(PR_SET_TIMERSLACK, 70000);
	et_wakeup_prio_hurry(&p);
	ok(sched_getscheduler(0) == (p.wanted ? SCHED_FIFO : SCHED_OTHER),
		"in a hurry the priority is raised on a quiet machine, too, where that is allowed");
	et_wakeup_prio_lower(&p);
	ok(sched_getscheduler(0) == SCHED_OTHER && prctl(PR_GET_TIMERSLACK) == 70000,
		"after a hurry we have our policy and timer slack (%d ns)",
		prctl(PR_GET_TIMERSLACK));
}

static void only_if_busy(void)
{
	struct et_wakeup_prio p;

	tree_write("/proc/loadavg", "0.99 2.00 2.00 1/100 4711\n");
	et_wakeup_prio_open(&p, tree, 2);
	et_wakeup_prio_raise(&p);
	ok(!p.wanted && sched_getscheduler(0) == SCHED_OTHER,
		"the priority is not raised while the load is below half the CPUs");
	tree_write("/proc/loadavg", "nonsense");
	et_wakeup_prio_open(&p, tree, 2);
	ok(!p.wanted, "the priority is not raised if the load is not known");
}

int main(void)
{
	tree_open();
	only_if_busy();
	hurry();
	tree_write("/proc/loadavg", "1.01 0.00 0.00 1/100 4711\n");
	check(0, 50000);
	raised_by_child();
	check(5, 70000);
	tree_close();
	return tap_done();
}
