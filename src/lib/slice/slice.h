/* SPDX-License-Identifier: MIT */
/* Takes the samples of one case in this process: the only part that calls the user's functions. */
#pragma once

#include "lib/bench/model.h"
#include "lib/time/timebase.h"

/* How long a slice shall be, and how its samples are taken. */
struct et_slice_request {
	const struct etalon_kbest_opts *kbest;
	uint64_t calls;     /* per sample; 0: choose */
	double duration_ns; /* how long to take samples, at least one sample */
	size_t max_samples;
	uint64_t seed;
	const struct et_event_type *events; /* ET_EVENTS of them; NULL: those of the processor */
};

/*
 * Takes samples of a case. Failures of the user's function are in out->error; returns an
 * etalon_status. The caller frees the slice.
 */
int et_slice_take(const struct et_bench_case *c, const struct et_slice_request *q,
	struct et_timebase *t, struct et_slice *out);
