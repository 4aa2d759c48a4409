/* SPDX-License-Identifier: MIT */
/*
 * The estimate of one case. Samples within a process depend on each other and share its layout of
 * memory, so the process is the unit: each gives one value, and the interval is that of the values.
 */
#include "lib/bench/judge.h"
#include "base/alloc.h"
#include "lib/bench/location.h"
#include "lib/bench/values.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/student.h"

#include <math.h>

static const double NOTABLE_DOUBT = 0.1; /* of the call, in relation to the function */

struct all {
	double *x;
	size_t n;
};

/* Collects every sample, whatever its marks: the figures of the distribution leave none out. */
static struct all collect(const struct et_slices *s, struct et_bench_estimate *e)
{
	struct all a = { 0 };
	size_t room = 1;

	for (size_t i = 0; i < s->n; i++)
		room += s->list[i].n;
	a.x = et_alloc(room * sizeof(*a.x));
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
