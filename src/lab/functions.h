/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A benchmark of awkward functions: their times depend on addresses, sibling thread or start. */
#pragma once

#include <etalon/etalon.h>

/* Allocates what the functions work on, and returns them; et_lab_functions_end frees it. */
struct et_lab_data;
struct et_lab_data *et_lab_functions_begin(const struct etalon_bench **list, size_t *n);
void et_lab_functions_end(struct et_lab_data *d);
/* Runs etalon_bench_main over them with these arguments and returns its exit status. */
int et_lab_functions(int argc, char **argv);
