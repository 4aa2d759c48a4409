/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which commit changed how long a program takes: what to build and to measure next, and when the
 * answer is known. All functions are pure: their caller builds and measures what they ask for.
 * `etalon lab bisect` counts how often they are right.
 *
 * Commit 0 is the good one, n the bad one. All pairs are of a commit and the good one, because the
 * machine acts on both alike.
 */
#pragma once

#include "base/base.h"

#include <stdbool.h>

enum et_bisect_state {
	ET_BISECT_UNTRIED,
	ET_BISECT_BUILT,
	ET_BISECT_BROKEN, /* it does not build, or does not work */
};

struct et_bisect_commit {
	enum et_bisect_state state;
	uint32_t twin; /* the first commit whose program is the same file; itself: there is none */
};

struct et_bisect_pair {
	uint32_t commit, visit;
	double log_ratio; /* of the commit to the good one */
};

struct et_bisect_options {
	double level;      /* a commit is named with this probability */
	double least;      /* a smaller difference of both ends is nothing to look for */
	double spread;     /* what builds differ by anyway; NaN: it is estimated */
	double build_cost; /* in pairs */
	uint32_t most;     /* pairs; the last visit may exceed it */
};

struct et_bisect {
	uint32_t n;
	struct et_bisect_commit *commits; /* n + 1 */
	struct et_bisect_pair *pairs;
	size_t n_pairs, cap;
	uint32_t visits;
	struct et_bisect_options options;
};

enum et_bisect_step {
	ET_BISECT_BUILD,
	ET_BISECT_MEASURE,
	ET_BISECT_NAME,    /* the answer is `from` … `to`, one commit where all of them build */
	ET_BISECT_NOTHING, /* the bad commit is not slower */
	ET_BISECT_OPEN,    /* the budget is used up, or `commit`, an end, is broken */
};

/* One commit, or several that are the same program, as far as it was measured. */
struct et_bisect_node {
	uint32_t first, last;
	size_t pairs;
	double y, error; /* the ratio to the good one, as a logarithm */
};

struct et_bisect_next {
	enum et_bisect_step step;
	uint32_t commit;   /* to build or to measure */
	uint32_t pairs;    /* to measure */
	uint32_t from, to; /* the most probable place without new commits; 0: none */
	double probability;
	double none;   /* that there is no change */
	double rise;   /* the mean of the largest rise */
	double spread; /* what builds differ by anyway */
};

void et_bisect_init(struct et_bisect *b, uint32_t n, const struct et_bisect_options *options);
void et_bisect_free(struct et_bisect *b);
/* Adds the pairs of one visit. */
void et_bisect_add(struct et_bisect *b, uint32_t commit, const double *log_ratios, size_t n);
/* Each node that was measured, with its ratio; the caller frees it. */
struct et_bisect_node *et_bisect_nodes(const struct et_bisect *b, size_t *n)
	__attribute__((malloc, returns_nonnull));
struct et_bisect_next et_bisect_next(const struct et_bisect *b);
