/* SPDX-License-Identifier: MIT */
/* The contents of a struct etalon_state, which only the library sees. */
#ifndef ET_LIB_STATE_H
#define ET_LIB_STATE_H

#include "lib/slice.h"

struct etalon_state {
	const struct et_bench_case *c;
	const struct et_slice_request *q;
	struct et_timebase *t;
	struct et_slice *out;
	unsigned thread;
	uint64_t calls;      /* iterations of the current sample; 0: the loop has not begun */
	uint64_t iterations; /* of finished samples */
	uint64_t start, cpu; /* when the current sample began */
	uint64_t paused_at;  /* 0: not paused */
	double paused_ticks; /* within the current sample */
	uint64_t end_ns;     /* when to take no further sample */
	size_t capacity;     /* of out->samples */
	bool choosing;       /* the number of calls is not yet found */
};

#endif
