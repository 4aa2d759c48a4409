/* SPDX-License-Identifier: MIT */
/* K-best over a timebase: the part of etalon_kbest that does not depend on the machine. */
#pragma once

#include "lib/time/empty.h"
#include "lib/time/sampler.h"

/* Whether sz, given by a caller, cannot be the size of a struct that had `first` bytes at first. */
bool et_kbest_size_bad(size_t sz, size_t first);
/*
 * Copies the caller's options, fills members that they lack with defaults, and checks them. given
 * may be NULL: all defaults. Returns an etalon_status.
 */
int et_kbest_opts_complete(
	const struct etalon_kbest_opts *given, struct etalon_kbest_opts *out) ET_CHECK;
/*
 * Measures with a calibrated timebase. If its clock goes backwards, measures again with `other`,
 * which is calibrated too, or fails with ETALON_BAD_CLOCK if that is NULL. Fills out if it returns
 * ETALON_OK or ETALON_NOT_CONVERGED.
 */
int et_kbest_measure(struct et_timebase *t, struct et_timebase *other, void (*fn)(void *),
	void *arg, const struct etalon_kbest_opts *o, struct etalon_kbest_result *out) ET_CHECK;

/* --- the samples, whether they suffice, and the result from them --- */

/*
 * All samples, in memory that is allocated before the first: what the shortest do not show. Times
 * are in ticks of the clock.
 */
struct et_kept_sample {
	double ticks, cpu_ns;
	double reference; /* ticks of the reference loop around it */
	bool preempted;
};

/* If there are more samples than room, every second, fourth … is kept. */
struct et_kept_samples {
	struct et_kept_sample *list;
	double *sorted; /* as long as list, to sort times in */
	size_t n, capacity;
	uint64_t stride, skipped;
	const struct et_sampler *sampler; /* knows the full speed */
};

/* Returns an etalon_status. et_kept_free frees. */
int et_kept_init(
	struct et_kept_samples *s, size_t samples, const struct et_sampler *sampler) ET_CHECK;
void et_kept_free(struct et_kept_samples *s);
void et_kept_add(struct et_kept_samples *s, const struct et_timed *x);

bool et_kept_at_full_speed(const struct et_kept_samples *s, const struct et_kept_sample *x);
/*
 * Whether samples at reduced speed of the reference loop are shorter than those at full speed, so
 * that the shortest is no floor: more than three times as many as chance allows are below the 5 %
 * quantile of those at full speed.
 */
bool et_kept_below_floor(struct et_kept_samples *s, double epsilon);

struct et_kbest_run {
	struct et_sampler s;
	const struct etalon_kbest_opts *o;
	void (*fn)(void *);
	void *arg;
	uint32_t calls; /* per sample */
	struct et_empty empty;
	struct et_kbest_set full;  /* ticks of samples at full speed, not preempted */
	struct et_kbest_set clean; /* ticks of samples that were not preempted; mark: slowdown */
	struct et_kbest_set cpu;   /* CPU time of all samples, ns; mark: slowdown */
	double full_speed_ticks;   /* of the reference loop, when `full` was built */
	struct et_kept_samples kept;
	double switches;             /* in all samples */
	double slow_sum, slow_least; /* sum and least of the slowdowns around samples */
	double idle_ran, idle_lost;  /* spins between samples that were not preempted, in ticks */
	bool below_floor;            /* the shortest samples are no floor */
	uint64_t samples, preempted, elapsed_ns, waits;
	bool backwards;
};

/* Whether the CPU time of this many context switches shall be subtracted. */
bool et_kbest_compensates_switches(const struct et_kbest_run *m, double switches);
/* Whether the samples suffice, or the limits are reached. */
bool et_kbest_finished(const struct et_kbest_run *m);
void et_kbest_judge(struct et_kbest_run *m, struct etalon_kbest_result *r);
