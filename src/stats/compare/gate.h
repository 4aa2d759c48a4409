/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * --fail-on-regression: whether a command became slower than the reference by more than a limit.
 * It is a regression only if the difference is significant after the correction for several
 * comparisons, and if the whole interval of the ratio lies above the limit. The intervals are those
 * of all comparisons together (et_judge_together), so that many programs that are exactly as slow
 * as the limit allows do not fail more often than one.
 */
#pragma once

#include "model/result/estimate.h"

enum { ET_GATE_ALL = 0x7fffffff }; /* no reference: all comparisons count */

struct et_gate {
	const struct et_contrast *contrasts;
	const struct et_contrast *second; /* the same by the other time, or NULL */
	size_t n;
	uint32_t reference; /* only comparisons with it count, or ET_GATE_ALL */
	double limit;       /* proportion: 0.05 allows 5 % */
};

/* From the best to the worst. */
enum et_gate_verdict {
	ET_GATE_PASSED,
	ET_GATE_UNDECIDED, /* too few runs, or the interval contains the limit */
	ET_GATE_REGRESSED,
};

/* Whether a comparison is with the reference. */
static inline bool et_gate_counts(const struct et_gate *g, const struct et_contrast *c)
{
	return g->reference == ET_GATE_ALL || c->a == g->reference;
}

/*
 * Judges one comparison by et_contrast_ratio. An interval that contains a limit of 0 passes, though
 * it shows nothing: it would be narrow enough only for a program that became faster.
 */
enum et_gate_verdict et_gate_judge(const struct et_contrast *c, double limit);
/* The ratio with its interval, which is the ratio itself where neither series varies. */
struct et_ratio et_gate_ratio(const struct et_contrast *c);
/*
 * How many pairs, or values of each series, would decide an undecided comparison in 4 of 5 cases
 * if the ratio and the spread stay as they are; 0: too many to recommend, or not known.
 */
size_t et_gate_runs(const struct et_contrast *c, double limit);
/*
 * Judges all of them: the worst verdict. *decisive is the comparison with that verdict whose
 * interval reaches highest; g->n if there is none.
 */
enum et_gate_verdict et_gate_decide(const struct et_gate *g, size_t *decisive);
