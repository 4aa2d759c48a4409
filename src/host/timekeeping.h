/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whether something keeps the clock of the machine right: the kernel's account, and time daemons.
 */
#pragma once

#include "host/machine.h"
#include "model/experiment/environment.h"

/* The kernel's account of its clock, as adjtimex(2) reports it. */
struct et_clock_sync {
	bool known; /* false for a captured tree, or if the call is forbidden */
	bool synchronised;
	double offset_ns;     /* that the kernel still has to correct */
	double frequency_ppm; /* the correction of the clock's rate */
};

void et_clock_sync_read(const char *root, struct et_clock_sync *out);

/*
 * Judges the factor time-sync. daemons: the names of the time daemons that run, or NULL; installed:
 * the name of one that does not run, or NULL; inside: etalon runs in a container, which cannot see
 * the time daemon of its host.
 */
void et_time_sync_judge(const char *daemons, const char *installed, bool inside,
	const struct et_clock_sync *clock, struct et_finding *f);
