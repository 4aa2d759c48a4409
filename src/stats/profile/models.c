/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/row.h"

#include <math.h>

/*
 * With fewer samples per run the chi-square interval of a count's standard deviation does not hold:
 * the excess kurtosis of a Poisson count is 1 / mean.
 */
static const double least_mean = 2;
enum { LEAST_RUNS = 10 };

static double quantisation(double mean, double calls)
{
	double periods = mean / calls, part = periods - floor(periods);

	return sqrt(calls * part * (1 - part));
}

static bool holds(const struct et_span *observed, double predicted)
{
	return observed->lo <= predicted && predicted <= observed->hi; /* false for NaN */
}

void et_profile_models_of(const struct et_profile_frame *f, struct et_profile_row *row)
{
	const struct et_estimate *total = &f->result->total;
	double p = row->pooled_share;
	struct et_profile_models m = { .gprof = sqrt(row->mean),
		.multinomial = sqrt(total->mean * p * (1 - p)),
		.quantisation = row->calls > 0 ? quantisation(row->mean, row->calls) : NAN };

	m.with_total = hypot(m.multinomial, p * total->sd);
	row->predicted = m;
	row->fit.tested = f->result->runs >= LEAST_RUNS && row->mean >= least_mean && p < 1;
	if (!row->fit.tested)
		return;
	row->fit.gprof = holds(&row->sd_chi2, m.gprof);
	row->fit.multinomial = holds(&row->sd_chi2, m.multinomial);
	row->fit.quantisation = holds(&row->sd_chi2, m.quantisation);
	row->fit.with_total = holds(&row->sd_chi2, m.with_total);
}
