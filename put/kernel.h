/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Kernels in the spirit of the NAS Parallel Benchmarks (Bailey et al. 1991), written from the
 * mathematics: small, parallel by OpenMP, and able to verify their results. They are a program of
 * their own, etalon-put-omp, which `etalon put` executes: OpenMP's library reads the environment
 * when a program starts and pins the program's first thread as GOMP_CPU_AFFINITY says. In etalon
 * it would pin the measurement.
 *
 * No result depends on the number of threads: sums are made of a fixed number of parts, which are
 * added in order.
 */
#pragma once

#include "base/base.h"

/* The sizes, by the letters of the NAS Parallel Benchmarks; from some 20 ms to tens of seconds. */
enum et_kernel_class {
	ET_CLASS_S,
	ET_CLASS_W,
	ET_CLASS_A,
	ET_CLASS_B,
	ET_CLASS_C,
	ET_CLASSES,
};
extern const char et_kernel_letters[ET_CLASSES + 1];

struct et_kernel_result {
	double value;      /* depends on all the work done */
	double error;      /* how far the result is from what mathematics demands */
	double limit;      /* the largest error that rounding, or chance, explains */
	const char *check; /* what error is, in a few words */
	char detail[128];  /* a description of the work */
};

/* With spoil, one number is changed in the middle of the work: a test of the checks. */
typedef void et_kernel_run(enum et_kernel_class size, bool spoil, struct et_kernel_result *out);

struct et_put_kernel {
	const char *name; /* NULL ends the table */
	et_kernel_run *run;
	double expected[ET_CLASSES]; /* of value */
};

extern const struct et_put_kernel et_kernels[];

/* Returns NULL if there is no kernel of that name. */
const struct et_put_kernel *et_kernel_find(const char *name);
/* Returns the size of that letter; ET_CLASSES: there is none. */
enum et_kernel_class et_kernel_class_find(const char *letter);
/*
 * Checks the result: the error must be within its limit, the value must be the known one.
 * Otherwise why says what is wrong.
 */
bool et_kernel_verify(const struct et_put_kernel *k, enum et_kernel_class size,
	const struct et_kernel_result *r, char *why, size_t n) ET_CHECK;
