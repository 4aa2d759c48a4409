/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Burners: processes of ours, one on each CPU, that use CPU time on demand and sleep otherwise.
 *
 * An event takes its first sample one whole period after it was enabled, so the first milliseconds
 * of a program would never be seen. A random part of each period must have passed before. The time
 * of an event per CPU and control group passes only while a task of that group runs on that CPU:
 * that is what burners do, between the runs. They are children without an exit signal, as the
 * keeper is (measure/child/keeper.h), so that waiting for all children does not report them.
 */
#pragma once

#include "base/error.h"

#include <sched.h>
#include <stdint.h>
#include <sys/types.h>

struct et_burning; /* shared with the burners */

struct et_burners {
	struct et_burning *shared;
	pid_t *pids;
	size_t n;
};

/*
 * Makes one per CPU of the set, in the group with this cgroup.procs. CPUs that cannot be used are
 * left out. 0 or -errno, also if one does not start or none is left; then nothing is left open.
 */
int et_burners_open(struct et_burners *b, const cpu_set_t *cpus, int procs_fd) ET_CHECK;
/*
 * Lets each use this much CPU time, and waits until all have done so. On a busy machine it stops
 * waiting after some time; the burners then finish on their own.
 */
void et_burners_burn(struct et_burners *b, uint64_t ns);
void et_burners_close(struct et_burners *b); /* all zero is fine */
