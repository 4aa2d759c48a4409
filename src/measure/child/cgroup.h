/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Control groups of our own, so that CPU time covers every task of a program, whether its parent
 * waits for it or not.
 *
 * Moving a task into a group waits for an RCU grace period in the kernel (0.4 ms on average), while
 * inheriting a group costs nothing. Therefore etalon itself lives in the first group while it
 * measures, children are born in it, and etalon's own CPU time is subtracted. The second child of a
 * duet moves itself into the second group before its start line.
 *
 * The folders are named etalon-PID.N-SLOT. As long as etalon lives, it holds a write lock (an open
 * file description lock, see fcntl(2)) on the cgroup.procs of each, which is visible across PID
 * namespaces. A folder without this lock is what a killed etalon has left, whatever the names and
 * PIDs of its members are.
 */
#pragma once

#include "model/sample/executor.h"

#define ET_CGROUP_PREFIX "etalon-" /* of the names of folders */

struct et_cgroup {
	enum et_cpu_source source; /* ET_CPU_BY_WAIT4: no group could be made */
	char home[4096];           /* folder of the group that we came from */
	char dir[ET_SLOTS][4096];
	int usage_fd[ET_SLOTS]; /* cpuacct.usage or cpu.stat */
	int procs_fd[ET_SLOTS]; /* cgroup.procs, locked */
	int home_fd;            /* cgroup.procs of home */
};

/* Makes the groups and enters the first. Falls back to ET_CPU_BY_WAIT4, never fails. */
void et_cgroup_open(struct et_cgroup *g, const char *root);
/* The same in the hierarchy of one version; returns false and changes nothing if it cannot. */
bool et_cgroup_open_source(
	struct et_cgroup *g, const char *root, enum et_cpu_source source) ET_CHECK;
/* Leaves and removes the groups. */
void et_cgroup_close(struct et_cgroup *g);
/* The CPU time used in a slot so far, or ET_UNKNOWN. Works between vfork() and execve(). */
uint64_t et_cgroup_usage_ns(enum et_cpu_source source, int usage_fd);

/* Finds our group in the hierarchy of a version 1 controller, or of version 2: "". */
bool et_cgroup_find(const char *root, const char *controller, char *folder, size_t size) ET_CHECK;

/* A group for programs alone, whose perf events count nothing else. */
struct et_event_group {
	char dir[4096];
	int dir_fd;   /* as perf_event_open() takes it */
	int procs_fd; /* cgroup.procs, locked */
};

/*
 * Makes the group within the one that we are in, in the hierarchy that perf events belong to: one
 * of version 1 if the controller is mounted there, else version 2. False if that is not possible.
 */
bool et_event_group_open(struct et_event_group *g, const char *root) ET_CHECK;
void et_event_group_close(struct et_event_group *g);

/* The result of a sweep, in numbers of processes. */
struct et_sweep {
	size_t ended;
	size_t left;    /* could not be ended */
	char names[64]; /* of those that were ended, each once, as many as fit */
};

/* Kills and removes what killed etalons left in this folder, and adds it to *out. */
void et_cgroup_sweep(const char *folder, struct et_sweep *out);
/* The same in the group that we are in, in all hierarchies that etalon makes groups in. */
void et_cgroup_sweep_all(const char *root, struct et_sweep *out);
