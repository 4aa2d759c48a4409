/* SPDX-License-Identifier: MIT */
/* Times the cases of a benchmark program in several processes, and collects their slices. */
#pragma once

#include "lib/bench/cases.h"
#include "lib/bench/model.h"

/*
 * Fills the rows of r, one for each case, with their slices; r->options are set. A function that
 * fails has the reason in its row. *signal is the signal that ended the measurement early, or 0.
 * Fails if nothing can be timed: a clock is missing, or the program of --against is none.
 */
int et_bench_run(const struct et_bench_cases *cases, char **argv, struct et_bench_results *r,
	int *signal, struct et_error *err) ET_CHECK;
/* Lets signals end the program again: until the results are written, they do not. */
void et_bench_run_end(void);
