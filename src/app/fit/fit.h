/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of `etalon fit`. */
#pragma once

#include "model/result/series.h"
#include "source/gather.h"

enum { ET_FIT_PREDICTIONS = 64, ET_FIT_SERIES = 26 };

struct et_fit_request {
	bool json, line;
	double level;
	const char *parameter, *size; /* of an experiment; of a table */
	const char *svg, *report;
	double predict[ET_FIT_PREDICTIONS];
	size_t n_predict;
	double expect; /* NaN: none */
	int unit;      /* of the times of a table; 0: by the heading, or seconds */
	struct et_gather gather;
};

/* Adds the points of an operand: "-", a file if it exists, else a stored experiment. */
int et_fit_add(const struct et_cli *cli, const struct et_fit_request *r, const char *operand,
	struct et_points_set *out, struct et_error *err) ET_CHECK;
/* Fit all series of the set by models of growth, or by lines, and print the results. */
int et_fit_growth(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_points_set *set, struct et_error *err) ET_CHECK;
int et_fit_lines(const struct et_cli *cli, const struct et_fit_request *r,
	const struct et_points_set *set, struct et_error *err) ET_CHECK;
