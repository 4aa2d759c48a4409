/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/wakeup_prio.h"
#include "base/sysroot.h"

#include <sched.h>
#include <stdio.h>
#include <sys/resource.h>

/* On average over the last minute more tasks were runnable than half the CPUs. */
static bool is_busy(const char *root, uint32_t cpus)
{
	char text[64];
	double load;

	return et_sysroot_line(root, "/proc/loadavg", text, sizeof(text)) > 0 &&
	       sscanf(text, "%lf", &load) == 1 && load > 0.5 * cpus;
}

void et_wakeup_prio_open(struct et_wakeup_prio *p, const char *root, uint32_t cpus)
{
	struct sched_param least = { .sched_priority = sched_get_priority_min(SCHED_FIFO) };

	p->was_policy = sched_getscheduler(0);
	/* SCHED_RESET_ON_FORK gives children a nice value of 0, so ours must be 0 as well. */
	p->on = is_busy(root, cpus) && p->was_policy == SCHED_OTHER &&
		getpriority(PRIO_PROCESS, 0) == 0 &&
		sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &least) == 0;
}

void et_wakeup_prio_close(const struct et_wakeup_prio *p)
{
	struct sched_param none = { 0 };

	if (p->on)
		sched_setscheduler(0, p->was_policy, &none);
}
