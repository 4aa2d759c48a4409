/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A known load: processes that use the CPU of the measured thread and the memory system, as those
 * of Bryant & O'Hallaron, chapter 9. Each is in a session of its own, because a kernel with
 * autogroup scheduling would give ten rivals in one session as much CPU time as one.
 */
#pragma once

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

enum { ET_RIVALS_MAX = 63 };

struct et_rivals {
	pid_t pids[ET_RIVALS_MAX];
	unsigned n;
	sigset_t mask; /* the signal mask before et_rivals_start */
};

/*
 * Starts n processes, at most ET_RIVALS_MAX, on a CPU; they execute a program, which is found as
 * execvp(3) does, or without one use the CPU and the memory. The kernel kills them when this thread
 * ends. SIGTSTP stays blocked until et_rivals_end, because the rivals would continue to spin while
 * etalon is stopped.
 */
int et_rivals_start(
	struct et_rivals *r, unsigned n, int cpu, char *const *argv, struct et_error *err) ET_CHECK;
/* Kills and reaps all of them, and restores the signal mask. */
void et_rivals_end(struct et_rivals *r);
