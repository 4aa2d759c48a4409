/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs under test: small workloads of exactly known size, to try a machine, a method or etalon
 * itself on. The work itself does no input or output and no system call but where its head says
 * so; its result is handed back, so that the optimiser cannot drop it.
 */
#ifndef ET_PUT_PUT_H
#define ET_PUT_PUT_H

#include "base/error.h"

#include <stdbool.h>

/* What a workload can be given; a bit set says which of them it takes. */
enum et_put_param {
	ET_PUT_SECONDS = 1 << 0,
	ET_PUT_ITERATIONS = 1 << 1,
	ET_PUT_SIZE = 1 << 2,
	ET_PUT_SEED = 1 << 3,
	ET_PUT_WALL = 1 << 4,
	ET_PUT_CALIBRATE = 1 << 5,
};

struct et_put_params {
	unsigned given;      /* which of the following the user gave */
	uint64_t seconds_ns; /* how long */
	uint64_t iterations;
	uint64_t size;
	uint64_t seed;
	const char *state_dir; /* where a calibration is kept, or NULL for nowhere */
};

struct et_put_result {
	uint64_t value;   /* depends on all the work done */
	char detail[256]; /* what was done, for the curious */
	char doubt[512];  /* what a user must know, or "" */
};

struct et_workload {
	const char *name;
	const char *summary;
	unsigned takes;
	struct et_put_params defaults;
	uint64_t largest_size;
	int (*run)(const struct et_put_params *p, struct et_put_result *out, struct et_error *err);
};

/* Ends with a row whose name is NULL. */
extern const struct et_workload et_workloads[];

const struct et_workload *et_workload_find(const char *name);
/* Fills what was not given with the workload's defaults, refuses what it does not take, runs. */
int et_workload_run(const struct et_workload *w, const struct et_put_params *given,
	struct et_put_result *out, struct et_error *err) ET_CHECK;

/* The option's name of one bit, without dashes. */
const char *et_put_param_name(enum et_put_param param);

#endif
