/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control groups of our own, so that CPU time covers every task of a program, whether its parent
 * waits for it or not.
 *
 * Moving a task into a group waits for an RCU grace period in the kernel (0.4 ms on average), while
 * inheriting a group costs nothing. Therefore etalon itself lives in the first group while it
 * measures, children are born in it, and etalon's own CPU time is subtracted. The second child of a
 * duet moves itself into the second group before its start line.
 */
#ifndef ET_MEASURE_CGROUP_H
#define ET_MEASURE_CGROUP_H

#include "model/executor.h"

struct et_cgroup {
	enum et_cpu_source source; /* ET_CPU_BY_WAIT4: no group could be made */
	char home[4096];           /* folder of the group that we came from */
	char dir[ET_SLOTS][4096];
	int usage_fd[ET_SLOTS]; /* cpuacct.usage or cpu.stat */
	int procs_fd[ET_SLOTS]; /* cgroup.procs */
	int home_fd;            /* cgroup.procs of home */
};

/*
 * Makes the groups and enters the first. Falls back to ET_CPU_BY_WAIT4, never fails. root is that
 * of /proc and of the mount points, see base/sysroot.h.
 */
void et_cgroup_open(struct et_cgroup *g, const char *root);
/* The same in the hierarchy of one version; returns false and changes nothing if it cannot. */
bool et_cgroup_open_source(
	struct et_cgroup *g, const char *root, enum et_cpu_source source) ET_CHECK;
/* Leaves and removes the groups. */
void et_cgroup_close(struct et_cgroup *g);
/*
 * The CPU time used in a slot so far, ET_UNKNOWN if it cannot be read. It may be called between
 * vfork() and execve().
 */
uint64_t et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd);

/* Finds the folder of the group that we are in, from /proc/self/mountinfo and /proc/self/cgroup. */
bool et_cgroup_find(
	const char *root, enum et_cpu_source source, char *folder, size_t size) ET_CHECK;
/* Kills and removes what killed runs left in this folder. */
void et_cgroup_sweep(const char *root, const char *folder);

#endif
