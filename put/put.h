/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Programs under test (put): small workloads of exactly known size, to try a machine, a method or
 * etalon itself. The work makes no system call, except where the head of its file says so. It
 * returns its result, so that the compiler cannot drop it.
 */
#pragma once

#include "base/error.h"

/*
 * The parameters of workloads, as bits of a set. WALL, CALIBRATE, EQUAL_CALLS and REVERSE have no
 * value; that of REPORT is the caller's.
 */
enum et_put_param {
	ET_PUT_SECONDS = 1 << 0,
	ET_PUT_ITERATIONS = 1 << 1,
	ET_PUT_SIZE = 1 << 2,
	ET_PUT_SEED = 1 << 3,
	ET_PUT_WALL = 1 << 4,
	ET_PUT_REPORT = 1 << 5,
	ET_PUT_CALIBRATE = 1 << 6,
	ET_PUT_CALLS = 1 << 7,
	ET_PUT_EQUAL_CALLS = 1 << 8,
	ET_PUT_INNER = 1 << 9,
	ET_PUT_REVERSE = 1 << 10,
	ET_PUT_RANDOM = 1 << 11,
	ET_PUT_THREADS = 1 << 12,
	ET_PUT_LAST = ET_PUT_THREADS,
};

/* Where nops takes its random numbers from. */
enum et_put_random {
	ET_PUT_URANDOM,
	ET_PUT_LCG,
	ET_PUT_CONSTANT,
};
extern const char *const et_put_random_names[];

struct et_put_params {
	unsigned given;      /* the set of parameters that the user gave */
	uint64_t seconds_ns; /* duration of the work, in ns */
	uint64_t iterations;
	uint64_t size;
	char size_class; /* the size of a kernel, by its letter; 0: the size is a number */
	uint64_t seed;
	uint64_t threads; /* of a kernel; 0: as OpenMP decides */
	uint64_t calls;
	uint64_t inner;
	enum et_put_random random;
	const char *state_dir; /* folder of the calibration file; NULL: it is not kept */
	/* inc calls it right before and right after the increments; or NULL. */
	void (*mark)(void *mark_ctx, bool end);
	void *mark_ctx;
};

struct et_put_result {
	uint64_t value;    /* depends on all the work done */
	char detail[256];  /* a description of the work, for -v */
	char warning[512]; /* "": none */
};

struct et_workload {
	const char *name; /* NULL ends the table */
	const char *summary;
	unsigned takes; /* the set of parameters that it accepts */
	struct et_put_params defaults;
	uint64_t largest_size; /* of the parameter size */
	/* NULL: a kernel (kernel.h), which is a program of its own. */
	int (*run)(const struct et_put_params *p, struct et_put_result *out,
		struct et_error *err) ET_CHECK;
};

extern const struct et_workload et_workloads[];

/* Returns NULL if there is no workload of that name. */
const struct et_workload *et_workload_find(const char *name);
/* Refuses parameters that the workload does not accept. */
int et_workload_check(const struct et_workload *w, const struct et_put_params *given,
	struct et_error *err) ET_CHECK;
/*
 * Runs a workload that is not a kernel, with defaults for parameters that are not given. Refuses
 * parameters that it does not accept.
 */
int et_workload_run(const struct et_workload *w, const struct et_put_params *given,
	struct et_put_result *out, struct et_error *err) ET_CHECK;

/*
 * Returns how many iterations of the arithmetic of fragment and triangle take this long on an
 * undisturbed machine, by the calibration that is kept in the folder, or made now.
 */
uint64_t et_grind_iterations(const char *state_dir, uint64_t ns);

/* Returns the name of the option that sets the parameter, without dashes. */
const char *et_put_param_name(enum et_put_param param);
