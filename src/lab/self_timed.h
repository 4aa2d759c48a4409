/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A function whose true time is known. It works in blocks of some microseconds and notes the
 * processor's counter after each. A block that was interrupted is far longer than its neighbours;
 * put in its place what they took, and the sum is the time the function would have needed with
 * nothing in its way, at the speed that the core had just then. That a line fitted on short runs
 * cannot tell: the clock of today's cores moves by some percent within milliseconds.
 *
 * The blocks are chains of multiplications in a register, each waiting for the one before: what
 * the neighbour on the core's other hardware thread does disturbs them least.
 */
#ifndef ET_LAB_SELF_TIMED_H
#define ET_LAB_SELF_TIMED_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

struct et_self_timed {
	size_t blocks;   /* of a call */
	uint32_t *ticks; /* of the counter for each block, one call behind the other */
	size_t capacity; /* calls; those beyond are worked but not noted */
	size_t calls;    /* noted so far */
	uint64_t value;  /* what was computed */
	/* Not 0: calls end early and mean nothing; or NULL. */
	const volatile sig_atomic_t *cancelled;
};

/* Room for so many calls, touched so that no call meets a page for the first time. */
void et_self_timed_init(struct et_self_timed *w, size_t blocks, size_t capacity);
void et_self_timed_free(struct et_self_timed *w);
/* The function: one call, of a struct et_self_timed. */
void et_self_timed_call(void *w);
/* The true time of a noted call, in ticks of the counter. */
double et_self_timed_truth(const struct et_self_timed *w, size_t call);
/* That of the call which took the shortest, with all that interrupted it; NaN without any. */
double et_self_timed_shortest(const struct et_self_timed *w);
/* A block's least time in ticks of the counter: how many blocks make a length. */
double et_self_timed_block(void);

/* What a block is made of: some microseconds of work on a value other than 0. */
uint64_t et_self_timed_chain(uint64_t x);
/*
 * The true time of an array of blocks: their sum, where a block over limit times the median of its
 * neighbours counts as much as they do.
 */
double et_undisturbed_sum(const uint32_t *ticks, size_t n, double limit);

#endif
