/* SPDX-License-Identifier: MIT */
/*
 * The thresholds below were found from the raw samples of many hundred processes; doc/benchmarks.md
 * describes how, and "etalon lab kbest-coverage" checks what they promise.
 */
#include "base/alloc.h"
#include "lib/bench/judge.h"
#include "num/moments.h"
#include "num/quantile.h"

#include <math.h>

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

static void add(struct pool *p, const struct et_slice *s, const struct et_bench_method *m)
{
	double calls = s->calls ? (double)s->calls : 1, tick = s->hz > 0 ? 1e9 / s->hz : 0;

	p->resolution_ns = fmax(p->resolution_ns, (tick + SAMPLE_COST_NS) / calls);
	p->calls = calls;
	for (size_t i = 0; i < s->n; i++)
		if (counts(s, i, m))
			p->x[p->n++] = time_of(s, i, m);
}

static void pool_process(const struct et_slices *s, unsigned process,
	const struct et_bench_method *m, struct pool *p)
{
	p->n = 0;
	p->resolution_ns = 0;
	p->calls = 1;
	for (size_t i = 0; i < s->n; i++)
		if (belongs(&s->list[i], s->old, process))
			add(p, &s->list[i], m);
	et_sort(p->x, p->n);
}

double *et_slices_room(const struct et_slices *s)
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

/* The share of disturbances that a sample of this length cannot escape. */
static double unescaped(double sample_ns)
{
	return sample_ns * sample_ns / (sample_ns * sample_ns + ESCAPES_NS * ESCAPES_NS);
}

static double drift_of(const struct pool *p, enum et_bench_statistic statistic)
{
	double median = et_median_sorted(p->x, p->n), reach = median - best_of(p);
	double part = statistic == ET_BENCH_BEST ? BEST_DRIFT : MEDIAN_DRIFT;

	if (statistic == ET_BENCH_MEAN)
		return MEAN_DRIFT * et_mean(p->x, p->n);
	return (part + (1 - part) * unescaped(p->calls * median)) * reach;
}

/* With one or two samples per process, only the processes show how far the machine reaches. */
static double drift_between(const struct et_bench_summary *v)
{
	ET_AUTO_FREE double *x = et_sorted_copy(v->ns, v->n);

	return et_median_sorted(x, v->n) - x[0];
}

void et_bench_summarise(
	const struct et_slices *s, const struct et_bench_method *m, struct et_bench_summary *out)
{
	unsigned last = processes(s);
	ET_AUTO_FREE double *x = et_slices_room(s),
			    *within = et_alloc((last + 1) * sizeof(*within));
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
		out->drift_ns = drift_between(out);
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
 * By how much the mean exceeds the median, relatively. In samples of many calls, two speeds that
 * are close to each other are states of the processor; only samples that are far longer tell that
 * some of the calls are.
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
	ET_AUTO_FREE double *x = et_slices_room(s), *reach = et_calloc(last + 1, sizeof(*reach));
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
	double se;

	for (size_t i = 0; i < n; i++)
		w[i] = fmin(fmax(x[i], l.at - reach), l.at + reach);
	se = et_sd(w, n) / sqrt((double)n);
	if (se > l.se) {
		l.se = se;
		l.df = (double)n - 1;
	}
	return l;
}

double et_welch_df(double u, double df_u, double w, double df_w)
{
	double a = u * u, b = w * w;

	return a + b > 0 ? (a + b) * (a + b) / (a * a / df_u + b * b / df_w) : fmin(df_u, df_w);
}

double et_combined_df(double se, double df, double u)
{
	return et_welch_df(se, df, sqrt(fmax(u * u - se * se, 0)), EXPERIENCE_DF);
}
