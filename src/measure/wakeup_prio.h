/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A real-time priority for etalon while the machine is busy. The end of a program is seen when
 * etalon wakes up, and on a busy machine it may wait for a CPU for milliseconds first, against
 * microseconds with SCHED_FIFO. On a quiet machine the priority costs about 50 µs instead: the
 * scheduler then wakes etalon on the program's CPU and not on an idle one. etalon sleeps while a
 * program runs, and its children have the ordinary policy. Without the privilege nothing changes.
 */
#ifndef ET_MEASURE_WAKEUP_PRIO_H
#define ET_MEASURE_WAKEUP_PRIO_H

#include <stdbool.h>
#include <stdint.h>

struct et_wakeup_prio {
	bool on;        /* the priority is raised */
	int was_policy; /* before that */
};

/* Raises the priority if the machine, which has this number of CPUs, is busy. */
void et_wakeup_prio_open(struct et_wakeup_prio *p, const char *root, uint32_t cpus);
void et_wakeup_prio_close(const struct et_wakeup_prio *p);

#endif
