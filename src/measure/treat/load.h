/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Competing load: processes of ours that use all CPU time they get while a program runs, and sleep
 * otherwise. A designed experiment varies their number. They exist from the start, so that starting
 * them costs one wake-up, and they are children without an exit signal, as the keeper is
 * (keeper.h): waiting for the program does not report them. They die with etalon.
 */
#pragma once

#include "base/error.h"

#include <sched.h>
#include <stdbool.h>
#include <sys/types.h>

struct et_loading; /* shared with them */

struct et_load {
	struct et_loading *shared;
	pid_t *pids;
	uint32_t n;
	bool running; /* started and not stopped */
};

/*
 * Makes n of them, asleep. Call it before etalon enters a control group, whose CPU time is the
 * program's. 0 or -errno with err filled.
 */
int et_load_open(struct et_load *l, uint32_t n, struct et_error *err) ET_CHECK;
/*
 * Lets this many of them use these CPUs (NULL: those of etalon) until et_load_stop(). 0 or -errno
 * with err filled.
 */
int et_load_start(
	struct et_load *l, uint32_t n, const cpu_set_t *cpus, struct et_error *err) ET_CHECK;
/* Lets them sleep, and waits until they do: nothing of it is left for the next run. */
void et_load_stop(struct et_load *l);
void et_load_close(struct et_load *l); /* all zero is fine */
