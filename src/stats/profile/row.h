/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The figures of one row of a profile. Private to the statistics of profiles. */
#pragma once

#include "stats/profile/counts.h"
#include "stats/profile/profile.h"

/* Everything that the rows of a profile share. */
struct et_profile_frame {
	const struct et_experiment *experiment;
	const struct et_profile_options *options;
	const struct et_profile_counts *counts;
	struct et_profile_result *result;
	double *x, *y; /* room for one value per run */
};

/* The first and the last half of n counts; an odd one in the middle belongs to neither. */
void et_profile_halves(const double *x, size_t n, double level, struct et_profile_half out[2]);
/* Fills a row whose group is set: mean, share, time on the stack, models. */
void et_profile_row_fill(const struct et_profile_frame *f, struct et_profile_row *row);
/* Fills the bootstrap intervals of a row. */
void et_profile_row_bootstrap(const struct et_profile_frame *f, struct et_profile_row *row);

/* How many rows are so large that they are examined for what the warnings are about. */
size_t et_profile_examined(const struct et_profile_result *r);
/* Raises the warnings about a row; with this many examined rows a false alarm is still rare. */
void et_profile_row_warn(
	const struct et_profile_frame *f, size_t examined, struct et_profile_row *row);
/* Raises the warnings about the profile as a whole. */
void et_profile_warn(const struct et_profile_frame *f);
/* Raises the warnings about things that samples do not show: the kernel, waiting, failures. */
void et_profile_warn_runs(const struct et_experiment *e, uint32_t command, struct et_warnings *out);
