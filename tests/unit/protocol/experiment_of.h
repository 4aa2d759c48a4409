/* SPDX-License-Identifier: GPL-3.0-or-later */
/* An experiment with commands that have names only, for tests of the driver. */
#pragma once

#include "model/experiment/experiment.h"

static inline struct et_experiment *experiment(size_t n_commands, struct et_plan plan)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));

	plan.level = 0.95;
	e->plan = plan;
	e->host.tick_ns = 4000000;
	e->n_commands = n_commands;
	e->commands = et_calloc(n_commands, sizeof(*e->commands));
	for (size_t i = 0; i < n_commands; i++)
		e->commands[i].name = et_asprintf("command %zu", i + 1);
	return e;
}
