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
static size_t *find_rows(const struct et_profile_counts *c, size_t *n)
{
	size_t *groups = et_calloc(c->n_groups + 1, sizeof(*groups));

	*n = 0;
	for (size_t g = 0; g < c->n_groups; g++) {
		if (c->begin[g + 1] > c->begin[g])
			groups[(*n)++] = g;
	}
	return groups;
}

/* A row with its place in the counts, to be sorted. */
struct placed {
	struct et_profile_row row;
	size_t group;
};

static int descending(double a, double b)
{
	return (a < b) - (a > b);
}

static int by_share(const void *a, const void *b)
{
	const struct placed *x = a, *y = b;
	int order = descending(x->row.share, y->row.share);

	if (!order)
		order = descending(x->row.total_share, y->row.total_share);
	return order ? order : (x->group > y->group) - (x->group < y->group);
}

static void fill_rows(const struct et_profile_frame *f, struct placed *rows, const size_t *groups)
{
	const struct et_profile *p = f->experiment->profile;
	size_t n = f->result->n_rows;

	for (size_t i = 0; i < n; i++) {
		uint32_t function = f->counts->first[groups[i]];
		rows[i].group = groups[i];
		rows[i].row.function = function;
		rows[i].row.module = p->functions[function].module;
		if (f->result->by == ET_BY_FUNCTION)
			rows[i].row.name = p->functions[function].name;
		et_profile_row_fill(f, groups[i], &rows[i].row);
	}
	qsort(rows, n, sizeof(*rows), by_share);
}

static void bootstrap_rows(const struct et_profile_frame *f, struct placed *rows)
{
	double draws = 0;

	for (size_t i = 0; i < f->result->n_rows && f->options->replicates; i++) {
		draws += (double)f->options->replicates * (double)f->counts->n_runs;
		if (draws > most_draws && rows[i].row.share < always_resampled)
			return;
		et_profile_row_bootstrap(f, rows[i].group, &rows[i].row);
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
	ET_AUTO_FREE size_t *groups = find_rows(&counts, &out->n_rows);
	fill_frame(e, &counts, o, out);
	ET_AUTO_FREE double *x = et_calloc(counts.n_runs + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(counts.n_runs + 1, sizeof(*y));
	ET_AUTO_FREE struct placed *rows = et_calloc(out->n_rows + 1, sizeof(*rows));
	struct et_profile_frame f = { e, o, &counts, out, x, y };
	fill_rows(&f, rows, groups);
	bootstrap_rows(&f, rows);
	out->rows = et_calloc(out->n_rows + 1, sizeof(*out->rows));
	for (size_t i = 0; i < out->n_rows; i++)
		out->rows[i] = rows[i].row;
	sum_fits(out);
	et_profile_warn(&f);
	size_t examined = et_profile_examined(out);
	for (size_t i = 0; i < out->n_rows; i++)
		et_profile_row_warn(&f, rows[i].group, examined, &out->rows[i]);
	et_profile_counts_free(&counts);
}
