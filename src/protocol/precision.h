/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tables of precision over a finished experiment: by program, and by the clock that was read. Only
 * solo runs count, without warm-up, failed and stopped runs.
 */
#ifndef ET_PROTOCOL_PRECISION_H
#define ET_PROTOCOL_PRECISION_H

#include "model/experiment.h"
#include "model/precision.h"

struct et_precision et_precision_of(const double *x, size_t n);
/* Of all runs of a command, removed or not. */
struct et_precision et_every_run(const struct et_command *c, enum et_metric m);
/* Which runs of a command count as they were recorded. */
void et_counted_judge(const struct et_command *c, struct et_counted *out);

void et_program_judge(const struct et_command *c, struct et_program_precision *out);
void et_programs_average(
	const struct et_program_precision *list, size_t n, struct et_program_averages *out);

#endif
