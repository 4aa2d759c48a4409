/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The smallest adequate sample size, as EMPv6 finds it: of a long series the first half, the first
 * quarter and so on down to 5 values, with their outliers and standard deviations.
 *
 * A size represents the whole when
 * - the standard deviations of all successive parts of that size are typically (root mean square)
 *   within a quarter of the whole's. For independent normal values that is so from 9 on: the
 *   relative standard error of an sd is 1 / sqrt(2 (n - 1)). Heavy tails and drift need more;
 * - the parts' means differ no more than chance has it (analysis of variance, 1 %): where runs
 *   depend on each other, a part knows less than its size says.
 * One part alone, the first, may look right by luck; all parts together do not.
 */
#ifndef ET_PROTOCOL_SAMPLESIZE_H
#define ET_PROTOCOL_SAMPLESIZE_H

#include "model/samplesize.h"

enum { ET_SIZE_LEAST = 5 };

/* At least 2 * ET_SIZE_LEAST finite values, in order of execution. */
void et_samplesize(const double *x, size_t n, double level, struct et_samplesize *out);
/*
 * Adds how many runs make the interval of the mean (Student's t) that wide, relative to the mean,
 * from end to end; by the sd of the whole series.
 */
void et_samplesize_width(struct et_samplesize *s, double relative_width);

#endif
