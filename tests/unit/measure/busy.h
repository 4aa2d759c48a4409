/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Waits for a child that keeps a CPU busy, however long the machine lets it wait for that CPU. */
#pragma once

#include "base/clock.h"
#include "tap.h"

#include <unistd.h>

static inline uint64_t cpu_ns_of(pid_t pid)
{
	struct timespec t;

	return clock_gettime(et_clock_of_process(pid), &t) ? 0 : et_timespec_ns(t);
}

/* Returns when the process has used this much more CPU time. */
static inline void wait_until_used(pid_t pid, uint64_t more_ns)
{
	uint64_t goal = cpu_ns_of(pid) + more_ns;

	for (int i = 0; cpu_ns_of(pid) < goal; i++) {
		if (i == 30000)
			tap_bail("process %d does not run", (int)pid);
		usleep(1000);
	}
}
