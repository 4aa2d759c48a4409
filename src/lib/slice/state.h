/* SPDX-License-Identifier: MIT */
/*
 * The contents of a struct etalon_state, which only the library sees. One thread uses it. In a case
 * of several threads each runs the function with a state of its own; they begin their loops
 * together, their samples together once all of them have warmed up, and leave their loops together:
 * one of them may free after the loop what all of them use in it.
 */
#pragma once

#include "lib/time/cache.h"
#include "lib/time/events.h"
#include "lib/time/sampler.h"

#include <pthread.h>

/* How long a slice shall be, and how its samples are taken. */
struct et_slice_request {
	const struct etalon_kbest_opts *kbest;
	uint64_t calls;     /* per sample; 0: choose */
	double duration_ns; /* how long to take samples, at least one sample */
	size_t max_samples;
	uint64_t seed;
	const struct et_event_type *events; /* ET_EVENTS of them; NULL: those of the processor */
};

/* Takes a slice, which the caller frees; out->error: it failed. Returns an etalon_status. */
int et_slice_take(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, struct et_slice *out);

enum et_state_phase {
	ET_STATE_UNUSED,  /* the loop has not begun */
	ET_STATE_WARMING, /* and finding the number of calls per sample */
	ET_STATE_SAMPLING,
	ET_STATE_COUNTING, /* events, after the samples */
	ET_STATE_ENDED,
};

/* The samples of a thread among others, from the first to the last. */
struct et_bench_span {
	uint64_t from_ns, to_ns, calls;
	double cpu_ns, sampled_cpu_ns; /* of the thread; of its samples alone */
};

struct etalon_state {
	const struct et_bench_case *c;
	const struct et_slice_request *q;
	struct et_slice *out;
	unsigned thread;
	struct et_crew *crew;      /* the other threads of the case; NULL: none */
	bool left_crew;            /* it has reached the end of its loop */
	struct et_bench_span span; /* with a crew */
	enum et_state_phase phase;
	struct et_sampler sampler;
	struct etalon_kbest_opts o;
	struct et_cache cache; /* if it is cleared */
	struct et_pmu events;
	bool has_events;
	size_t capacity; /* of out->samples */

	uint64_t batch;      /* calls per iteration, 1 unless the function says otherwise */
	uint64_t calls;      /* iterations of the current sample */
	uint64_t iterations; /* of finished samples, those of the warm-up included */
	double loop_ns;      /* time of these */
	uint64_t end_ns;     /* when to take no further sample, or to end the warm-up */
	/* The warm-up: */
	bool fixed;   /* the number of calls is given */
	int tries;    /* with this number of calls */
	double least; /* of these tries, ticks */
	double target_ns;
	struct et_timed shortest;
	double window_ns; /* spent on measuring interrupts */
	/* Pauses within the current sample, and what each costs, in ticks: */
	uint64_t paused_at, pauses;
	double paused_ticks, pause_cost;
	bool pause_known;
	/* Times that the function gave within the current sample: */
	double given_ns;
	uint64_t given;
};

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
/* A member ends, comes to no further meeting, and waits until all members have left. */
void et_crew_leave_together(struct et_crew *crew);
