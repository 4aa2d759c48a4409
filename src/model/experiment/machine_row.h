/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine in a store: its properties, facts that were learned on it, and what was timed there. */
#pragma once

#include "model/experiment/environment.h"
#include "model/experiment/machine_id.h"

/* A machine, as it was when it last measured. */
struct et_machine_row {
	char id[ET_MACHINE_SIZE];
	uint64_t first_wall_ns, last_wall_ns; /* when it was seen */
	char version[32];                     /* of etalon, or "" */
	struct et_host host;
	/* The factors of the environment that were not as wanted, the gravest first. */
	struct et_factor *deviations;
	size_t n_deviations;
	bool environment_known;
};

/* A text that outlives experiments. */
struct et_fact {
	const char *machine; /* "": of an earlier version, which did not record it */
	const char *key, *value;
	uint64_t changed_wall_ns;
};

/* The experiments of one machine under one name of its host. */
struct et_machine_count {
	const char *machine, *host; /* "": not known */
	uint64_t experiments, samples;
	uint64_t first_wall_ns, last_wall_ns;
};

/* A mean and the sum of the squares of the deviations from it. */
struct et_spread {
	double mean, squares;
};

/* The times of one command of an experiment, over the samples that count. */
struct et_timing {
	const char *id, *label; /* of the experiment; label may be NULL */
	const char *machine, *host;
	const char *name, *text; /* of the command */
	uint64_t started_wall_ns;
	uint64_t n;
	struct et_spread elapsed, cpu; /* in nanoseconds; NaN: not known */
};
