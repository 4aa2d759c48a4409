/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The hook `reboot` of designed experiments: the machine restarts before each treatment but the
 * first. A session runs one treatment, makes everything durable and runs the hook; the next
 * session, in another boot, runs the next treatment. The record has the boot of each treatment.
 */
#pragma once

#include "conduct/measuring.h"

struct et_doe_reboot {
	struct et_measuring *m;
	const char *plan; /* path of the plan file */
	bool begun;       /* this session has a treatment */
	uint32_t treatment;
	bool due;      /* the session has ended because the machine is to restart */
	uint32_t next; /* the treatment after that */
	bool refused;  /* the machine has not restarted since the treatment before */
};

/*
 * Before the runs of a command (see struct et_driver); does nothing without the hook. Returns
 * -EAGAIN if the machine must restart first.
 */
int et_doe_reboot_before(struct et_doe_reboot *r, uint32_t command, struct et_error *err) ET_CHECK;
/*
 * Runs the hook, when the session is closed: installs a unit that continues after the restart, if
 * it can, and prints to out how the experiment continues.
 */
int et_doe_reboot_now(struct et_doe_reboot *r, const struct et_experiment *e, FILE *out,
	struct et_error *err) ET_CHECK;
/* Refuses to begin anything else than the experiment that such a unit is to continue. */
int et_doe_reboot_check(const struct et_experiment *earlier, struct et_error *err) ET_CHECK;
