/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Compares two commands of an experiment. Runs measured in duets or blocks are compared as pairs: a
 * slow machine affects both runs of a pair, so their ratio is not affected. Runs measured one
 * command after the other are two independent series.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/estimate.h"

/* Compares command b with command a; the family-wise adjustment comes later. */
void et_contrast_make(const struct et_experiment *e, uint32_t a, uint32_t b, enum et_metric metric,
	double level, struct et_contrast *out);
/*
 * Applies Holm's correction to the family, then draws a conclusion for each. Afterwards the
 * intervals agree with the conclusions: "no difference" contains 1, a difference has 1 at most as
 * its nearer end, and what differs before the correction only excludes 1.
 */
void et_contrasts_conclude(struct et_contrast *c, size_t n, double alpha);
/*
 * Warns of differences that dependent values would explain: fewer than 20 cannot show that they
 * depend on each other, and 10 that do (autocorrelation 0.4 to 0.5) differ by chance in 12 to 15 %
 * instead of 5 % (doc/decision.md). A difference that holds with 20 times the evidence is large
 * enough, as in a sequence (num/sequence.h). Not for runs in random order.
 */
void et_contrasts_warn(struct et_contrast *c, size_t n, double alpha);

/*
 * --fail-on-regression: whether a command became slower than the reference by more than a limit.
 * It is a regression only if the difference is significant after the correction for several
 * comparisons, and if the whole interval of the ratio lies above the limit. The intervals are those
 * of all comparisons together (et_judge_together), so that many programs that are exactly as slow
 * as the limit allows do not fail more often than one.
 */

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
/* The same of the question whether they differ, or are equal within the margin; rather too many. */
size_t et_equal_runs(const struct et_contrast *c);
/*
 * The evidence against a ratio of exactly the limit, valid at every look (num/sequence.h): the
 * interval excludes the limit where it exceeds 1 / (1 - level). NaN: there is no interval, or it is
 * one of a fixed number of pairs.
 */
double et_gate_evidence(const struct et_contrast *c, double limit);
/* The worst verdict, and the comparison that has it and reaches highest; g->n if there is none. */
enum et_gate_verdict et_gate_decide(const struct et_gate *g, size_t *decisive);
/* The exit status of the worst verdict. */
int et_gate_status(const struct et_gate *g);
