/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Burners: a squad, one process on each CPU, that uses CPU time on demand.
 *
 * An event takes its first sample one whole period after it was enabled, so the first milliseconds
 * of a program would never be seen. A random part of each period must have passed before. The time
 * of an event per CPU and control group passes only while a task of that group runs on that CPU:
 * that is what burners do, between the runs.
 */
#pragma once

#include "measure/child/squad.h"

#include <sched.h>

/*
 * Makes one per usable CPU of the set, in the group with this cgroup.procs, until et_squad_close. 0
 * or -errno, also if one does not start or none is left; then nothing is left open.
 */
int et_burners_open(struct et_squad *b, const cpu_set_t *cpus, int procs_fd) ET_CHECK;
/* Lets each use this much CPU time, and waits for that; on a busy machine only for some time. */
void et_burners_burn(struct et_squad *b, uint64_t ns);
