/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A real-time priority for etalon while the machine is busy. The end of a program is seen when
 * etalon wakes up, and on a busy machine it may wait for a CPU for milliseconds first, against
 * microseconds with SCHED_FIFO. On a quiet machine the priority costs about 50 µs instead: the
 * scheduler then wakes etalon on the program's CPU and not on an idle one. etalon sleeps while a
 * program runs. Without the privilege nothing changes.
 *
 * The priority is lowered before a child is made and raised afterwards. A child of a real-time task
 * would inherit more than SCHED_RESET_ON_FORK resets: the kernel sets the timer slack of such a
 * task to 0 (Linux 6.13 and later), its child would keep that as its own slack and as its default,
 * and would wake up from each sleep about 50 µs earlier than a program that the user's shell
 * started.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct et_wakeup_prio {
	bool wanted; /* the machine is busy, and we are allowed to raise the priority */
	bool raised;
	bool sets_slack; /* the kernel restores another timer slack than … */
	long slack_ns;   /* … the one that we had */
};

/*
 * Finds out whether the machine, which has this number of CPUs, is busy; 0 CPUs: it will be. Raises
 * nothing yet.
 */
void et_wakeup_prio_open(struct et_wakeup_prio *p, const char *root, uint32_t cpus);
void et_wakeup_prio_raise(struct et_wakeup_prio *p);
/*
 * Raises it whether the machine is busy or not, unless we have another policy already. A fork bomb
 * of hundreds of processes leaves a process that kills them a small share of the CPU; with a
 * real-time priority the kills come before the next forks.
 */
void et_wakeup_prio_hurry(struct et_wakeup_prio *p);
/* Call it before fork(). Does nothing if the priority is not raised. */
void et_wakeup_prio_lower(struct et_wakeup_prio *p);
/* Raises the priority of another process; a child of vfork() does that for its parent. */
void et_wakeup_prio_raise_process(pid_t pid);
