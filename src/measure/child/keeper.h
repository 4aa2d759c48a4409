/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper: a process that waits, without using any CPU time, until etalon has died without
 * ending its programs (kill -9, a crash), and then ends them. The kernel kills the program itself
 * (PR_SET_PDEATHSIG), but descendants of it lose their connection with etalon. The keeper finds
 *
 *  - the process groups of the programs that were running,
 *  - the members of etalon's control groups, if it had some (cgroup.h),
 *  - processes with a descriptor 0, 1 or 2 that refers to an open file description of etalon's
 *    (kcmp(2)), which only a descendant can have, and the descendants of these.
 *
 * Without a control group it misses a process that has left the process group, has replaced all
 * three descriptors, and whose parents have ended: a proper daemon.
 *
 * It is a child without an exit signal, so that waiting for all children does not report it.
 */
#pragma once

#include "model/sample/executor.h"

enum { ET_KEEPER_MARKS = 6 };

/*
 * Call it in a process with one thread, and before etalon enters a control group. marks are
 * descriptors that programs get; those below 3 are not etalon's own and do not count. The keeper
 * reads interrupt->groups if that is in shared memory. Its PID; 0: the kernel does not support it.
 */
pid_t et_keeper_start(
	const struct et_interrupt *interrupt, const int marks[static ET_KEEPER_MARKS]);
void et_keeper_stop(pid_t keeper); /* 0 is fine */
