/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "measure/child/own_process.h"

#include <errno.h>
#include <sys/prctl.h>

static int find_others(struct et_own_process *p, const cpu_set_t *avoid, struct et_error *err)
{
	if (sched_getaffinity(0, sizeof(p->home), &p->home) < 0)
		return et_fail_errno(
			err, errno, ET_EXIT_ENVIRONMENT, "cannot read the CPU affinity");
	CPU_AND(&p->others, &p->home, avoid);
	CPU_XOR(&p->others, &p->home, &p->others);
	if (!CPU_COUNT(&p->others))
		return et_hint(err,
			et_fail(err, ENOTSUP, ET_EXIT_ENVIRONMENT,
				"--metronome needs a second CPU, and etalon may use only one"),
			"use --metronome off, or allow etalon another CPU (taskset, cpuset)");
	p->metronome = true;
	return 0;
}

int et_own_process_change(struct et_own_process *p, const char *root, uint32_t n_cpus,
	const cpu_set_t *avoid, struct et_error *err)
{
	*p = (struct et_own_process){ 0 };
	int rc = avoid ? find_others(p, avoid, err) : 0;
	if (rc)
		return rc;
	prctl(PR_GET_CHILD_SUBREAPER, &p->was_subreaper);
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	et_cgroup_open(&p->cgroup, root);
	et_wakeup_prio_open(&p->wakeup, root, n_cpus);
	p->changed = true;
	return 0;
}

void et_own_process_restore(struct et_own_process *p)
{
	if (!p->changed)
		return;
	et_wakeup_prio_lower(&p->wakeup);
	et_cgroup_close(&p->cgroup);
	prctl(PR_SET_CHILD_SUBREAPER, p->was_subreaper);
	p->changed = false;
}
