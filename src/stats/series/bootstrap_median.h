/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Medians of resamples, from their distribution or by resampling. Private to the bootstrap. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/*
 * The median of n draws from the sorted values is an order statistic of the drawn ranks (n odd),
 * or the mean of two neighbours (n even). Only ranks near the middle have any probability.
 */
struct et_median_law {
	const double *sorted;
	size_t n, middle; /* the lower middle order statistic of a resample, from 1 */
	size_t first, count;
	double *cumulative; /* of that order statistic's rank being first + i or less */
	double *scale;      /* n even: of the step from it to the upper middle one */
};

struct et_median_law et_median_law(const double *sorted, size_t n);
void et_median_law_free(struct et_median_law *law);
void et_median_draw(const struct et_median_law *law, uint64_t seed, uint64_t stream,
	double *medians, size_t count);
/* By full resamples, with the median's own standard error: t = (median - estimate) / error. */
void et_median_resample(const double *sorted, size_t n, uint64_t seed, uint64_t stream,
	double *medians, double *t, size_t count);
double et_median_error(const double *sorted, size_t n);
double et_acceleration_median(const double *sorted, size_t n);
