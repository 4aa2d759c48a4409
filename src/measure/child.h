/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starting the measured program so that the window holds the program and nothing else: everything
 * is prepared first, the clocks are read by the child itself at the last instant before execve.
 *
 * A lone child is made with vfork (its address space is ours until it execs, so nothing has to be
 * torn down inside the window); the children of a duet are forked and held at a start line.
 */
#ifndef ET_MEASURE_CHILD_H
#define ET_MEASURE_CHILD_H

#include "base/error.h"
#include "measure/cgroup.h"

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

struct et_child_setup {
	const char *path; /* resolved: no search inside the window */
	char *const *argv;
	char *const *envp;
	const char *directory; /* NULL: where we are */
	const cpu_set_t *cpus; /* NULL: as we are */
	int policy, priority;  /* SCHED_OTHER 0: as we are */
	int nice;              /* added */
	bool change_user;
	uid_t uid;
	gid_t gid;
	const gid_t *groups;
	int n_groups;
	bool pace;        /* no program: the reference loop, until it is killed */
	int in, out, err; /* descriptors for 0, 1, 2 */
	int attach_fd;    /* cgroup.procs to move to, -1: born in the right place */
	enum et_cpu_source source;
	int usage_fd;         /* of the slot, -1 with ET_CPU_BY_WAIT4 */
	bool subtract_parent; /* etalon lives in the same slot */
	sigset_t signals;     /* mask the program begins with */
	uint64_t *begin_ns;   /* where t0 is written for the ledger, NULL: nowhere */
};

/* Written by the child before it becomes the program; lies in memory both see. */
struct et_start {
	uint32_t ready; /* the child has come to its start line, or failed on the way */
	uint32_t go;    /* it waits there until this is 1 */
	int failed_step, failed_errno; /* why it could not start; 0 0 when it did */
	uint64_t spawned_ns;           /* CLOCK_MONOTONIC before fork, by the parent */
	uint64_t t0_ns;                /* CLOCK_MONOTONIC right before execve */
	uint64_t t0_ticks;             /* the processor's counter then */
	uint64_t own_cpu_ns;           /* CPU time the child had used by then */
	uint64_t usage_ns;             /* CPU time of its slot by then */
	uint64_t parent_cpu_ns;
	uint64_t run_delay_ns; /* time it had waited for a CPU by then */
	/* The reference loop's own account, since t0: laps done and the CPU time they took. */
	uint64_t pace_ns, pace_loops;
};

/* Whether children can be started at all, with what is in the way. */
int et_child_check(const char *root, struct et_error *err) ET_CHECK;

/* Memory for n starts, shared between parent and children. NULL when there is none. */
struct et_start *et_start_map(size_t n) ET_CHECK;
void et_start_unmap(struct et_start *s, size_t n);

/*
 * Starts the child; all signals must be blocked. held: it stops at the start line until
 * et_child_release. Returns its pid, or -errno when no process could be made.
 */
pid_t et_child_spawn(
	const struct et_child_setup *setup, struct et_start *start, bool held) ET_CHECK;
/* Waits until a held child stands at its start line; false when it never will. */
bool et_child_wait_ready(pid_t pid, struct et_start *start) ET_CHECK;
void et_child_release(struct et_start *starts, size_t n);
/* The sentence for a start that failed; returns -errno. */
int et_child_start_error(
	const struct et_child_setup *setup, const struct et_start *start, struct et_error *err);

/* The executable for a name as execvp would find it, with the error it would give. Caller frees. */
int et_child_resolve(const char *name, const char *path_variable, const char *directory, char **out,
	struct et_error *err) ET_CHECK;

#endif
