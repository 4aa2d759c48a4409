/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Own control groups, so that process time counts every task of the program whether anybody waits
 * for it or not.
 *
 * Moving a task between groups waits for the kernel (0.4 ms on average), inheriting one is free:
 * so etalon itself lives in the first group while it measures, children are born in it, and
 * etalon's own CPU time is taken off. The partner of a duet is moved into the second group before
 * its start line.
 */
#ifndef ET_MEASURE_CGROUP_H
#define ET_MEASURE_CGROUP_H

#include "model/executor.h"

struct et_cgroup {
	enum et_cpu_source source; /* ET_CPU_BY_WAIT4: no group could be made */
	char home[4096];           /* group we came from (folder) */
	char dir[ET_SLOTS][4096];
	int usage_fd[ET_SLOTS]; /* cpuacct.usage or cpu.stat */
	int procs_fd[ET_SLOTS]; /* cgroup.procs */
	int home_fd;            /* cgroup.procs of home */
};

/* Makes the groups and enters the first; falls back to ET_CPU_BY_WAIT4, never fails. */
void et_cgroup_open(struct et_cgroup *g);
/* The same in one version's hierarchy, or false and nothing changed. */
bool et_cgroup_open_source(struct et_cgroup *g, enum et_cpu_source source);
/* Leaves and removes the groups. */
void et_cgroup_close(struct et_cgroup *g);
/* CPU time used in a slot so far, ET_UNKNOWN when unreadable; safe between vfork and exec. */
uint64_t et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd);
#endif
