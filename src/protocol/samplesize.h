/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finds the smallest adequate sample size as EMPv6 does: it looks at the first half of a long
 * series, the first quarter and so on down to 5 values, with their outliers and standard
 * deviations.
 *
 * A size represents the whole series if
 * - the standard deviations of all successive parts of that size are within a quarter of the
 *   whole's (root mean square). Independent normal values fulfil this from 9 on, because the
 *   relative standard error of an sd is 1 / sqrt(2 (n - 1)); heavy tails and drift need more;
 * - the means of the parts differ no more than by chance (analysis of variance, 1 %): if successive
 *   runs are correlated, a part carries less information than its size suggests.
 * The first part alone may look right by chance; all parts together do not.
 */
#ifndef ET_PROTOCOL_SAMPLESIZE_H
#define ET_PROTOCOL_SAMPLESIZE_H

#include "model/samplesize.h"

enum { ET_SIZE_LEAST = 5 };

/* x has at least 2 * ET_SIZE_LEAST finite values, in order of execution. */
void et_samplesize(const double *x, size_t n, double level, struct et_samplesize *out);
/*
 * Adds the number of runs that make the interval of the mean (Student's t) this wide, from end to
 * end, relative to the mean. It uses the sd of the whole series, and its dependence: n runs count
 * as n / inflation (num/mean_interval.h).
 */
void et_samplesize_width(struct et_samplesize *s, double relative_width);

#endif
