/* SPDX-License-Identifier: MIT */
/* Divides the time of a benchmark program among cases and processes: pure arithmetic. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct et_plan_request {
	const double *sample_ns; /* of each case: the shortest time of a slice; NaN: not timed */
	size_t n;
	bool pairs;           /* each process has a partner of another program */
	unsigned processes;   /* 0: choose */
	unsigned repetitions; /* multiplies the processes and the time of each case; 0: once */
	double case_ns;       /* time of a case over all processes of one repetition */
	double case_limit_ns;
	double left_ns;  /* until the time limit of the program; may be infinite */
	double start_ns; /* to start a process */
};

/* The part of one case. */
struct et_plan_case {
	unsigned processes; /* how many of the processes take slices of it */
	unsigned slices;    /* that each of them takes, and its partner */
	double duration_ns; /* of a slice; 0: one sample */
};

struct et_bench_plan {
	unsigned processes;
	double total_ns;            /* predicted */
	struct et_plan_case *cases; /* as many as in the request; of the caller */
};

/* Plans within the limits, but a sample of each timed case. out->cases has room for all. */
void et_plan_make(const struct et_plan_request *q, struct et_bench_plan *out);
/* The time for each of n cases that the user does not choose: comparisons need more. */
double et_plan_case_ns(size_t n, bool pairs);
/* The usual duration of a slice, if each of n cases takes case_ns: longer ones have more slices. */
double et_plan_usual_ns(size_t n, double case_ns, bool pairs);
/* Whether process number i (from 0) takes slices of that case. Process 0 always does. */
bool et_plan_takes(const struct et_bench_plan *p, size_t which, unsigned i);
