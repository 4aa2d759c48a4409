/* SPDX-License-Identifier: MIT */
/*
 * The cost of calling a function, or of going once round a loop, that does nothing. A processor
 * executes the instructions of the call beside those of the function, so an empty call alone takes
 * longer than it adds to a function: the cost is between nothing and that of an empty call.
 */
#pragma once

#include "lib/time/timebase.h"

/* Per call. */
struct et_empty {
	double ns, uncertainty_ns; /* standard uncertainty */
};

/* Calls fn(arg) n times. The loop is unrolled, since a call returns faster than a loop repeats. */
void et_call_many(void (*fn)(void *), void *arg, uint64_t n);
/*
 * Measures what an empty call adds to a call of fn that takes fn_ns, in samples of that many calls
 * by et_call_many. If `beside`, calls fn some thousand times with an empty call beside each and
 * without, unless it takes too long for that.
 */
struct et_empty et_empty_call(struct et_timebase *t, void (*fn)(void *), void *arg, double fn_ns,
	uint64_t calls, bool beside);
/* The same for one iteration of ETALON_LOOP whose body takes body_ns with the loop. */
struct et_empty et_empty_loop(struct et_timebase *t, double body_ns);
