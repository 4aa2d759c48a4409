/* SPDX-License-Identifier: MIT */
/*
 * Where did a level change? Some positions 1 … N of a series have a value, the logarithm of a ratio
 * to position 0, with a variance that is known. No change, one or two explain them, of a size that
 * is not known. Besides, each position has a deviation of its own, which more measurements of it do
 * not remove: for programs built from commits it is what every build differs by anyway. How large
 * that is, is not known either; without it a lucky build is taken for the change.
 *
 * The prior: no change 0.05, one 0.75, two 0.2, at any positions alike; levels after a change are
 * normal with a deviation of 5 %, and the deviation of builds has a prior from 0 to 1.6 %.
 */
#pragma once

#include <stddef.h>

struct et_changepoints_value {
	double y, variance; /* of the mean of what was measured here */
	/* How many positions the change may be at: those after the value before, up to this one. */
	double gap;
};

/* By the gap of each value. */
struct et_changepoints_gap {
	double largest;    /* the probability that the largest rise is in it */
	double other;      /* that another change is in it */
	double other_size; /* its mean size, if there is one */
};

struct et_changepoints {
	struct et_changepoints_gap *gaps; /* n of them; et_changepoints_free frees them */
	size_t n;
	double none, two; /* probabilities of no change, and of two */
	double rise;      /* the mean of the largest rise */
	double spread;    /* the deviation of builds: the root of the mean of its square */
};

/* positions: N. spread: the deviation of builds where it is known; NaN: it is not. */
void et_changepoints_find(const struct et_changepoints_value *v, size_t n, double positions,
	double spread, struct et_changepoints *out);
void et_changepoints_free(struct et_changepoints *c);

/*
 * How many bits are learned about a question with a probability of p from one normal value whose
 * mean differs by `distance` standard deviations between the two answers.
 */
double et_information(double p, double distance);
