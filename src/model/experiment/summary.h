/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A stored experiment without its samples: one line of `etalon list`. */
#pragma once

#include "model/experiment/experiment.h"

struct et_summary {
	char id[40];
	const char *label; /* or NULL */
	uint64_t started_wall_ns;
	enum et_state state;
	enum et_origin origin;
	uint32_t n_commands;
	uint64_t n_samples; /* warm-up not counted */
	const char *first_command;
	bool profile; /* it has a profile */
	bool design;  /* `doe` designed it */
	/* Of a part of a study, as in struct et_member; or NULL. */
	const char *study, *study_lab, *study_part;
};
