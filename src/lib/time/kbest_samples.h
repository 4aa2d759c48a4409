/* SPDX-License-Identifier: MIT */
/*
 * All samples of etalon_kbest, in memory that is allocated before the first: what the shortest do
 * not show. Times are in ticks of the clock.
 */
#pragma once

#include "lib/time/sampler.h"

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

/* Which samples to look at. */
enum et_kept_which {
	ET_KEPT_FULL_SPEED, /* neither preempted nor slowed */
	ET_KEPT_CLEAN,      /* not preempted */
	ET_KEPT_CPU,        /* the CPU time of all, in ns */
};

/* Sorts their times into s->sorted and returns how many there are. */
size_t et_kept_sort(struct et_kept_samples *s, enum et_kept_which which);
/* The mean of sorted times, and twice its standard error. */
double et_kept_mean(const double *sorted, size_t n, double *error);
/* The median of sorted times, and the half width of its 95 % interval; infinite if n is small. */
double et_kept_median(const double *sorted, size_t n, double *error);

/*
 * Whether samples at reduced speed of the reference loop are shorter than those at full speed, so
 * that the shortest is no floor: more than three times as many as chance allows are below the 5 %
 * quantile of those at full speed.
 */
bool et_kept_below_floor(struct et_kept_samples *s, double epsilon);
/*
 * Whether calls differ systematically: times fall into two groups with a wide gap between them, the
 * groups alternate, and the longer ones take more than interrupts, which take lost_share of any
 * time, explain. *mean is the mean of all calls at full speed, *mean_error twice its standard
 * error.
 */
bool et_kept_calls_differ(
	struct et_kept_samples *s, double lost_share, double *mean, double *mean_error);
