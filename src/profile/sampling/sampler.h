/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Turns the records of a run into counts per calling context. Side-band records are applied to the
 * address spaces in the order of time, and samples are looked up between them. Memory grows with
 * functions and contexts, not with samples: the records of a drain are processed at once, except
 * those that are newer than its begin, because an older one may be in a ring that was read before.
 */
#pragma once

#include "profile/sampling/events.h"
#include "profile/symbols/space.h"

struct et_sampler;

/* The profile must outlive the sampler. */
struct et_sampler *et_sampler_new(
	const char *root, struct et_profile *profile, const struct et_event_kind *kind);
void et_sampler_free(struct et_sampler *s); /* NULL is fine */

/*
 * Begins a run of this program, which is started as this user (0: not known). Samples before its
 * execve() do not count. A task that lives shorter than short_ns is counted as a short one.
 */
void et_sampler_begin(struct et_sampler *s, pid_t program, uid_t user, uint64_t short_ns);
/* Takes the records that the rings hold. If `last`, the events are disabled: nothing is kept. */
void et_sampler_drain(struct et_sampler *s, struct et_events *e, bool last);
/*
 * Ends the run. The caller owns the result, whose lost records are those that the rings reported;
 * period, counted and overruns are not filled.
 */
struct et_profile_run *et_sampler_end(struct et_sampler *s) ET_CHECK;

/* Samples that were taken in this run, also those before execve(). */
uint64_t et_sampler_taken(const struct et_sampler *s);

/* The steps of a drain: takes one record, then processes those up to a time. */
void et_sampler_take(void *self, const struct perf_event_header *h, const char *body, size_t size);
void et_sampler_process(struct et_sampler *s, uint64_t until_ns);

/* The threads and processes of a profiled run: how many ended, and which lived for a short time. */
struct et_tasks {
	struct et_hash threads;   /* when each began, by its number */
	struct et_hash processes; /* how many threads each has, by its number */
	uint64_t short_ns;
	uint64_t ended, ended_early; /* threads; the latter lived for less than short_ns */
};

void et_tasks_begin(struct et_tasks *t, uint64_t short_ns); /* of a run; forgets the last one */
void et_tasks_free(struct et_tasks *t);
void et_tasks_fork(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns);
/* The process has one thread now, which may be another than before. */
void et_tasks_exec(struct et_tasks *t, pid_t process, uint64_t time_ns);
/* Returns whether it was the last thread of the process. */
bool et_tasks_exit(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns) ET_CHECK;

/*
 * The calling context of a chain of functions. A program may have more contexts than it has
 * samples, so they are bounded: recursion is folded, and of chains that are too deep or too many
 * only the outer part and the innermost function are kept, with ET_FUNCTION_OTHER between them. The
 * innermost function is always right, so what a function has itself does not depend on the bounds.
 */
enum {
	ET_MOST_CONTEXTS = 200000, /* then no whole chain is added any more … */
	ET_LAST_CONTEXTS = 210000, /* … and then nothing but functions without callers */
	ET_DEEPEST_CONTEXT = 127,
	ET_MOST_RECURSION = 16, /* calls of a function by itself, one inside the other */
};

/* A chain of functions, outermost first. */
struct et_chain {
	const uint32_t *functions;
	size_t n;    /* at least 1 */
	bool broken; /* its outermost callers are not known: below ET_FUNCTION_BROKEN */
};

/* Returns the node of the chain's innermost function, which is added if it is new. */
uint32_t et_context_of(struct et_profile *p, const struct et_chain *chain);
/*
 * Whether a chain of n functions of the program that ends at this outermost one goes back to where
 * the program or a thread begins. Without frame pointers most have one function only.
 */
bool et_chain_is_whole(const struct et_profile_function *outermost, size_t n);
