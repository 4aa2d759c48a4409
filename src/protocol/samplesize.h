/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the smallest adequate sample size as EMPv6 does, by the rules of etalon-samplesize(1): all
 * successive parts of a size must be like the whole, as the first part alone may look right by
 * chance. The median of their sd is taken, because one outlier in a part that is too small for the
 * second check would decide a mean. Independent normal values are within 25 % from 10 on in nine of
 * ten cases, because the relative standard error of an sd is 1 / sqrt(2 (n - 1)).
 */
#pragma once

#include "model/result/samplesize.h"

enum { ET_SIZE_LEAST = 5 };

/* A series before its outliers were removed, in order of execution. */
struct et_sizing {
	double *x;    /* finite */
	bool *spoilt; /* check I removes it; NULL: none */
	size_t n;     /* at least 2 * ET_SIZE_LEAST */
};

/* Takes a metric of a command, and which samples a daemon spoilt. Free it. */
struct et_sizing et_sizing_of(const struct et_command *c, enum et_metric m);
void et_sizing_free(struct et_sizing *s);

/*
 * The sizes that a series of n values is divided into: n itself, then those of the papers. 800 has
 * 400, 200, 100, 40, 30, 20, 10; 300 has 150, 75, 40, 20, 10, 5; 40 has 25, 10, 5. Others are
 * halved while more than 50 are left, then follow the steps of the next smaller of these.
 */
size_t et_samplesize_steps(size_t n, size_t out[ET_SIZES_MOST]);

/* Plain numbers, at least 2 * ET_SIZE_LEAST finite ones in order of execution. */
void et_samplesize(const double *x, size_t n, double level, struct et_samplesize *out);
/* The same of a measured series; x are its n values that count, which decide the widths. */
void et_samplesize_checked(const struct et_sizing *all, const double *x, size_t n, double level,
	struct et_samplesize *out);
/*
 * Adds the number of runs that make the interval of the mean (Student's t) this wide, from end to
 * end, relative to the mean. It uses the sd of the whole series, and its dependence: n runs count
 * as n / inflation (num/mean_interval.h).
 */
void et_samplesize_width(struct et_samplesize *s, double relative_width);
