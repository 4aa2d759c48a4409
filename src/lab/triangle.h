/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict of NIST TN 1826, section 7.4: is the count of function1 what the counts of the four
 * other functions let us expect?
 */
#pragma once

#include "lab/profile_treatment.h"
#include "num/line.h"

enum { ET_TRIANGLE_FUNCTIONS = 5 };

/* function1 to function5, the loop that calls them, and everything else. */
enum { ET_TRIANGLE_CATEGORIES = 7 };
extern const struct et_category et_triangle_categories[ET_TRIANGLE_CATEGORIES];

struct et_triangle_verdict {
	struct et_line line;     /* through the means of function2 to function5 */
	double projected;        /* the line at function1 */
	double half_width;       /* of its 95 % prediction interval */
	double joint_half_width; /* the same, if those of all configurations hold together */
	double observed;         /* the mean of function1 */
	/*
	 * The observed mean is outside of the joint interval of the projection by more than
	 * rounding, and its own 95 % interval excludes the projection.
	 */
	bool anomalous;
	/* The shares have intervals: at least two runs have samples. Without, none holds. */
	bool shares_known;
	/* The share of each function is within its simultaneous interval. */
	bool shares_hold[ET_TRIANGLE_FUNCTIONS], all_shares_hold;
};

/* The expected share of function i (from 0) of the samples in the five functions. */
double et_triangle_share(size_t i);

/*
 * One of `configurations` that are judged together. Shares are of all samples, so they are expected
 * to be 5/15 … 1/15 only where the loop and the rest have next to none.
 */
void et_triangle_judge(const struct et_profile_treatment *t, size_t configurations,
	struct et_triangle_verdict *out);
