/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of precision over a finished experiment: by the version of EMP, and by the clock that was
 * read. Only solo runs count, without warm-up, failed and stopped runs.
 *
 * v1 to v6 are rules over the same runs (et_version_rules). v2 is the controlled environment. v3 to
 * v5 are three ways to find runs that daemons disturbed, each replacing the one before. v6 adds the
 * two-sigma rule. v5 and the rule of v6 need 10 runs; with fewer they remove nothing.
 */
#ifndef ET_PROTOCOL_PRECISION_H
#define ET_PROTOCOL_PRECISION_H

#include "model/experiment.h"
#include "model/precision.h"

/* stoppable: true if a controlled environment would have stopped a process of that name. */
void et_versions_judge(
	const struct et_command *c, bool (*stoppable)(const char *comm), struct et_versions *out);
void et_clock_methods_judge(const struct et_command *c, struct et_clock_methods *out);
/* Which runs of a command count as they were recorded. */
void et_counted_judge(const struct et_command *c, struct et_counted *out);
void et_program_judge(const struct et_command *c, struct et_program_precision *out);
void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out);

#endif
