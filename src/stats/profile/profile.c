/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"
#include "stats/profile/counts.h"
#include "stats/series/bootstrap.h"

static const struct et_span unknown = { NAN, NAN };

/* A larger mean gives n zeros with a probability below (1 - level) / 2. */
double et_profile_bound_of_zeros(double n, double level)
{
	return -log((1 - level) / 2) / n;
}

/* --- self samples --- */

/* The first and the last half of n counts; an odd one in the middle belongs to neither. */
static void fill_halves(const double *x, size_t n, double level, struct et_profile_half out[2])
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
	fill_halves(f->x, n, level, row->halves);
	struct et_interval sd = et_sd_interval(row->sd, n, f->result->level);
	row->sd_chi2 = row->sd > 0 ? (struct et_span){ sd.lo, sd.hi } : unknown;
}

/* --- shares --- */

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
	double level = f->result->row_level;
	struct et_mean_interval m = et_mean_interval(f->y, n, level);
	bool bound = m.mean <= 0 || m.mean >= 1;
	/* Shares of equal counts vary by the totals only: all that is known is a sample's step. */
	double step = bound ? et_profile_bound_of_zeros((double)f->result->samples, level)
			    : et_qnorm((1 + level) / 2) *
				      et_resolution_uncertainty(1 / f->result->total.mean);
	if (n > 1 && (equal || !(m.u > 0)) && !(m.half >= step)) {
		m.half = step;
		m.u = 0;
	}
	*method = n > 1 ? method_of(&m) : NULL;
	if (!isnan(m.half))
		*out = (struct et_span){ fmax(0, m.mean - m.half), fmin(1, m.mean + m.half) };
	return m.mean;
}

/* --- models --- */

/* With fewer samples per run the chi-square interval fails: the excess kurtosis is 1 / mean. */
static const double least_mean = 2;
enum { LEAST_RUNS = 10 };

static double quantisation(double mean, double calls)
{
	double periods = mean / calls, part = periods - floor(periods);

	return sqrt(calls * part * (1 - part));
}

/* The models of the spread of a count (NIST TN 1826, section 3.2), and which of them hold. */
static void fill_models(const struct et_profile_frame *f, struct et_profile_row *row)
{
	const struct et_estimate *total = &f->result->total;
	double p = row->pooled_share;
	struct et_profile_models m = { .gprof = sqrt(row->mean),
		.multinomial = sqrt(total->mean * p * (1 - p)),
		.quantisation = row->calls > 0 ? quantisation(row->mean, row->calls) : NAN };

	m.with_total = hypot(m.multinomial, p * total->sd);
	row->predicted = m;
	row->fit.tested = f->result->runs >= LEAST_RUNS && row->mean >= least_mean && p < 1;
	for (size_t i = 0; i < ET_PROFILE_MODELS && row->fit.tested; i++) /* false for NaN */
		row->fit.holds[i] = row->sd_chi2.lo <= m.by[i] && m.by[i] <= row->sd_chi2.hi;
}

/* --- samples with the function on the stack --- */

static void fill_total(const struct et_profile_frame *f, struct et_profile_row *row)
{
	const struct et_profile_counts *c = f->counts;
	struct et_estimate e;
	const char *method;
	bool callees = false;

	for (size_t i = c->begin[row->group]; i < c->begin[row->group + 1]; i++)
		callees = callees || c->entries[i].total > c->entries[i].self;
	row->total_mean = row->mean;
	row->total_interval = row->interval;
	row->total_share = row->share;
	row->total_share_interval = row->share_interval;
	if (!callees)
		return;
	et_profile_counts_fill(c, row->group, true, f->x);
	et_summarise(f->x, c->n_runs, f->result->row_level, &e);
	row->total_mean = e.mean;
	row->total_interval = isnan(e.lo) ? unknown : (struct et_span){ fmax(0, e.lo), e.hi };
	row->total_share = share_of(f, f->x, &row->total_share_interval, &method);
}

/* Fills a row whose group is set: mean, share, time on the stack, models. */
static void fill_row(const struct et_profile_frame *f, struct et_profile_row *row)
{
	const struct et_profile_counts *c = f->counts;
	double at_entry;

	et_profile_counts_fill(c, row->group, false, f->x);
	row->samples = et_profile_counts_sum(c, row->group, false, &at_entry);
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
	fill_models(f, row);
	fill_total(f, row);
}

/* --- bootstrap --- */

/* Of rows in fewer runs, a resample may well be without any of them. */
enum { LEAST_SEEN = 3 };

/* Fills the bootstrap intervals of a row. */
static void bootstrap_row(const struct et_profile_frame *f, struct et_profile_row *row)
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
	et_profile_counts_fill(f->counts, row->group, false, f->x);
	et_bootstrap_mean_sd(f->x, f->counts->n_runs, &o, &mean, &sd);
	row->sd_percentile = (struct et_span){ sd.percentile.lo, sd.percentile.hi };
	row->sd_bca = (struct et_span){ sd.bca.lo, sd.bca.hi };
	o.level = r->bootstrap_level;
	if (r->bootstrap_level > r->level)
		et_bootstrap_mean_sd(f->x, f->counts->n_runs, &o, &mean, NULL);
	row->mean_percentile = (struct et_span){ mean.percentile.lo, mean.percentile.hi };
	row->mean_bca = (struct et_span){ mean.bca.lo, mean.bca.hi };
}

/* --- one command --- */

/* This many draws of the bootstrap take about a second. Rows that matter are always resampled. */
static const double most_draws = 1.5e8, always_resampled = 0.01;

/* The fewest replicates beyond each end of an interval that make it worth printing. */
static const double least_in_tail = 5;

/* Time per sample: the period of a clock, else the CPU time divided by the samples. */
static double period_of(const struct et_profile *p, const struct et_profile_counts *c)
{
	double sum = 0;

	for (size_t i = 0; i < c->n_runs; i++)
		sum += c->runs[i]->period;
	bool clock = strstr(p->event, "clock") || !strcmp(p->event, "gprof");
	if (clock && sum > 0)
		return sum / (double)c->n_runs;
	return c->cpu_ns / et_sum(c->totals, c->n_runs);
}

static void fill_frame(const struct et_experiment *e, const struct et_profile_counts *c,
	const struct et_profile_options *o, struct et_profile_result *out)
{
	out->by = o->by;
	out->runs = c->n_runs;
	out->invalid = c->invalid;
	out->level = o->level > 0 ? o->level : 0.95;
	out->samples = (uint64_t)et_sum(c->totals, c->n_runs);
	out->lost = c->lost;
	out->overruns = c->overruns;
	out->throttled = c->throttled;
	et_summarise(c->totals, c->n_runs, out->level, &out->total);
	out->period_ns = period_of(e->profile, c);
	if (!isfinite(out->period_ns))
		out->period_ns = NAN;
	out->statements = o->statements ? o->statements : o->total ? out->n_rows : 0;
	/* A caller without samples of its own is no statement about self time. */
	for (size_t g = 0; g < c->n_groups && !o->statements && !o->total; g++)
		out->statements += et_profile_counts_sum(c, g, false, NULL) > 0;
	out->row_level =
		out->statements ? et_sidak_level(out->level, (double)out->statements) : out->level;
	fill_halves(c->totals, c->n_runs, out->level, out->total_halves);
	out->bootstrap_level = (double)o->replicates * (1 - out->row_level) / 2 < least_in_tail
				       ? out->level
				       : out->row_level;
	out->coverage_factor =
		c->n_runs > 1 ? et_qt((1 + out->row_level) / 2, (double)c->n_runs - 1) : NAN;
}

/* Every group that at least one run saw is a row. */
static void find_rows(const struct et_experiment *e, const struct et_profile_counts *c,
	enum et_profile_by by, struct et_profile_result *out)
{
	out->rows = et_calloc(c->n_groups + 1, sizeof(*out->rows));
	for (size_t g = 0; g < c->n_groups; g++) {
		const struct et_profile_function *f = &e->profile->functions[c->first[g]];
		if (c->begin[g + 1] == c->begin[g])
			continue;
		out->rows[out->n_rows++] = (struct et_profile_row){ .group = g,
			.function = c->first[g],
			.module = f->module,
			.name = by == ET_BY_FUNCTION ? f->name : NULL };
	}
}

static int by_share(const void *a, const void *b)
{
	const struct et_profile_row *x = a, *y = b;

	return ET_ORDER(y->share, x->share) ?: ET_ORDER(y->total_share, x->total_share)
		?: ET_ORDER(x->group, y->group);
}

static void fill_rows(const struct et_profile_frame *f, struct et_profile_result *r)
{
	double draws = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		fill_row(f, &r->rows[i]);
	qsort(r->rows, r->n_rows, sizeof(*r->rows), by_share);
	for (size_t i = 0; i < r->n_rows && f->options->replicates; i++) {
		draws += (double)f->options->replicates * (double)f->counts->n_runs;
		if (draws > most_draws && r->rows[i].share < always_resampled)
			return;
		bootstrap_row(f, &r->rows[i]);
	}
}

static void sum_fits(struct et_profile_result *r)
{
	struct et_profile_verdict *v = &r->models;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		v->tested += row->fit.tested;
		v->quantisation_tested += row->fit.tested && row->calls > 0;
		for (size_t m = 0; m < ET_PROFILE_MODELS; m++)
			v->holds[m] += row->fit.holds[m];
	}
}

void et_profile_judge(const struct et_experiment *e, uint32_t command,
	const struct et_profile_options *o, struct et_profile_result *out)
{
	struct et_profile_counts counts;

	*out = (struct et_profile_result){ .command = command };
	et_profile_counts_make(e, command, o->by, &counts);
	find_rows(e, &counts, o->by, out);
	fill_frame(e, &counts, o, out);
	ET_AUTO_FREE double *x = et_calloc(counts.n_runs + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(counts.n_runs + 1, sizeof(*y));
	struct et_profile_frame f = { e, o, &counts, out, x, y };
	fill_rows(&f, out);
	sum_fits(out);
	et_profile_warn(&f);
	size_t examined = et_profile_examined(out);
	for (size_t i = 0; i < out->n_rows; i++)
		et_profile_row_warn(&f, examined, &out->rows[i]);
	et_profile_counts_free(&counts);
}

/* --- all commands --- */

const struct et_profile_options et_default_profile_options = { .by = ET_BY_FUNCTION,
	.top = 20,
	.least = 0.5,
	.level = 0.95,
	.replicates = 9999,
	.compare = true };

static int by_total(const void *a, const void *b)
{
	const struct et_profile_row *x = a, *y = b;

	return ET_ORDER(y->total_share, x->total_share);
}

static struct et_profile_result *judge_all(
	const struct et_experiment *e, const struct et_profile_options *o)
{
	struct et_profile_result *list = et_calloc(e->n_commands + 1, sizeof(*list));

	for (uint32_t c = 0; c < e->n_commands; c++) {
		et_profile_judge(e, c, o, &list[c]);
		if (o->total && list[c].n_rows)
			qsort(list[c].rows, list[c].n_rows, sizeof(*list[c].rows), by_total);
	}
	return list;
}

#define LEAST_SHARE 0.01 /* smaller shares do not delay --until */

double et_profile_reached(const struct et_experiment *e, uint32_t command, size_t statements)
{
	struct et_profile_options o = { .level = e->plan.level, .statements = statements };
	struct et_profile_result r;

	et_profile_judge(e, command, &o, &r);
	double widest = et_profile_widest(&r, LEAST_SHARE);
	et_profile_result_free(&r);
	return widest;
}

static void check_until(const struct et_experiment *e, struct et_profiled *p)
{
	for (size_t c = 0; c < p->n && e->plan.until_ratio > 0; c++) {
		double widest = et_profile_widest(&p->results[c], LEAST_SHARE);
		if (widest > e->plan.until_ratio)
			et_warn(&p->results[c].warnings, ET_WARN_PROFILE_UNTIL_MISSED,
				et_arg_share(e->plan.until_ratio), et_arg_share(widest),
				et_arg_count(p->results[c].runs));
	}
}

void et_profiled_judge(const struct et_experiment *e, const struct et_profile_options *view,
	struct et_profiled *out)
{
	struct et_profile_options o = *view;

	o.level = view->level > 0 ? view->level : e->plan.level;
	o.seed = e->plan.seed;
	*out = (struct et_profiled){ .experiment = e, .view = *view, .n = e->n_commands };
	out->results = judge_all(e, &o);
	out->compared = view->compare && e->n_commands == 2;
	if (out->compared)
		et_profile_compare(e,
			&(struct et_profile_pair){ .b = 1,
				.by = view->by,
				.total = view->total,
				.alpha = 1 - o.level },
			&out->comparison);
	if (view->by == ET_BY_MODULE)
		return;
	o.by = ET_BY_MODULE;
	out->modules = judge_all(e, &o);
	check_until(e, out);
}

void et_profiled_free(struct et_profiled *p)
{
	for (size_t i = 0; i < p->n; i++) {
		et_profile_result_free(&p->results[i]);
		if (p->modules)
			et_profile_result_free(&p->modules[i]);
	}
	free(p->results);
	free(p->modules);
	if (p->compared)
		et_profile_comparison_free(&p->comparison);
	et_warnings_free(&p->warnings);
}
