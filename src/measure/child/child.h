/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Starts a measured program so that the window contains the program and nothing else: everything is
 * prepared first, and the child itself reads the clocks as its last step before execve().
 *
 * By default a child is made with vfork(): it uses our address space until execve(), so that the
 * kernel need not tear down a copy of it inside the window. A held child is made with fork() and
 * waits at a start line before it reads the clocks, until its parent releases it. The children of
 * a duet are held so that they start together, and a single child is held if an observer must
 * attach to it before execve() (observer.h), or if it changes its user: processes of that user can
 * then stop it, and a parent that waits in vfork() handles no signal.
 */
#pragma once

#include "base/error.h"
#include "measure/child/cgroup.h"
#include "measure/child/environ.h"
#include "model/sample/executor.h"

#include <sched.h>
#include <signal.h>
#include <sys/types.h>

/*
 * Signals whose disposition etalon has changed for itself: the programs get those of the caller.
 * Those with a handler are not among them, because execve() restores them.
 */
struct et_dispositions {
	size_t n_defaults, n_ignored;
	int defaults[NSIG], ignored[NSIG];
};

/* Compares the dispositions of this process with the caller's, who ignores these signals. */
void et_dispositions_read(const sigset_t *ignored_by_caller, struct et_dispositions *out);

enum et_aslr { ET_ASLR_INHERITED, ET_ASLR_ON, ET_ASLR_OFF };

/* A NUMA policy, see set_mempolicy(2). */
struct et_memory_policy {
	int mode;
	unsigned long nodes[16]; /* one bit per node; all 0: the mode takes none */
};

struct et_scout;

struct et_child_setup {
	const char *path; /* found already, so that PATH is not searched inside the window */
	char *const *argv;
	char *const *envp;
	const char *directory; /* NULL: the current one */
	const cpu_set_t *cpus; /* NULL: inherited */
	bool sets_policy;      /* false: the scheduling policy is inherited */
	int policy, priority;
	int nice; /* added to the inherited value */
	enum et_aslr aslr;
	const struct et_memory_policy *memory; /* NULL: inherited */
	const struct et_identity *identity;    /* of another user; NULL: ours */
	bool no_new_privs;                     /* execve() grants no privileges, see prctl(2) */
	bool pace;        /* it runs the reference loop, no program, until it is killed */
	int in, out, err; /* descriptors for 0, 1, 2 */
	int attach_fd;    /* cgroup.procs of a group to enter; -1: it inherits the right one */
	enum et_cpu_source source;
	int usage_fd;         /* of the slot, -1 with ET_CPU_BY_WAIT4 */
	bool subtract_parent; /* etalon is in the same control group */
	sigset_t signals;     /* signal mask of the program */
	const struct et_dispositions *dispositions;
	bool raise_parent;            /* see wakeup_prio.h */
	const struct et_scout *scout; /* it gets the listener of the child; NULL: not scouted */
	uint64_t *begin_ns;           /* t0 is copied here, for the ledger; NULL: not needed */
};

/* The child writes this into shared memory before it calls execve(). */
struct et_start {
	uint32_t ready; /* 1: a held child is at its start line, or its preparation failed */
	uint32_t go;    /* a held child waits until this is 1 */
	const char *failed_step; /* why it could not start; NULL: it did */
	int failed_errno;
	uint64_t spawned_ns;    /* CLOCK_MONOTONIC before fork(), by the parent */
	uint64_t t0_ns;         /* CLOCK_MONOTONIC right before execve() */
	uint64_t t0_ticks;      /* the processor's counter then */
	uint64_t own_cpu_ns;    /* CPU time that the child had used by then */
	uint64_t usage_ns;      /* CPU time of its control group by then */
	uint64_t parent_cpu_ns; /* CPU time of etalon by then, with subtract_parent */
	uint64_t run_delay_ns;  /* time that it had waited for a CPU by then */
	uint64_t rss_bytes;     /* peak memory by then, of etalon's copy or of etalon itself */
	/* Of the reference loop, since t0: laps completed, and their CPU time. */
	uint64_t pace_ns, pace_loops;
};

/* Checks that children can be started at all. 0 or -errno with err filled. */
int et_child_check(const char *root, struct et_error *err) ET_CHECK;

/* Maps shared memory for n starts; NULL with errno set if that fails. */
struct et_start *et_start_map(size_t n) ET_CHECK;
void et_start_unmap(struct et_start *s, size_t n);

/* Makes a child; all signals must be blocked. If `held`, it waits for et_child_release(). */
pid_t et_child_spawn(
	const struct et_child_setup *setup, struct et_start *start, bool held) ET_CHECK;
/*
 * Waits until a held child is at its start line; call it with signals unblocked. 0, -ECHILD if the
 * child failed or was killed, -EINTR after a signal that ends etalon, or -ETIMEDOUT after limit_ns:
 * another process may have stopped the child.
 */
int et_child_wait_ready(pid_t pid, struct et_start *start, const struct et_interrupt *interrupt,
	uint64_t limit_ns) ET_CHECK;
void et_child_release(struct et_start *starts, size_t n);
/* Fills err with the reason of a failed start; returns -errno. */
int et_child_start_error(const struct et_child_setup *setup, const struct et_start *start,
	struct et_error *err) ET_CHECK;

/* Whether the kernel randomises addresses, unless the personality of a process prevents it. */
bool et_child_randomises(const char *root);
/*
 * Whether a child could set its directory, CPUs, scheduling policy, nice value, personality and
 * memory policy as the setup says: makes a process that tries. 0, or -errno of the step that
 * failed.
 */
int et_child_try(const struct et_child_setup *setup) ET_CHECK;

/* Finds the executable for a name, as execvp() does and with its errors. The caller frees *out. */
int et_child_resolve(const char *name, const char *path_variable, const char *directory, char **out,
	struct et_error *err) ET_CHECK;
