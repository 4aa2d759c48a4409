/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The end of a program is told by our waking up. On a busy machine that waits its turn, up to
 * milliseconds, against microseconds with a real-time priority; on a quiet one such a priority
 * costs more than it saves (some 50 µs: we are woken where the program runs instead of on a CPU
 * that idles). We sleep while a program runs, and what we fork is ordinary again. Without the
 * privilege it stays as it is.
 */
#ifndef ET_MEASURE_WAKEUP_PRIO_H
#define ET_MEASURE_WAKEUP_PRIO_H

#include <stdbool.h>
#include <stdint.h>

struct et_wakeup_prio {
	bool on;        /* we have a real-time priority meanwhile */
	int was_policy; /* our own, before */
};

/* Takes the priority when the machine with so many CPUs is busy. */
void et_wakeup_prio_open(struct et_wakeup_prio *p, uint32_t cpus);
void et_wakeup_prio_close(const struct et_wakeup_prio *p);

#endif
