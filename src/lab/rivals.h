/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A load that is known: processes that spin on the measured thread's CPU. Each is in a session of
 * its own, because where the kernel groups by session (autogroup) ten rivals in one session would
 * get as much of the CPU as one.
 */
#ifndef ET_LAB_RIVALS_H
#define ET_LAB_RIVALS_H

#include "base/error.h"

#include <signal.h>
#include <sys/types.h>

enum { ET_RIVALS_MAX = 63 };

struct et_rivals {
	pid_t pids[ET_RIVALS_MAX];
	unsigned n;
	sigset_t mask; /* of signals, as it was */
};

/*
 * Starts n of them on a CPU. They end with the thread that started them, however it ends; until
 * et_rivals_end Ctrl-Z waits, for they would spin on while we are stopped.
 */
int et_rivals_start(struct et_rivals *r, unsigned n, int cpu, struct et_error *err) ET_CHECK;
/* Ends all and waits for them. */
void et_rivals_end(struct et_rivals *r);

#endif
