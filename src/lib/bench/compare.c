/* SPDX-License-Identifier: MIT */
/* Compares two programs by the values of their processes, on the logarithmic scale. */
#include "base/alloc.h"
#include "lib/bench/judge.h"
#include "lib/bench/location.h"
#include "lib/bench/values.h"
#include "num/student.h"

#include <math.h>

static const double OUTLYING = 3; /* standard deviations */

/* The logarithms of the values of one program; n is 0 if one of them is not positive. */
struct logs {
	struct et_bench_summary v; /* v.ns are logarithms */
	double drift, resolution;  /* relative */
};

static void take_logs(const struct et_slices *s, const struct et_bench_method *m, struct logs *out)
{
	double least = INFINITY;

	*out = (struct logs){ 0 };
	et_bench_summarise(s, m, &out->v);
	for (size_t i = 0; i < out->v.n; i++)
		least = fmin(least, out->v.ns[i]);
	if (!(least > 0) || !out->v.n) {
		out->v.n = 0;
		return;
	}
	for (size_t i = 0; i < out->v.n; i++)
		out->v.ns[i] = log(out->v.ns[i]);
	out->drift = out->v.drift_ns / least;
	out->resolution = out->v.resolution_ns / least;
}

static void take_both(const struct et_slices *a, const struct et_slices *b, unsigned flags,
	struct logs *x, struct logs *y)
{
	struct et_bench_method m = et_bench_method_choose(a, flags);
	struct et_bench_method k = et_bench_method_choose(b, flags);

	m = et_bench_method_join(&m, &k);
	take_logs(a, &m, x);
	take_logs(b, &m, y);
}

/*
 * The p-value of a ratio of 1 + by or more being due to chance, both tails; the resolution widens
 * the interval in the same way.
 */
static double p_beyond(const struct et_bench_comparison *c, double by)
{
	double d = fabs(log(c->ratio) - log1p(by)), r = c->resolution;

	if (d <= r)
		return 1;
	return c->se > 0 ? et_pt_two_sided(sqrt(d * d - r * r) / c->se, c->df) : 0;
}

static void conclude(double at, double se, double df, double resolution, double level,
	struct et_bench_comparison *out)
{
	double half = hypot(et_qt((1 + level) / 2, df) * se, resolution);

	*out = (struct et_bench_comparison){ .ratio = NAN,
		.hi = INFINITY,
		.p = NAN,
		.se = se,
		.df = df,
		.resolution = resolution,
		.p_family = NAN };
	out->verdict = ET_BENCH_UNSURE;
	if (!isfinite(at) || !isfinite(half))
		return;
	out->ratio = exp(at);
	out->lo = exp(at - half);
	out->hi = exp(at + half);
	out->p = p_beyond(out, 0);
	if (out->lo > 1)
		out->verdict = ET_BENCH_SLOWER;
	else
		out->verdict = out->hi < 1 ? ET_BENCH_FASTER : ET_BENCH_SAME;
}

void et_bench_compare_apart(const struct et_slice *new_slices, size_t n_new,
	const struct et_slice *old_slices, size_t n_old, unsigned flags, double level,
	struct et_bench_comparison *out)
{
	const struct et_slices a = { new_slices, n_new, n_new && new_slices->old };
	const struct et_slices b = { old_slices, n_old, n_old && old_slices->old };
	struct logs x, y;

	take_both(&a, &b, flags, &x, &y);
	struct et_location l = et_locate_cautiously(x.v.ns, x.v.n, ET_BENCH_REACH);
	struct et_location k = et_locate_cautiously(y.v.ns, y.v.n, ET_BENCH_REACH);
	double u = hypot(l.se, x.drift), w = hypot(k.se, y.drift);
	conclude(l.at - k.at, hypot(u, w),
		et_welch_df(u, et_combined_df(l.se, l.df, u), w, et_combined_df(k.se, k.df, w)),
		hypot(x.resolution, y.resolution), level, out);
	et_bench_summary_free(&x.v);
	et_bench_summary_free(&y.v);
}

/* Differences of the logarithms of those processes that both programs have; returns how many. */
static size_t subtract_pairs(const struct et_bench_summary *a, const struct et_bench_summary *b)
{
	size_t n = 0;

	for (size_t i = 0, j = 0; i < a->n && j < b->n;) {
		if (a->process[i] == b->process[j])
			a->ns[n++] = a->ns[i++] - b->ns[j++];
		else if (a->process[i] < b->process[j])
			i++;
		else
			j++;
	}
	return n;
}

/* The state of the machine is that of both, so it needs no allowance. */
void et_bench_compare_pairs(const struct et_slice *slices, size_t n, unsigned flags, double level,
	struct et_bench_comparison *out)
{
	const struct et_slices a = { slices, n, false }, b = { slices, n, true };
	struct logs x, y;

	take_both(&a, &b, flags, &x, &y);
	size_t pairs = subtract_pairs(&x.v, &y.v);
	struct et_location l = et_locate(x.v.ns, pairs);
	/* Differences are symmetric, so that a few large ones do not move the place. */
	l = et_locate_cautiously(x.v.ns, pairs, OUTLYING * l.se * sqrt((double)pairs));
	conclude(l.at, l.se, l.df, hypot(x.resolution, y.resolution), level, out);
	et_bench_summary_free(&x.v);
	et_bench_summary_free(&y.v);
}

struct candidate {
	struct et_bench_comparison *c;
	double p;
};

static int by_p(const void *a, const void *b)
{
	double x = ((const struct candidate *)a)->p, y = ((const struct candidate *)b)->p;

	return (x > y) - (x < y);
}

size_t et_bench_family(struct et_bench_row *rows, size_t n, double fail_ratio, double level)
{
	ET_AUTO_FREE struct candidate *list = et_calloc(n + 1, sizeof(*list));
	size_t tested = 0, found = 0;
	double p = 0;

	for (size_t i = 0; i < n; i++) {
		struct et_bench_comparison *c = &rows[i].comparison;

		c->p_family = NAN;
		c->regression = false;
		if (rows[i].has_old && c->verdict != ET_BENCH_UNSURE && isfinite(fail_ratio))
			list[tested++] = (struct candidate){ c,
				c->ratio > 1 + fail_ratio ? p_beyond(c, fail_ratio) : 1 };
	}
	qsort(list, tested, sizeof(*list), by_p);
	for (size_t i = 0; i < tested; i++) {
		p = fmin(fmax(p, list[i].p * (double)(tested - i)), 1);
		list[i].c->p_family = p;
		list[i].c->regression = p <= 1 - level;
		found += list[i].c->regression;
	}
	return found;
}
