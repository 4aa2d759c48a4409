/* SPDX-License-Identifier: MIT */
/* The command line of a benchmark program. */
#pragma once

#include "lib/bench/model.h"

enum et_bench_action { ET_BENCH_TIME, ET_BENCH_HELP, ET_BENCH_VERSION };

/*
 * Parses and checks the options; those that are not given have their defaults. Texts point into
 * argv. et_bench_options_free frees the rest.
 */
int et_bench_options_parse(int argc, char **argv, struct et_bench_options *out,
	enum et_bench_action *action, struct et_error *err) ET_CHECK;
void et_bench_options_free(struct et_bench_options *o);
void et_bench_options_help(const char *program, FILE *out);
