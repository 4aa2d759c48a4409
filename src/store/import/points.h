/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads points (sizes and times) from a stream: rows of two or more columns, separated by blanks,
 * tabs, commas or semicolons, with or without a heading; # begins a comment. A record of etalon or
 * hyperfine becomes an experiment instead. Every error (exit status 2) names the file and the line.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/experiment.h"
#include "model/result/series.h"

struct et_points_options {
	const char *name;     /* of the file */
	const char *x_column; /* heading or number from 1; NULL: the first */
	const char *y_column; /* NULL: the second, or the first if x is the second */
	double y_unit;        /* multiplies y; 0: ns by the heading (time_ms), else from seconds */
	bool any;             /* any numbers; otherwise both must be above 0 */
};

/*
 * Adds a series to the set, or sets *experiment, which the caller frees; the other stays as it is.
 */
int et_points_read(FILE *in, const struct et_points_options *o, struct et_points_set *out,
	struct et_experiment **experiment, struct et_error *err) ET_CHECK;
