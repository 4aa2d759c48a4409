/* SPDX-License-Identifier: MIT */
/*
 * The estimate of one case, and the comparison of two programs on the logarithmic scale. Samples
 * within a process depend on each other and share its layout of memory, so the process is the unit:
 * each gives one value, and the interval is that of the values. The thresholds below were found
 * from the raw samples of many hundred processes; doc/benchmarks.md describes how, and "etalon lab
 * kbest-coverage" checks what they promise.
 */
#include "lib/bench/judge.h"
#include "num/moments.h"
#include "num/multiple.h"
#include "num/quantile.h"
#include "num/student.h"

enum {
	ENOUGH = 3,      /* samples that must count in a process, if it has as many */
	DISTINCT = 10,   /* samples that show how the shortest differ from the others */
	BELOW_LEAST = 3, /* samples below the floor that are no chance */
	FEW_CALLS = 100, /* per sample: each call shows */
	EXPERIENCE_DF = 10,
};

/* The best is this quantile: steadier than the minimum, and hardly longer where a floor exists. */
static const double BEST_RANK = 0.02;
static const double BELOW = 0.005;     /* a sample is below the floor if shorter by this … */
static const double BELOW_SHARE = 0.1; /* … and this share of the slow samples must be */
static const double SPREAD = 0.05; /* there is no floor if the median exceeds the best by this */
static const double DIFFER = 0.1;  /* calls differ if the mean exceeds the median by this */
static const double FAR = 1.5;     /* times the median: no state of the processor */
/*
 * The state of the machine (who else uses its caches, how often it is interrupted) shifts all
 * processes of an invocation alike, so their spread does not show it. For the best and the median
 * the shift was found to be a part of the way from the best to the median of undisturbed samples:
 * a small part if samples are short, since some escape every disturbance; all of it if they are
 * longer than some milliseconds. For the mean it is a part of the time itself.
 */
static const double BEST_DRIFT = 0.03, MEDIAN_DRIFT = 0.1, MEAN_DRIFT = 0.004;
static const double ESCAPES_NS = 2e6;
/* CPU time contains context switches and refilled caches, which depend on the other programs. */
static const double CPU_DRIFT = 0.005;
/* The cost of beginning and ending a sample that is not subtracted; found from other calls. */
static const double SAMPLE_COST_NS = 20;
static const double OUTLYING = 3;        /* standard deviations */
static const double NOTABLE_DOUBT = 0.1; /* of the call, in relation to the function */

/* --- the samples of one case as one value per process --- */

/* The samples of one process that count, sorted. */
struct pool {
	double *x;
	size_t n;
	double resolution_ns;
	double calls; /* per sample */
};

static bool belongs(const struct et_slice *s, bool old, unsigned process)
{
	return s->old == old && s->process == process && !s->error;
}

/* A first sample counts if it is the only one: calls that long are hardly affected by it. */
static bool counts(const struct et_slice *s, size_t i, const struct et_bench_method *m)
{
	/* If the last sample is a first one, too, there are no others: of one call, or one per
	 * thread. */
	unsigned bad = s->samples[s->n - 1].marks & ET_BENCH_FIRST ? 0 : ET_BENCH_FIRST;

	if (!m->by_cpu)
		bad |= ET_BENCH_PREEMPTED;
	if (!m->all_speeds)
		bad |= ET_BENCH_SLOW;
	return !(s->samples[i].marks & bad);
}

/* The time of a sample, with the cost of an empty call that holds for all processes. */
static double time_of(const struct et_slice *s, size_t i, const struct et_bench_method *m)
{
	double elapsed = s->samples[i].ns + s->empty_ns - m->empty_ns;

	if (m->cpu_wanted) {
		double cpu = s->samples[i].cpu_ns - m->empty_ns;

		/* A thread uses no more; the CPU's clock costs more to read than is subtracted. */
		return fmax(s->at_once > 0 ? cpu : fmin(cpu, elapsed), 0);
	}
	return m->by_cpu ? s->samples[i].cpu_ns : elapsed;
}

static void pool_process(const struct et_slices *s, unsigned process,
	const struct et_bench_method *m, struct pool *p)
{
	p->n = 0;
	p->resolution_ns = 0;
	p->calls = 1;
	for (size_t i = 0; i < s->n; i++) {
		const struct et_slice *l = &s->list[i];
		double tick = l->hz > 0 ? 1e9 / l->hz : 0;

		if (!belongs(l, s->old, process))
			continue;
		p->calls = l->calls ? (double)l->calls : 1;
		p->resolution_ns = fmax(p->resolution_ns, (tick + SAMPLE_COST_NS) / p->calls);
		for (size_t k = 0; k < l->n; k++)
			if (counts(l, k, m))
				p->x[p->n++] = time_of(l, k, m);
	}
	et_sort(p->x, p->n);
}

/* Returns room for all samples, which the caller frees. */
static double *slices_room(const struct et_slices *s)
{
	size_t n = 1;

	for (size_t i = 0; i < s->n; i++)
		n += s->list[i].n;
	return et_alloc(n * sizeof(double));
}

static unsigned processes(const struct et_slices *s)
{
	unsigned n = 0;

	for (size_t i = 0; i < s->n; i++)
		if (s->list[i].old == s->old && s->list[i].process >= n)
			n = s->list[i].process + 1;
	return n;
}

static double best_of(const struct pool *p)
{
	return et_quantile_sorted(p->x, p->n, BEST_RANK);
}

static double value_of(const struct pool *p, enum et_bench_statistic statistic)
{
	if (statistic == ET_BENCH_MEAN)
		return et_mean(p->x, p->n);
	return statistic == ET_BENCH_BEST ? best_of(p) : et_median_sorted(p->x, p->n);
}

static double drift_of(const struct pool *p, enum et_bench_statistic statistic)
{
	double median = et_median_sorted(p->x, p->n), reach = median - best_of(p);
	double part = statistic == ET_BENCH_BEST ? BEST_DRIFT : MEDIAN_DRIFT;
	double sample_ns = p->calls * median, escapes = ESCAPES_NS * ESCAPES_NS;
	/* The share of disturbances that a sample of this length cannot escape. */
	double unescaped = sample_ns * sample_ns / (sample_ns * sample_ns + escapes);

	if (statistic == ET_BENCH_MEAN)
		return MEAN_DRIFT * et_mean(p->x, p->n);
	return (part + (1 - part) * unescaped) * reach;
}

void et_bench_summarise(
	const struct et_slices *s, const struct et_bench_method *m, struct et_bench_summary *out)
{
	unsigned last = processes(s);
	ET_AUTO_FREE double *x = slices_room(s), *within = et_alloc((last + 1) * sizeof(*within));
	ET_AUTO_FREE double *drift = et_alloc((last + 1) * sizeof(*drift));
	struct pool p = { .x = x };
	size_t n = 0;

	*out = (struct et_bench_summary){ .within = NAN };
	out->ns = et_alloc((last + 1) * sizeof(*out->ns));
	out->process = et_alloc((last + 1) * sizeof(*out->process));
	for (unsigned i = 0; i < last; i++) {
		pool_process(s, i, m, &p);
		if (!p.n)
			continue;
		out->ns[out->n] = value_of(&p, m->statistic);
		out->process[out->n++] = i;
		out->resolution_ns = fmax(out->resolution_ns, p.resolution_ns);
		if (p.n < ENOUGH)
			continue;
		within[n] = et_sd(p.x, p.n) / et_mean(p.x, p.n);
		drift[n++] = drift_of(&p, m->statistic);
	}
	if (n) {
		out->within = et_median(within, n);
		out->drift_ns = et_median(drift, n);
	} else if (out->n) {
		/* With few samples per process, only the processes show how far the machine
		 * reaches. */
		ET_AUTO_FREE double *sorted = et_sorted_copy(out->ns, out->n);
		out->drift_ns = et_median_sorted(sorted, out->n) - sorted[0];
	}
	if (m->by_cpu && out->n)
		out->drift_ns = hypot(out->drift_ns, CPU_DRIFT * et_mean(out->ns, out->n));
}

void et_bench_summary_free(struct et_bench_summary *v)
{
	free(v->ns);
	free(v->process);
}

/* How many processes have enough samples that count by this method. */
static bool most_processes(const struct et_slices *s, const struct et_bench_method *m)
{
	unsigned last = processes(s), with = 0, all = 0;

	for (unsigned i = 0; i < last; i++) {
		size_t n = 0, counted = 0;

		for (size_t j = 0; j < s->n; j++) {
			const struct et_slice *l = &s->list[j];

			for (size_t k = 0; belongs(l, s->old, i) && k < l->n; k++) {
				n++;
				counted += counts(l, k, m);
			}
		}
		all += n > 0;
		with += counted && (counted >= ENOUGH || 2 * counted >= n);
	}
	return with >= (all > 1 ? 2 : 1) && 2 * with > all;
}

/* Evidence about the floor from the samples of all processes. */
struct floor {
	double reach;       /* (median - best) / best; NaN: too few samples */
	double excess;      /* (mean - median) / median */
	size_t slow, below; /* samples at reduced speed, and those below the floor */
};

static void count_below(const struct et_slices *s, unsigned process,
	const struct et_bench_method *m, double least, struct floor *f)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct et_slice *l = &s->list[i];

		for (size_t k = 0; belongs(l, s->old, process) && k < l->n; k++) {
			unsigned marks = l->samples[k].marks;

			if ((marks & (ET_BENCH_SLOW | ET_BENCH_PREEMPTED)) != ET_BENCH_SLOW)
				continue;
			f->slow++;
			f->below += time_of(l, k, m) < (1 - BELOW) * least;
		}
	}
}

/*
 * By how much the mean exceeds the median, relatively. In samples of many calls, two close speeds
 * are states of the processor; only far longer samples tell that some calls are longer.
 */
static double excess_of(const struct pool *p, double call_ns)
{
	double median = et_median_sorted(p->x, p->n), sum = 0;

	for (size_t i = 0; i < p->n; i++)
		if (p->calls < FEW_CALLS || p->x[i] + call_ns > FAR * (median + call_ns))
			sum += p->x[i] - median;
	return sum / (double)p->n / (median + call_ns);
}

/* Tests whether disturbances only lengthen the samples and all calls do the same work. */
static void test_floor(const struct et_slices *s, struct et_bench_method *m)
{
	unsigned last = processes(s), below_in = 0;
	ET_AUTO_FREE double *x = slices_room(s), *reach = et_calloc(last + 1, sizeof(*reach));
	ET_AUTO_FREE double *excess = et_calloc(last + 1, sizeof(*excess));
	struct pool p = { .x = x };
	struct floor f = { 0 };
	double call_ns = isnan(m->empty_ns) ? 0 : m->empty_ns;
	size_t n = 0;

	for (unsigned i = 0; i < last; i++) {
		size_t before = f.below;

		pool_process(s, i, m, &p);
		/* Where next to nothing is left of the loop or the call, so is of differences. */
		if (p.n < DISTINCT || !(p.x[0] > 0) || et_median_sorted(p.x, p.n) < 2 * m->doubt_ns)
			continue;
		if (!m->all_speeds && !m->by_cpu)
			count_below(s, i, m, p.x[0], &f);
		below_in += f.below > before;
		/* Of the whole time: without the call, next to nothing may be left. */
		reach[n] = (et_median_sorted(p.x, p.n) - best_of(&p)) / (best_of(&p) + call_ns);
		excess[n++] = excess_of(&p, call_ns);
	}
	if (!n)
		return;
	if (et_median(excess, n) > DIFFER) {
		m->statistic = ET_BENCH_MEAN;
		m->reason = ET_BENCH_CALLS_DIFFER;
	} else if (f.below >= BELOW_LEAST && below_in >= 2 && 3 * below_in >= n &&
		   (double)f.below >= BELOW_SHARE * (double)f.slow) {
		m->statistic = ET_BENCH_MEDIAN;
		m->reason = ET_BENCH_BELOW_FLOOR;
	} else if (et_median(reach, n) > SPREAD) {
		m->statistic = ET_BENCH_MEDIAN;
		m->reason = ET_BENCH_NO_FLOOR;
	}
}

static void find_empty_cost(const struct et_slices *s, struct et_bench_method *m)
{
	ET_AUTO_FREE double *x = et_alloc((s->n + 1) * sizeof(*x));
	ET_AUTO_FREE double *doubt = et_alloc((s->n + 1) * sizeof(*doubt));
	size_t n = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->list[i].old != s->old || s->list[i].error)
			continue;
		doubt[n] = s->list[i].empty_uncertainty_ns;
		x[n++] = s->list[i].empty_ns;
	}
	struct et_location l = et_locate_cautiously(x, n, INFINITY);
	m->empty_ns = n ? l.at : 0;
	m->empty_uncertainty_ns = n > 1 ? l.se : 0;
	/* The median: the call is slow in some processes. */
	m->doubt_ns = n ? et_median(doubt, n) : 0;
}

struct et_bench_method et_bench_method_choose(const struct et_slices *s, unsigned flags)
{
	struct et_bench_method m = { .statistic = ET_BENCH_BEST };
	unsigned asked = flags >> ET_BENCH_ASKED_SHIFT;

	find_empty_cost(s, &m);
	m.all_speeds = !most_processes(s, &m);
	m.by_cpu = m.all_speeds && !most_processes(s, &m);
	if (asked || flags & ETALON_BENCH_CALLS_DIFFER) {
		m.statistic = asked ? (enum et_bench_statistic)(asked - 1) : ET_BENCH_MEAN;
		m.reason = ET_BENCH_ASKED;
		return m;
	}
	test_floor(s, &m);
	return m;
}

struct et_bench_method et_bench_method_join(
	const struct et_bench_method *a, const struct et_bench_method *b)
{
	struct et_bench_method m = b->statistic > a->statistic ? *b : *a;

	m.all_speeds = a->all_speeds || b->all_speeds;
	m.by_cpu = a->by_cpu || b->by_cpu;
	m.empty_ns = (a->empty_ns + b->empty_ns) / 2;
	return m;
}

/* --- where the values lie --- */

struct et_location et_locate(const double *x, size_t n)
{
	struct et_location l = { .at = NAN, .se = NAN, .df = NAN, .sd = NAN };
	size_t cut = n / 5, kept = n - 2 * cut;

	if (!n)
		return l;
	ET_AUTO_FREE double *w = et_sorted_copy(x, n);
	l.at = et_mean(w + cut, kept);
	l.sd = et_sd(w, n);
	for (size_t i = 0; i < cut; i++) {
		w[i] = w[cut];
		w[n - 1 - i] = w[n - 1 - cut];
	}
	l.se = et_sd(w, n) * sqrt((double)(n - 1) / (double)(kept * (kept - 1)));
	l.df = (double)kept - 1;
	return l;
}

struct et_location et_locate_cautiously(const double *x, size_t n, double reach)
{
	struct et_location l = et_locate(x, n);
	ET_AUTO_FREE double *w = et_alloc((n + 1) * sizeof(*w));

	for (size_t i = 0; i < n; i++)
		w[i] = fmin(fmax(x[i], l.at - reach), l.at + reach);
	double se = et_sd(w, n) / sqrt((double)n);
	if (se > l.se) {
		l.se = se;
		l.df = (double)n - 1;
	}
	return l;
}

/* Degrees of freedom of the sum of two errors (Welch, Satterthwaite), each with its own. */
static double welch_df(double u, double df_u, double w, double df_w)
{
	double a = u * u, b = w * w;

	return a + b > 0 ? (a + b) * (a + b) / (a * a / df_u + b * b / df_w) : fmin(df_u, df_w);
}

/* The same for a part se of u, with df; the rest of u is known as well as by ten values. */
static double combined_df(double se, double df, double u)
{
	return welch_df(se, df, sqrt(fmax(u * u - se * se, 0)), EXPERIENCE_DF);
}

/* --- the estimate --- */

/* Collects every sample, whatever its marks: the figures omit none. The caller frees them. */
static double *collect(const struct et_slices *s, struct et_bench_estimate *e)
{
	double *x = slices_room(s);

	for (size_t i = 0; i < s->n; i++) {
		const struct et_slice *l = &s->list[i];

		if (l->old != s->old || l->error)
			continue;
		/* Whether the call matters is judged by all slices together. */
		e->warnings |= l->warnings & ~(unsigned)ETALON_WARNING_OVERHEAD;
		for (size_t j = 0; j < l->n; j++) {
			x[e->n++] = l->samples[j].ns;
			e->preempted += (l->samples[j].marks & ET_BENCH_PREEMPTED) != 0;
			e->slow += (l->samples[j].marks & ET_BENCH_SLOW) != 0;
		}
	}
	return x;
}

static void describe(double *x, struct et_bench_estimate *e)
{
	e->mean_ns = et_mean(x, e->n);
	e->sd_ns = et_sd(x, e->n);
	et_sort(x, e->n);
	e->min_ns = x[0];
	e->p10_ns = et_quantile_sorted(x, e->n, 0.1);
	e->q1_ns = et_quantile_sorted(x, e->n, 0.25);
	e->median_ns = et_median_sorted(x, e->n);
	e->q3_ns = et_quantile_sorted(x, e->n, 0.75);
	e->p90_ns = et_quantile_sorted(x, e->n, 0.9);
	e->p99_ns = et_quantile_sorted(x, e->n, 0.99);
	e->max_ns = x[e->n - 1];
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
	l.df = combined_df(l.se, l.df, u);
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

	*out = (struct et_bench_estimate){ .ns = NAN };
	ET_AUTO_FREE double *x = collect(&s, out);
	if (out->n) {
		struct et_bench_method m = et_bench_method_choose(&s, flags);

		describe(x, out);
		estimate(&s, &m, level, out);
	}
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
		welch_df(u, combined_df(l.se, l.df, u), w, combined_df(k.se, k.df, w)),
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
