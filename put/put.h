/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs under test: small workloads of exactly known size, to try a machine, a method or etalon
 * itself. The work does no input or output and makes no system call, except where the head of its
 * file says so. It returns its result, so that the compiler cannot drop it.
 */
#ifndef ET_PUT_PUT_H
#define ET_PUT_PUT_H

#include "base/error.h"

#include <stdbool.h>

/* The parameters of workloads, as bits: a set of them says which ones a workload accepts. */
enum et_put_param {
	ET_PUT_SECONDS = 1 << 0,
	ET_PUT_ITERATIONS = 1 << 1,
	ET_PUT_SIZE = 1 << 2,
	ET_PUT_SEED = 1 << 3,
	ET_PUT_WALL = 1 << 4,
	ET_PUT_CALIBRATE = 1 << 5,
};

struct et_put_params {
	unsigned given;      /* the parameters that the user gave, as bits */
	uint64_t seconds_ns; /* duration */
	uint64_t iterations;
	uint64_t size;
	uint64_t seed;
	const char *state_dir; /* folder of the calibration file, or NULL: it is not kept */
};

struct et_put_result {
	uint64_t value;    /* depends on all the work done */
	char detail[256];  /* a description of the work, for -v */
	char warning[512]; /* or "" */
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
/* Runs the workload, with defaults for parameters not given. Refuses those it does not accept. */
int et_workload_run(const struct et_workload *w, const struct et_put_params *given,
	struct et_put_result *out, struct et_error *err) ET_CHECK;

/* Returns the name of the option that sets the parameter, without dashes. */
const char *et_put_param_name(enum et_put_param param);

#endif
