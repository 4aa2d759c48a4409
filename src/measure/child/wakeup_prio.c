/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/wakeup_prio.h"
#include "host/host.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

static int set_policy(pid_t pid, int policy)
{
	struct sched_param param = {
		.sched_priority = policy == SCHED_FIFO ? sched_get_priority_min(SCHED_FIFO) : 0
	};

	return sched_setscheduler(pid, policy, &param);
}

/* The C library's prctl() would cut the value to an int. */
static long timer_slack_ns(void)
{
	return syscall(SYS_prctl, PR_GET_TIMERSLACK, 0, 0, 0, 0);
}

/* Finds out whether we are allowed to raise the priority, and what the kernel does to the slack. */
static void probe(struct et_wakeup_prio *p)
{
	if (sched_getscheduler(0) != SCHED_OTHER)
		return;
	p->slack_ns = timer_slack_ns();
	p->wanted = set_policy(0, SCHED_FIFO) == 0 && set_policy(0, SCHED_OTHER) == 0;
	p->sets_slack = timer_slack_ns() != p->slack_ns;
	if (p->sets_slack)
		syscall(SYS_prctl, PR_SET_TIMERSLACK, p->slack_ns, 0, 0, 0);
}

void et_wakeup_prio_open(struct et_wakeup_prio *p, const char *root, uint32_t cpus)
{
	*p = (struct et_wakeup_prio){ 0 };
	/* On average over the last minute more tasks were runnable than half the CPUs. */
	if (!cpus || et_host_load(root) > 0.5 * cpus)
		probe(p);
}

void et_wakeup_prio_hurry(struct et_wakeup_prio *p)
{
	*p = (struct et_wakeup_prio){ 0 };
	probe(p);
	et_wakeup_prio_raise(p);
}

void et_wakeup_prio_raise(struct et_wakeup_prio *p)
{
	if (p->wanted && !p->raised)
		p->raised = set_policy(0, SCHED_FIFO) == 0;
}

void et_wakeup_prio_lower(struct et_wakeup_prio *p)
{
	if (!p->raised)
		return;
	set_policy(0, SCHED_OTHER);
	if (p->sets_slack)
		syscall(SYS_prctl, PR_SET_TIMERSLACK, p->slack_ns, 0, 0, 0);
	p->raised = false;
}

void et_wakeup_prio_raise_process(pid_t pid)
{
	set_policy(pid, SCHED_FIFO);
}
