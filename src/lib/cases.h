/* SPDX-License-Identifier: MIT */
/* The benchmarks of a program, and the cases that they and their parameters make. */
#ifndef ET_LIB_CASES_H
#define ET_LIB_CASES_H

#include "lib/bench_model.h"

/* The benchmarks of etalon_register, in the order of registration. */
const struct etalon_bench *et_registered(size_t *n);

#endif
