/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/profile/profile.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/student.h"
#include "stats/profile/counts.h"
#include "stats/profile/row.h"
#include "stats/series/summary.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* A caller without samples of its own is no statement about self time. */
static size_t count_statements(
	const struct et_profile_counts *c, const struct et_profile_options *o, size_t rows)
{
	size_t n = 0;

	if (o->total)
		return rows;
	for (size_t g = 0; g < c->n_groups; g++)
		n += et_profile_counts_sum(c, g, false, NULL) > 0;
	return n;
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
	out->statements = o->statements ? o->statements : count_statements(c, o, out->n_rows);
	out->row_level =
		out->statements ? et_sidak_level(out->level, (double)out->statements) : out->level;
	et_profile_halves(c->totals, c->n_runs, out->level, out->total_halves);
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

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_share(const void *a, const void *b)
{
	const struct et_profile_row *x = a, *y = b;
	int order = descending(x->share, y->share);

	if (!order)
		order = descending(x->total_share, y->total_share);
	return order ? order : (x->group > y->group) - (x->group < y->group);
}

static void fill_rows(const struct et_profile_frame *f, struct et_profile_result *r)
{
	double draws = 0;

	for (size_t i = 0; i < r->n_rows; i++)
		et_profile_row_fill(f, &r->rows[i]);
	qsort(r->rows, r->n_rows, sizeof(*r->rows), by_share);
	for (size_t i = 0; i < r->n_rows && f->options->replicates; i++) {
		draws += (double)f->options->replicates * (double)f->counts->n_runs;
		if (draws > most_draws && r->rows[i].share < always_resampled)
			return;
		et_profile_row_bootstrap(f, &r->rows[i]);
	}
}

static void sum_fits(struct et_profile_result *r)
{
	struct et_profile_verdict *v = &r->models;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		v->tested += row->fit.tested;
		v->gprof += row->fit.gprof;
		v->multinomial += row->fit.multinomial;
		v->with_total += row->fit.with_total;
		v->quantisation += row->fit.quantisation;
		v->quantisation_tested += row->fit.tested && row->calls > 0;
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

	return descending(x->total_share, y->total_share);
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

#define LEAST_SHARE 0.01 /* smaller shares do not delay --until: see conduct/measuring.c */

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
