/* SPDX-License-Identifier: MIT */
/* One line on a terminal that says what is being timed and how long it will take. */
#pragma once

#include "lib/bench/model.h"

struct et_bench_progress {
	bool shown;        /* the line is there */
	bool wanted;       /* the user wants it, or standard error is a terminal */
	uint64_t last_ns;  /* when it was written */
	unsigned process;  /* that it shows */
	uint64_t begin_ns; /* of the planned part */
	double total_ns;   /* predicted from there on; NaN: not planned yet */
};

void et_bench_progress_begin(struct et_bench_progress *p, enum et_bench_when when, bool quiet);
/*
 * Shows the case and the process (from 0, of n; 0: how many is not known yet), for each process and
 * ten times per second.
 */
void et_bench_progress_show(
	struct et_bench_progress *p, const char *name, unsigned process, unsigned n, uint64_t now);
/* Removes the line, before something else is printed. */
void et_bench_progress_clear(struct et_bench_progress *p);
