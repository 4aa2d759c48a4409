/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of precision over a finished experiment: what each version of EMP would have counted, what
 * each way to read a clock says. Runs alone only; warm-up, failed and stopped runs never count.
 *
 * v1 to v6 are rules over the same runs (et_version_rules): v2 stands for the controlled
 * environment, v3 to v5 are three ways to tell a run that daemons spoilt, each in place of the one
 * before, v6 adds the two-sigma rule. v5 and v6's rule need 10 runs; of fewer they remove nothing.
 */
#ifndef ET_PROTOCOL_PRECISION_H
#define ET_PROTOCOL_PRECISION_H

#include "model/experiment.h"
#include "model/precision.h"

/* stoppable: could the environment have been rid of a process of that name? */
void et_versions_judge(
	const struct et_command *c, bool (*stoppable)(const char *comm), struct et_versions *out);
void et_clock_methods_judge(const struct et_command *c, struct et_clock_methods *out);
/* What counts of a command as it is recorded. */
void et_counted_judge(const struct et_command *c, struct et_counted *out);

#endif
