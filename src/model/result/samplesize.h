/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many runs are enough, judged by parts of a long series. Values have the series' unit. */
#pragma once

#include "model/experiment/experiment.h"

enum { ET_SIZES_MOST = 64, ET_WIDTHS_MOST = 8 };

/* The first n values and all successive parts of n, each after both sanity checks of its own. */
struct et_size {
	size_t n;
	struct et_check_counts outliers; /* of the first n, by check I and by check II */
	double mean, sd;                 /* of the first n, without their outliers */
	size_t parts;
	double sd_off; /* median over the parts of |sd / sd of the whole - 1| */
	double share;  /* of outliers in all parts */
	double p;      /* p-value of the differences of the parts' means; NaN with one part */
	bool represents;
};

struct et_samplesize {
	size_t n;
	double mean, sd;                     /* of the values that count, for the widths */
	struct et_size sizes[ET_SIZES_MOST]; /* of the whole, then descending */
	size_t n_sizes;
	size_t recommended;
	char why[320];
	double level;
	double autocorrelation; /* of successive values */
	double inflation;       /* of the variance of a mean by dependence; 1: none was found */
	struct et_runs_for_width {
		double relative_width; /* of the interval of the mean, from end to end */
		double n;              /* runs; infinite if no number is enough */
		double independent;    /* the same if the runs were independent */
	} widths[ET_WIDTHS_MOST];
	size_t n_widths;
};

/* A series by its metrics: CPU time and elapsed time of an experiment, or plain numbers. */
struct et_sized {
	const char *name;
	enum et_unit unit;
	bool first_check; /* processes were recorded, so check I was applied */
	size_t n;         /* metrics, 1 or 2; the judged one comes first */
	struct {
		const struct et_metric_row *metric; /* NULL: plain numbers */
		struct et_samplesize size;
	} by[2];
};
