/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How many runs are enough, judged by parts of a long series. Values have the series' unit. */
#ifndef ET_MODEL_SAMPLESIZE_H
#define ET_MODEL_SAMPLESIZE_H

#include "base/attr.h"

#include <stdbool.h>

enum { ET_SIZES_MOST = 64, ET_WIDTHS_MOST = 8 };

/* The first n values of a series, and all successive parts of n values. */
struct et_size {
	size_t n;
	size_t outliers; /* of the first n, outside their mean ± 2 sd */
	double mean, sd;
	size_t parts;
	double sd_off; /* typical distance of a part's sd from that of the whole, over the latter */
	double p;      /* p-value of the differences of the parts' means; NaN with one part */
	bool represents;
};

struct et_samplesize {
	size_t n;
	double mean, sd;
	struct et_size sizes[ET_SIZES_MOST]; /* of the whole, of half of it … of 5 values */
	size_t n_sizes;
	size_t recommended;
	char why[200];
	double level;
	double autocorrelation; /* of successive values */
	double inflation;       /* of the variance of a mean by dependence; 1: none was found */
	struct {
		double relative_width; /* of the interval of the mean, from end to end */
		double n;              /* runs; infinite if no number is enough */
		double independent;    /* the same if the runs were independent */
	} widths[ET_WIDTHS_MOST];
	size_t n_widths;
};

#endif
