/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/kbest_coverage.h"
#include "stats/series/interval.h"

const char *const et_kbest_statistic_names[] = { "best", "median", "mean" };

static struct et_kbest_coverage_row *row_of(struct et_kbest_coverage *c, const char *name)
{
	for (size_t i = 0; i < c->n; i++)
		if (!strcmp(c->rows[i].name, name))
			return &c->rows[i];
	ET_GROW(c->rows, c->n, c->capacity);
	c->rows[c->n] = (struct et_kbest_coverage_row){ .name = et_strdup(name) };
	return &c->rows[c->n++];
}

static void free_slices(struct et_bench_row *row)
{
	for (size_t i = 0; i < row->n_slices; i++)
		et_slice_free(&row->slices[i]);
	free(row->slices);
	row->slices = NULL;
	row->n_slices = 0;
}

static void add_row(
	struct et_kbest_coverage *c, struct et_kbest_coverage_row *to, struct et_bench_row *from)
{
	struct et_bench_comparison d;
	struct et_bench_estimate e;

	if (!from->n_slices ||
		!et_bench_judge(from->slices, from->n_slices, from->slices->old, 0, c->level, &e))
		return;
	if (to->last.n_slices) {
		et_bench_compare_apart(from->slices, from->n_slices, to->last.slices,
			to->last.n_slices, 0, c->level, &d);
		to->compared += d.verdict != ET_BENCH_UNSURE;
		to->alarms += d.verdict == ET_BENCH_FASTER || d.verdict == ET_BENCH_SLOWER;
	}
	free_slices(&to->last);
	to->last.slices = from->slices;
	to->last.n_slices = from->n_slices;
	from->slices = NULL;
	from->n_slices = 0;
	ET_GROW(to->answers, to->n, to->capacity);
	to->answers[to->n++] = (struct et_kbest_answer){ e.ns, e.lo_ns, e.hi_ns, e.statistic };
}

void et_kbest_coverage_add(struct et_kbest_coverage *c, struct et_bench_results *r)
{
	for (size_t i = 0; i < r->n; i++)
		add_row(c, row_of(c, r->rows[i].name), &r->rows[i]);
	c->invocations++;
}

void et_kbest_coverage_free(void *coverage)
{
	struct et_kbest_coverage *c = coverage;

	for (size_t i = 0; i < c->n; i++) {
		free_slices(&c->rows[i].last);
		free(c->rows[i].answers);
		free(c->rows[i].name);
	}
	free(c->rows);
	*c = (struct et_kbest_coverage){ 0 };
}

static bool contains(const struct et_kbest_answer *a, double ns)
{
	return ns >= a->lo_ns && ns <= a->hi_ns;
}

static void find_coverage(
	const struct et_kbest_coverage_row *row, const double *ns, struct et_kbest_attained *a)
{
	double sum = et_sum(ns, row->n), others = (double)row->n - 1;
	size_t another = 0, long_run = 0;

	for (size_t i = 0; i < row->n; i++) {
		for (size_t j = 0; j < row->n; j++)
			another += i != j && contains(&row->answers[i], ns[j]);
		long_run += contains(&row->answers[i], (sum - ns[i]) / others);
	}
	a->another = (double)another / ((double)row->n * others);
	a->long_run = (double)long_run / (double)row->n;
}

struct et_kbest_attained et_kbest_attained(const struct et_kbest_coverage_row *row)
{
	struct et_kbest_attained a = { .ns = NAN,
		.spread = NAN,
		.width = NAN,
		.another = NAN,
		.long_run = NAN,
		.alarms = NAN,
		.lo = NAN,
		.hi = NAN };
	size_t count[ET_BENCH_STATISTICS] = { 0 }; /* invocations that chose each */
	ET_AUTO_FREE double *ns = et_alloc((row->n + 1) * sizeof(*ns));
	ET_AUTO_FREE double *width = et_alloc((row->n + 1) * sizeof(*width));

	if (!row->n)
		return a;
	for (size_t i = 0; i < row->n; i++) {
		ns[i] = row->answers[i].ns;
		width[i] = (row->answers[i].hi_ns - row->answers[i].lo_ns) / ns[i];
	}
	a.ns = et_mean(ns, row->n);
	for (size_t i = 0; i < row->n; i++)
		count[row->answers[i].statistic]++;
	for (int k = 0; k < ET_BENCH_STATISTICS; k++)
		if (count[k] > count[a.statistic])
			a.statistic = (enum et_bench_statistic)k;
	a.chosen = (double)count[a.statistic] / (double)row->n;
	a.width = et_median(width, row->n);
	if (row->n > 1) {
		a.spread = 2 * 1.959964 * et_sd(ns, row->n) / a.ns;
		find_coverage(row, ns, &a);
	}
	if (row->compared) {
		struct et_interval i = et_share_interval_wilson(row->alarms, row->compared, 0.95);

		a.alarms = (double)row->alarms / (double)row->compared;
		a.lo = i.lo;
		a.hi = i.hi;
	}
	return a;
}
