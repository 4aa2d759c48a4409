/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/row.h"
#include "num/mean_interval.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"
#include "stats/profile/profile.h"
#include "stats/series/bootstrap.h"
#include "stats/series/interval.h"
#include "stats/series/student.h"
#include "stats/series/summary.h"

#include <math.h>

static const struct et_span unknown = { NAN, NAN };

/* A larger mean gives n zeros with a probability below (1 - level) / 2. */
double et_profile_bound_of_zeros(double n, double level)
{
	return -log((1 - level) / 2) / n;
}

/* --- self samples --- */

void et_profile_halves(const double *x, size_t n, double level, struct et_profile_half out[2])
{
	size_t half = n / 2;

	for (size_t k = 0; k < 2; k++) {
		struct et_estimate e;
		out[k] = (struct et_profile_half){ NAN, unknown };
		if (half < 2)
			continue;
		et_summarise(k ? x + n - half : x, half, level, &e);
		out[k].mean = e.mean;
		out[k].interval = (struct et_span){ fmax(0, e.lo), e.hi };
		if (e.max == 0)
			out[k].interval.hi = et_profile_bound_of_zeros((double)half, level);
	}
}

static void fill_mean(const struct et_profile_frame *f, struct et_profile_row *row)
{
	size_t n = f->counts->n_runs;
	double level = f->result->row_level;
	struct et_estimate e;

	et_summarise(f->x, n, level, &e);
	row->mean = e.mean;
	row->sd = e.sd;
	row->standard_uncertainty = e.standard_uncertainty;
	row->coverage_factor = e.coverage_factor;
	row->expanded_uncertainty = e.expanded_uncertainty;
	row->interval_method = e.interval_method;
	row->df = e.df;
	row->skewed = e.skewed;
	row->dependent = e.inflation > 1;
	row->robust_sd = (e.q3 - e.q1) / 1.349;
	if (n > 1 && row->samples == 0) {
		row->expanded_uncertainty = et_profile_bound_of_zeros((double)n, level);
		row->coverage_factor = f->result->coverage_factor;
		row->standard_uncertainty = row->expanded_uncertainty / row->coverage_factor;
		row->df = INFINITY;
		row->interval_method = "poisson";
	}
	row->interval = (struct et_span){ fmax(0, row->mean - row->expanded_uncertainty),
		row->mean + row->expanded_uncertainty };
	if (isnan(row->expanded_uncertainty))
		row->interval = unknown;
	et_profile_halves(f->x, n, level, row->halves);
	struct et_interval sd = et_sd_interval(row->sd, n, f->result->level);
	row->sd_chi2 = row->sd > 0 ? (struct et_span){ sd.lo, sd.hi } : unknown;
}

/* --- shares --- */

/* All shares are equal, so their step, one sample, is all that is known of their spread. */
static double half_of_equal(const struct et_profile_frame *f, double share)
{
	double level = f->result->row_level;

	if (share <= 0 || share >= 1)
		return et_profile_bound_of_zeros((double)f->result->samples, level);
	return et_qnorm((1 + level) / 2) * et_resolution_uncertainty(1 / f->result->total.mean);
}

static const char *method_of(const struct et_mean_interval *m)
{
	if (m->u > 0)
		return m->skewed || m->inflation > 1 ? "student-t-widened" : "student-t";
	return m->mean <= 0 || m->mean >= 1 ? "poisson" : "resolution";
}

/* counts holds one value per run; runs without any sample have no share. */
static double share_of(const struct et_profile_frame *f, const double *counts, struct et_span *out,
	const char **method)
{
	const struct et_profile_counts *c = f->counts;
	size_t n = 0;
	bool equal = true;
	double first = NAN;

	*out = unknown;
	for (size_t i = 0; i < c->n_runs; i++) {
		if (!(c->totals[i] > 0))
			continue;
		first = n ? first : counts[i];
		equal = equal && counts[i] == first;
		f->y[n++] = counts[i] / c->totals[i];
	}
	struct et_mean_interval m = et_mean_interval(f->y, n, f->result->row_level);
	/* Shares of equal counts vary only by the totals, less than a sample would change them. */
	double step = half_of_equal(f, m.mean);
	if (n > 1 && (equal || !(m.u > 0)) && !(m.half >= step)) {
		m.half = step;
		m.u = 0;
	}
	*method = n > 1 ? method_of(&m) : NULL;
	if (!isnan(m.half))
		*out = (struct et_span){ fmax(0, m.mean - m.half), fmin(1, m.mean + m.half) };
	return m.mean;
}

/* --- samples with the function on the stack --- */

static bool has_callees(const struct et_profile_counts *c, size_t group)
{
	for (size_t i = c->begin[group]; i < c->begin[group + 1]; i++) {
		if (c->entries[i].total > c->entries[i].self)
			return true;
	}
	return false;
}

static void fill_total(const struct et_profile_frame *f, size_t group, struct et_profile_row *row)
{
	struct et_estimate e;
	const char *method;

	row->total_mean = row->mean;
	row->total_interval = row->interval;
	row->total_share = row->share;
	row->total_share_interval = row->share_interval;
	if (!has_callees(f->counts, group))
		return;
	et_profile_counts_total(f->counts, group, f->x);
	et_summarise(f->x, f->counts->n_runs, f->result->row_level, &e);
	row->total_mean = e.mean;
	row->total_interval = isnan(e.lo) ? unknown : (struct et_span){ fmax(0, e.lo), e.hi };
	row->total_share = share_of(f, f->x, &row->total_share_interval, &method);
}

void et_profile_row_fill(const struct et_profile_frame *f, size_t group, struct et_profile_row *row)
{
	const struct et_profile_counts *c = f->counts;
	double at_entry;

	et_profile_counts_self(c, group, f->x);
	row->samples = et_profile_counts_pooled(c, group, &at_entry);
	row->at_entry = c->addresses ? at_entry / row->samples : NAN;
	for (size_t i = 0; i < c->n_runs; i++)
		row->seen_in_runs += f->x[i] > 0;
	row->pooled_share = row->samples / (double)f->result->samples;
	row->calls = f->options->by == ET_BY_MODULE ? NAN
						    : et_profile_calls_of(f->experiment->profile,
							      f->result->command, row->function);
	row->mean_percentile = row->mean_bca = row->sd_percentile = row->sd_bca = unknown;
	fill_mean(f, row);
	row->share = share_of(f, f->x, &row->share_interval, &row->share_method);
	et_profile_models_of(f, row);
	fill_total(f, group, row);
}

/* --- bootstrap --- */

static struct et_span span_of(const struct et_interval *i)
{
	return (struct et_span){ i->lo, i->hi };
}

/* Of rows in fewer runs, a resample may well be without any of them. */
enum { LEAST_SEEN = 3 };

void et_profile_row_bootstrap(
	const struct et_profile_frame *f, size_t group, struct et_profile_row *row)
{
	const struct et_profile_result *r = f->result;
	struct et_boot_options o = { .seed = f->options->seed + row->function,
		.replicates = f->options->replicates,
		.level = r->level,
		.threads = f->options->threads,
		.bca = true };
	struct et_boot mean, sd;

	if (row->seen_in_runs < LEAST_SEEN || !(row->sd > 0))
		return;
	et_profile_counts_self(f->counts, group, f->x);
	et_bootstrap_mean_sd(f->x, f->counts->n_runs, &o, &mean, &sd);
	row->sd_percentile = span_of(&sd.percentile);
	row->sd_bca = span_of(&sd.bca);
	o.level = r->bootstrap_level;
	if (r->bootstrap_level > r->level)
		et_bootstrap_mean_sd(f->x, f->counts->n_runs, &o, &mean, NULL);
	row->mean_percentile = span_of(&mean.percentile);
	row->mean_bca = span_of(&mean.bca);
}
