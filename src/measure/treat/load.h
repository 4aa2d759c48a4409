/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Competing load: a squad that uses all CPU time it gets while a program runs. */
#pragma once

#include "base/error.h"
#include "measure/child/squad.h"

#include <sched.h>

struct et_load {
	struct et_squad squad;
	bool running; /* started and not stopped */
};

/*
 * Makes n of them, asleep. Call it before etalon enters a control group, whose CPU time is the
 * program's. 0 or -errno with err filled.
 */
int et_load_open(struct et_load *l, uint32_t n, struct et_error *err) ET_CHECK;
/* Lets this many of them use these CPUs (NULL: those of etalon) until et_load_stop(). */
int et_load_start(
	struct et_load *l, uint32_t n, const cpu_set_t *cpus, struct et_error *err) ET_CHECK;
/* Lets them sleep, and waits until they do: nothing of it is left for the next run. */
void et_load_stop(struct et_load *l);
void et_load_close(struct et_load *l); /* all zero is fine */
