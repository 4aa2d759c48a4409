/* SPDX-License-Identifier: MIT */
/*
 * The estimate of one case, and the comparison of two programs on the logarithmic scale. Samples
 * within a process depend on each other and share its layout of memory, so the process is the unit:
 * each gives one value, and the interval is that of the values.
 */
#include "lib/bench/judge.h"
#include "base/alloc.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

static const double OUTLYING = 3;        /* standard deviations */
static const double NOTABLE_DOUBT = 0.1; /* of the call, in relation to the function */

struct all {
	double *x;
	size_t n;
};

/* Collects every sample, whatever its marks: the figures of the distribution leave none out. */
static struct all collect(const struct et_slices *s, struct et_bench_estimate *e)
{
	struct all a = { .x = et_slices_room(s) };

	for (size_t i = 0; i < s->n; i++) {
		const struct et_slice *l = &s->list[i];

		if (l->old != s->old || l->error)
			continue;
		/* Whether the call matters is judged by all slices together. */
		e->warnings |= l->warnings & ~(unsigned)ETALON_WARNING_OVERHEAD;
		for (size_t j = 0; j < l->n; j++) {
			a.x[a.n++] = l->samples[j].ns;
			e->preempted += (l->samples[j].marks & ET_BENCH_PREEMPTED) != 0;
			e->slow += (l->samples[j].marks & ET_BENCH_SLOW) != 0;
		}
	}
	return a;
}

static void describe(const struct all *a, struct et_bench_estimate *e)
{
	e->n = a->n;
	e->mean_ns = et_mean(a->x, a->n);
	e->sd_ns = et_sd(a->x, a->n);
	et_sort(a->x, a->n);
	e->min_ns = a->x[0];
	e->p10_ns = et_quantile_sorted(a->x, a->n, 0.1);
	e->q1_ns = et_quantile_sorted(a->x, a->n, 0.25);
	e->median_ns = et_median_sorted(a->x, a->n);
	e->q3_ns = et_quantile_sorted(a->x, a->n, 0.75);
	e->p90_ns = et_quantile_sorted(a->x, a->n, 0.9);
	e->p99_ns = et_quantile_sorted(a->x, a->n, 0.99);
	e->max_ns = a->x[a->n - 1];
}

/*
 * The values of two invocations differ by the errors of both, which are alike: hence the root of 2.
 * Values of 0 (a function as short as an empty call) have no relative sd.
 */
static void estimate(const struct et_slices *s, const struct et_bench_method *m, double level,
	struct et_bench_estimate *e)
{
	struct et_bench_summary v;
	double u, half;

	et_bench_summarise(s, m, &v);
	struct et_location l = et_locate(v.ns, v.n);
	l = et_locate_cautiously(v.ns, v.n, ET_BENCH_REACH * l.at);
	u = hypot(hypot(l.se, v.drift_ns), m->empty_uncertainty_ns);
	l.df = et_combined_df(l.se, l.df, u);
	half = v.n > 1 ? hypot(M_SQRT2 * et_qt((1 + level) / 2, l.df) * u, 2 * v.resolution_ns)
		       : INFINITY;
	/* All invocations share this error: it is part of the time, and of no comparison. */
	half = hypot(half, 2 * m->doubt_ns);
	if (m->doubt_ns > NOTABLE_DOUBT * l.at)
		e->warnings |= ETALON_WARNING_OVERHEAD;
	e->statistic = m->statistic;
	e->reason = m->reason;
	e->processes = v.n;
	/* A function that takes less than an empty call has samples below 0. */
	e->ns = fmax(l.at, 0);
	e->lo_ns = fmax(l.at - half, 0);
	e->hi_ns = fmax(l.at + half, 0);
	e->between = l.at > 0 ? l.sd / l.at : NAN;
	e->within = v.within;
	et_bench_summary_free(&v);
}

bool et_bench_judge(const struct et_slice *slices, size_t n, bool old, unsigned flags, double level,
	struct et_bench_estimate *out)
{
	const struct et_slices s = { slices, n, old };
	struct et_bench_method m;
	struct all a;

	*out = (struct et_bench_estimate){ .ns = NAN };
	a = collect(&s, out);
	if (a.n) {
		m = et_bench_method_choose(&s, flags);
		describe(&a, out);
		estimate(&s, &m, level, out);
	}
	free(a.x);
	return out->n > 0;
}

/* --- comparisons --- */

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

size_t et_bench_family(struct et_bench_row *rows, size_t n, double fail_ratio, double level)
{
	ET_AUTO_FREE double *p = et_alloc((n + 1) * sizeof(*p));
	size_t found = 0;

	for (size_t i = 0; i < n; i++) {
		const struct et_bench_comparison *c = &rows[i].comparison;
		bool tested = rows[i].has_old && c->verdict != ET_BENCH_UNSURE;

		p[i] = !tested || !isfinite(fail_ratio) ? NAN
		       : c->ratio > 1 + fail_ratio      ? p_beyond(c, fail_ratio)
							: 1;
	}
	et_holm(p, n, p);
	for (size_t i = 0; i < n; i++) {
		rows[i].comparison.p_family = p[i];
		rows[i].comparison.regression = p[i] <= 1 - level;
		found += rows[i].comparison.regression;
	}
	return found;
}
