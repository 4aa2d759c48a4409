/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Experiments with a profile, for tests of their statistics. */
#pragma once

#include "base/base.h"
#include "model/experiment/experiment.h"

#include <stdio.h>
#include <stdlib.h>

/* A profile of commands named "a", "b" …, without a run. */
static inline struct et_experiment *profile_of(size_t commands)
{
	struct et_experiment *e = et_experiment_new();

	e->protocol = ET_PROTOCOL_RAW;
	e->plan.order = ET_ORDER_RANDOM;
	e->profile = et_profile_new(&et_default_profile_plan);
	snprintf(e->profile->event, sizeof(e->profile->event), "cpu-clock");
	e->profile->kernel_allowed = true;
	for (size_t i = 0; i < commands; i++) {
		char **argv = et_calloc(2, sizeof(*argv));
		argv[0] = et_asprintf("%c", (char)('a' + i));
		et_experiment_add_command(e, et_strdup(argv[0]), argv);
	}
	return e;
}

/* A run without samples so far; et_profile_run_add adds them, and profile_add takes it. */
static inline struct et_profile_run profile_run(void)
{
	return (struct et_profile_run){ .period = 1e6 };
}

static inline void profile_add(
	struct et_experiment *e, uint32_t command, uint32_t round, struct et_profile_run *run)
{
	struct et_sample s = { .place = { .command = command,
				       .round = round,
				       .order = (uint32_t)(e->profile->n_runs + 1) } };

	s.measured.cpu_ns = s.measured.elapsed_ns = (uint64_t)(1e6 * (double)run->samples) + 1;
	s.measured.profile = run;
	et_experiment_add(e, &s);
	free(run->counts);
	*run = profile_run();
}
