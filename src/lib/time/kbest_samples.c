/* SPDX-License-Identifier: MIT */
#include "lib/time/kbest_samples.h"
#include "num/quantile.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	MOST_KEPT = 1 << 16,
	FEW_FULL = 20, /* too few samples at full speed to have a 5 % quantile */
	FEW_SLOW = 8,
	FEW_GROUPS = 50, /* too few samples to find groups in */
	LEAST_GROUP = 5, /* samples in a group, at least, and 1 % of all */
};

static const double LEAST_GAP = 1.25;     /* ratio between groups of calls that differ */
static const double LEAST_EXCESS = 0.02;  /* of the longer group, in relation to the shorter */
static const double LEAST_CHANGES = 0.7;  /* of those that independent samples have */
static const double LEAST_BELOW = 0.002;  /* times closer to the floor are not below it */
static const double NORMAL_99 = 2.326348; /* quantile of the normal distribution */

int et_kept_init(struct et_kept_samples *s, size_t samples, const struct et_sampler *sampler)
{
	*s = (struct et_kept_samples){ .stride = 1,
		.sampler = sampler,
		.capacity = samples < MOST_KEPT ? samples : MOST_KEPT };
	s->list = malloc(s->capacity * sizeof(*s->list));
	s->sorted = malloc(s->capacity * sizeof(*s->sorted));
	if (!s->list || !s->sorted) {
		et_kept_free(s);
		return ETALON_NO_MEMORY;
	}
	/* Touch the pages now, so that no sample does. */
	memset(s->list, 0xff, s->capacity * sizeof(*s->list));
	memset(s->sorted, 0xff, s->capacity * sizeof(*s->sorted));
	return ETALON_OK;
}

void et_kept_free(struct et_kept_samples *s)
{
	free(s->list);
	free(s->sorted);
	*s = (struct et_kept_samples){ 0 };
}

static void keep_half(struct et_kept_samples *s)
{
	for (size_t i = 0; 2 * i < s->n; i++)
		s->list[i] = s->list[2 * i];
	s->n = (s->n + 1) / 2;
	s->stride *= 2;
}

void et_kept_add(struct et_kept_samples *s, const struct et_timed *x)
{
	if (s->skipped++ % s->stride)
		return;
	if (s->n == s->capacity) {
		if (s->capacity < 2)
			return;
		keep_half(s);
	}
	s->list[s->n++] = (struct et_kept_sample){
		.ticks = x->ticks,
		.cpu_ns = x->cpu_ns,
		.reference = x->reference,
		.preempted = x->preempted,
	};
}

bool et_kept_at_full_speed(const struct et_kept_samples *s, const struct et_kept_sample *x)
{
	return !x->preempted &&
	       et_sampler_slowdown(s->sampler, x->reference) <= ET_NOTABLE_SLOWDOWN;
}

size_t et_kept_sort(struct et_kept_samples *s, enum et_kept_which which)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (which == ET_KEPT_CPU)
			s->sorted[n++] = x->cpu_ns;
		else if (which == ET_KEPT_CLEAN ? !x->preempted : et_kept_at_full_speed(s, x))
			s->sorted[n++] = x->ticks;
	}
	et_sort(s->sorted, n);
	return n;
}

double et_kept_mean(const double *sorted, size_t n, double *error)
{
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++)
		sum += sorted[i];
	double mean = sum / (double)n;
	for (size_t i = 0; i < n; i++)
		squares += (sorted[i] - mean) * (sorted[i] - mean);
	*error = n > 1 ? 2 * sqrt(squares / (double)(n - 1) / (double)n) : INFINITY;
	return mean;
}

double et_kept_median(const double *sorted, size_t n, double *error)
{
	/* The ranks of a sign test: n/2 -+ 1.96 sqrt(n)/2. */
	double half = 0.98 * sqrt((double)n) + 1, middle = ((double)n - 1) / 2;

	if (middle - half < 0)
		*error = INFINITY;
	else
		*error =
			(sorted[(size_t)ceil(middle + half)] - sorted[(size_t)(middle - half)]) / 2;
	return et_median_sorted(sorted, n);
}

bool et_kept_below_floor(struct et_kept_samples *s, double epsilon)
{
	size_t full = et_kept_sort(s, ET_KEPT_FULL_SPEED), slow = 0, below = 0;

	if (full < FEW_FULL)
		return false;
	double floor = et_quantile_sorted(s->sorted, full, 0.05) * (1 - fmax(epsilon, LEAST_BELOW));
	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (x->preempted || et_kept_at_full_speed(s, x))
			continue;
		slow++;
		below += x->ticks < floor;
	}
	double by_chance = 0.05 * (double)slow, sd = sqrt(0.05 * 0.95 * (double)slow);
	return slow >= FEW_SLOW && (double)below > 3 * by_chance &&
	       (double)below > by_chance + NORMAL_99 * sd + 1;
}

/* The number of samples in the shorter group, or 0: the widest gap divides the groups. */
static size_t shorter_group(const double *sorted, size_t n)
{
	size_t least = n / 100 > LEAST_GROUP ? n / 100 : LEAST_GROUP, at = 0;
	double widest = LEAST_GAP;

	for (size_t i = least; i + least <= n; i++) {
		if (sorted[i] >= widest * sorted[i - 1]) {
			widest = sorted[i] / sorted[i - 1];
			at = i;
		}
	}
	return at;
}

/*
 * Whether the groups alternate as often as independent samples do. A disturbance that the reference
 * loop does not show lasts for many samples.
 */
static bool groups_alternate(const struct et_kept_samples *s, double limit, double longer_share)
{
	size_t n = 0, changes = 0;
	bool last = false;

	for (size_t i = 0; i < s->n; i++) {
		const struct et_kept_sample *x = &s->list[i];

		if (!et_kept_at_full_speed(s, x))
			continue;
		changes += n++ && (x->ticks >= limit) != last;
		last = x->ticks >= limit;
	}
	return (double)changes >= LEAST_CHANGES * 2 * longer_share * (1 - longer_share) * (double)n;
}

/*
 * The share of all samples in the longer group. Long samples are more likely to be disturbed, so
 * that those at full speed contain too few of them; CPU time and slowdown tell the group of the
 * others.
 */
static double longer_share(const struct et_kept_samples *s, double limit)
{
	double limit_ns = et_sampler_ns(s->sampler, limit);
	size_t longer = 0;

	for (size_t i = 0; i < s->n; i++) {
		double slow = et_sampler_slowdown(s->sampler, s->list[i].reference);

		longer += s->list[i].cpu_ns / (1 + fmin(slow, 1)) >= limit_ns;
	}
	return (double)longer / (double)s->n;
}

bool et_kept_calls_differ(
	struct et_kept_samples *s, double lost_share, double *mean, double *mean_error)
{
	size_t n = et_kept_sort(s, ET_KEPT_FULL_SPEED), i;
	const double *x = s->sorted;
	double error;

	if (n < FEW_GROUPS || x[0] <= 0)
		return false;
	i = shorter_group(x, n);
	if (!i)
		return false;
	double low = et_kept_mean(x, i, &error), high = et_kept_mean(x + i, n - i, mean_error);
	double share = longer_share(s, sqrt(x[i - 1] * x[i])), seen = 1 - (double)i / (double)n;
	*mean = low + share * (high - low);
	*mean_error = error + share * *mean_error +
		      2 * (high - low) * sqrt(share * (1 - share) / (double)s->n);
	return *mean / low - 1 > LEAST_EXCESS + 3 * lost_share && groups_alternate(s, x[i], seen);
}
