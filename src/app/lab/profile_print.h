/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Judges and prints the parts of a study of profilers that are loaded. */
#pragma once

#include "app/lab/profile.h"

/* The number of calls at 10^level: a multiple of 10. */
uint64_t et_lab_calls(double level);

void et_lab_print_fragmentation(const struct et_profiling *p, FILE *svg);
void et_lab_print_sampling_rate(const struct et_profiling *p, FILE *svg);
void et_lab_print_competing_load(const struct et_profiling *p, FILE *svg);
void et_lab_print_triangle(const struct et_profiling *p, FILE *svg);
void et_lab_print_sampling_bias(const struct et_profiling *p, FILE *svg);
