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

/* The program is started as this user; 0: not known. */
void et_sampler_set_user(struct et_sampler *s, uid_t user);
/*
 * Begins a run of this program. Samples before its execve() do not count. A task that lives shorter
 * than short_ns is counted as a short one.
 */
void et_sampler_begin(struct et_sampler *s, pid_t program, uint64_t short_ns);
/* Takes the records that the rings hold. If `last`, the events are disabled: nothing is kept. */
void et_sampler_drain(struct et_sampler *s, struct et_events *e, bool last);
/* Ends the run. The caller owns the result; period, counted, lost and overruns are not filled. */
struct et_profile_run *et_sampler_end(struct et_sampler *s) ET_CHECK;

/* Samples that were taken in this run, also those before execve(). */
uint64_t et_sampler_taken(const struct et_sampler *s);
/* Lost records that the rings have reported. */
uint64_t et_sampler_lost(const struct et_sampler *s);

/* The steps of a drain: takes one record, then processes those up to a time. */
void et_sampler_take(
	struct et_sampler *s, const struct perf_event_header *h, const char *body, size_t size);
void et_sampler_process(struct et_sampler *s, uint64_t until_ns);
