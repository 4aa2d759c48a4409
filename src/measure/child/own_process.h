/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The changes that etalon makes to its own process while it measures, and restores afterwards:
 *
 *  - It is a child subreaper (prctl(2)): descendants of a program whose parents have ended become
 *    its children, so that their CPU time counts and they do not outlive the run.
 *  - It is in a control group of its own, in which programs are born (cgroup.h).
 *  - It has a real-time priority during runs while the machine is busy (wakeup_prio.h).
 *  - With a metronome it keeps off the CPU that two programs share, while they run.
 *
 * It also listens for the exit records of all tasks, see taskstats.h.
 */
#pragma once

#include "measure/child/cgroup.h"
#include "measure/child/wakeup_prio.h"

#include <sched.h>

struct et_own_process {
	bool changed;
	int was_subreaper;
	struct et_cgroup cgroup;
	struct et_wakeup_prio wakeup;
	bool metronome;         /* there is a CPU other than the one that programs share */
	cpu_set_t home, others; /* the CPUs that etalon may use, and those without that one */
};

/*
 * n_cpus is the number of the machine's CPUs (0: see wakeup_prio.h); avoid is the CPU to keep off
 * when a metronome beats, NULL: there will be none. 0, or -errno with err filled if there is no
 * other CPU; then nothing is changed.
 */
int et_own_process_change(struct et_own_process *p, const char *root, uint32_t n_cpus,
	const cpu_set_t *avoid, struct et_error *err) ET_CHECK;
void et_own_process_restore(struct et_own_process *p); /* all zero is fine */
