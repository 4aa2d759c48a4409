/* SPDX-License-Identifier: MIT */
/*
 * A case of several threads. Each runs the function with a state of its own; they begin their loops
 * together, their samples together once all of them have warmed up, and leave their loops together:
 * one of them may free after the loop what all of them use in it.
 */
#pragma once

#include "lib/slice/slice.h"

#include <pthread.h>

/* Where the threads of a case meet. */
struct et_crew {
	pthread_mutex_t lock;
	pthread_cond_t all_here;
	unsigned members; /* threads that have not reached the end of their loops */
	unsigned waiting;
	unsigned meetings; /* held so far */
};

/* Waits until all members are here. */
void et_crew_meet(struct et_crew *crew);
/* A member ends, and will come to no further meeting. */
void et_crew_leave(struct et_crew *crew);
/* The same, and waits until all members have left. */
void et_crew_leave_together(struct et_crew *crew);

/* As et_slice_take, for a case of at least two threads. */
int et_slice_take_threads(const struct et_bench_case *c, const struct et_slice_request *q,
	const struct et_timebase *t, struct et_slice *out);
