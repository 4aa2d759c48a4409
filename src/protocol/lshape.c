/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "protocol/lshape.h"
#include "base/doubles.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "num/rank.h"
#include "num/student.h"

static const double ALONE = 1e-4, WITH_CULPRIT = 0.02, DOUBTFUL = 0.005;
static const double INFREQUENT = 0.05, OFTEN = 0.25; /* shares of the samples */
static const double SMALL_SHARE = 0.1;               /* of a sample's distance */

/* --- where the cluster ends --- */

static void spread_ties(double *sorted, size_t n, double step)
{
	for (size_t i = 0, end; i < n; i = end) {
		double value = sorted[i];
		for (end = i; end < n && sorted[end] == value; end++)
			;
		for (size_t k = i; k < end; k++)
			sorted[k] =
				value + step * (((double)(k - i) + 0.5) / (double)(end - i) - 0.5);
	}
}

double et_lshape_bound(const double *values, size_t n, double step, double probability)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(values, n);
	double floor_ms = fmax(step, 1e-6 * et_median_sorted(sorted, n));

	if (step > 0)
		spread_ties(sorted, n, step);
	for (size_t i = (n + 1) / 2; i < n; i++) {
		size_t k = (size_t)lround(sqrt((double)i));
		k = k < 3 ? 3 : k;
		double excess = 0; /* of the largest k over the next smaller value */
		for (size_t j = i - k; j < i; j++)
			excess += sorted[j] - sorted[i - k - 1];
		double tail = fmax(excess / (double)k, floor_ms);
		double most = (double)k * (pow(probability, -1 / (double)k) - 1);
		if (sorted[i] - sorted[i - 1] > most * tail)
			return (sorted[i] + sorted[i - 1]) / 2;
	}
	return INFINITY;
}

/* --- daemons in the cluster --- */

struct et_central *et_central_figures(
	const struct et_daemon_run *run, size_t n_names, const bool *out)
{
	struct et_central *all = et_calloc(n_names + 1, sizeof(*all));
	ET_AUTO_FREE struct et_welford *times = et_calloc(n_names + 1, sizeof(*times));

	for (size_t i = 0; i < run->n_listed; i++) {
		const struct et_daemon_sample *w = &run->listed[i];
		for (size_t k = 0; !out[i] && k < w->n; k++) {
			const struct et_execution *x = &run->executions[w->first + k];
			uint32_t name = x->name;
			et_welford_add(&times[name], x->ms);
			all[name].max_ms = fmax(all[name].max_ms, x->ms);
		}
	}
	for (uint32_t name = 0; name < n_names; name++) {
		all[name].name = name;
		if (times[name].n < 1)
			all[name].max_ms = all[name].sd_ms = NAN;
		else if (times[name].n > 1)
			all[name].sd_ms = sqrt(times[name].squares / (times[name].n - 1));
	}
	return all;
}

bool et_is_long_running(const struct et_daemon_look *l, const struct et_central *central,
	const struct et_daemon_sample *w, const struct et_execution *x)
{
	double stretch = l->usual_ms > 0 ? fmax(1, w->elapsed_ms / l->usual_ms) : 1;
	bool stray = l->run->whole && l->run->samples < ET_LSHAPE_MANY &&
		     x->ms < SMALL_SHARE * (w->elapsed_ms - l->usual_ms);
	bool absent = !central || isnan(central->max_ms);

	if (stray || x->ms < l->floor_ms || et_daemon_nameless(l->r->names[x->name]))
		return false;
	return x->ms > (absent ? 0 : stretch * (central->max_ms + 2 * central->sd_ms));
}

/* --- the shape of the cluster --- */

/* Spearman's coefficient: the correlation of the ranks, which a few far values do not decide. */
static double rank_correlation(const double *x, const double *y, size_t n)
{
	ET_AUTO_FREE double *a = et_calloc(n + 1, sizeof(*a));
	ET_AUTO_FREE double *b = et_calloc(n + 1, sizeof(*b));
	double mean = ((double)n + 1) / 2, xy = 0, xx = 0, yy = 0;

	et_rank(x, n, a);
	et_rank(y, n, b);
	for (size_t i = 0; i < n; i++) {
		xy += (a[i] - mean) * (b[i] - mean);
		xx += (a[i] - mean) * (a[i] - mean);
		yy += (b[i] - mean) * (b[i] - mean);
	}
	return xx > 0 && yy > 0 ? xy / sqrt(xx * yy) : NAN;
}

static void correlate(const struct et_daemon_run *run, const bool *far, struct et_cluster_shape *s)
{
	ET_AUTO_FREE double *x = et_calloc(run->n_listed + 1, sizeof(*x));
	ET_AUTO_FREE double *y = et_calloc(run->n_listed + 1, sizeof(*y));

	for (size_t i = 0; i + 1 < run->n_listed; i++) {
		if (!et_daemon_pair(run, i) || far[i] || far[i + 1])
			continue;
		x[s->pairs] = run->listed[i].elapsed_ms;
		y[s->pairs++] = run->listed[i + 1].elapsed_ms;
	}
	if (s->pairs < ET_CLUSTER_PAIRS)
		return;
	double r = rank_correlation(x, y, s->pairs), df = (double)s->pairs - 2;
	s->correlation = r;
	/* The t distribution fits Spearman's coefficient well from ten pairs on (Zar 1972). */
	s->correlation_p = isnan(r) ? NAN : et_pt_two_sided(r * sqrt(df / (1 - r * r)), df);
}

/* The elapsed times in the cluster, *n of them. The caller frees them. */
static double *cluster_times(const struct et_daemon_run *run, const bool *far, size_t *n)
{
	double *x = et_calloc(run->n_listed + 1, sizeof(*x));

	*n = 0;
	for (size_t i = 0; i < run->n_listed; i++) {
		if (!far[i])
			x[(*n)++] = run->listed[i].elapsed_ms;
	}
	return x;
}

double et_cluster_spread(const struct et_daemon_run *run, const bool *far)
{
	size_t n;
	ET_AUTO_FREE double *x = cluster_times(run, far, &n);

	double median = et_median(x, n);
	return n > 1 && median > 0 ? et_sd(x, n) / median : NAN;
}

struct et_cluster_shape et_cluster_shape_of(const struct et_daemon_run *run, const bool *far)
{
	struct et_cluster_shape s = {
		.skewness_z = NAN, .skewness_p = NAN, .correlation = NAN, .correlation_p = NAN
	};
	size_t n;
	ET_AUTO_FREE double *x = cluster_times(run, far, &n);

	if (n >= ET_CLUSTER_SAMPLES) {
		struct et_triples t = et_triples_test(x, n);
		s.skewness_z = t.z;
		/* The normal distribution would find 3 % of 20 symmetric values skewed at 0.5 %. */
		s.skewness_p = et_pt_two_sided(t.z, (double)n / 6);
	}
	correlate(run, far, &s);
	s.tested = !isnan(s.skewness_p) || !isnan(s.correlation_p);
	s.symmetric = s.tested && !(s.skewness_p < ET_CLUSTER_LEVEL) &&
		      !(s.correlation_p < ET_CLUSTER_LEVEL);
	return s;
}

/* --- how often a daemon comes --- */

enum { QUARTERS = 4 };

/* The visits of a daemon, counted in the order of the samples. */
struct visits {
	size_t next; /* the place after the last sample in which it ran, 0: none */
	size_t samples, visits;
	bool in[QUARTERS]; /* a visit began in this quarter of the run */
};

static void see(struct visits *v, const struct et_daemon_run *run, size_t place)
{
	if (v->next == place + 1)
		return;
	if (!v->next || v->next != place || !et_daemon_successive(run, place - 1)) {
		v->visits++;
		v->in[QUARTERS * place / run->n_listed] = true;
	}
	v->samples++;
	v->next = place + 1;
}

static bool is_frequent(const struct visits *v, size_t n)
{
	if ((double)v->samples > OFTEN * (double)n)
		return true;
	for (int i = 0; i < QUARTERS; i++) {
		if (!v->in[i])
			return false;
	}
	return (double)v->visits > INFREQUENT * (double)n;
}

/* --- which daemon is to blame --- */

/* Elapsed time, CPU time, and elapsed time less that of the partner in the pair. */
enum { MEASURES = 3, IN_PAIR = 2 };

struct finder {
	const struct et_daemon_record *r;
	const struct et_daemon_run *run;
	size_t n;
	double floor_ms;
	double *times[MEASURES];
	double median[MEASURES], bound[MEASURES], near_bound[MEASURES];
	bool by_pairs; /* the third is used */
	bool *near;    /* beyond the lower of the two bounds in one of the times */
	bool *far, *explained;
	bool *frequent; /* one per name; the last one is of samples that no daemon explains */
	struct et_central *central;
};

static bool is_long_running(
	const struct finder *f, const struct et_daemon_sample *w, const struct et_execution *x)
{
	const struct et_daemon_look l = { f->r, f->run, f->floor_ms, f->median[0] };

	return et_is_long_running(&l, &f->central[x->name], w, x);
}

/* Returns the long-running time of frequent daemons in a sample, or that of all others. */
static double blamed_ms(const struct finder *f, const struct et_daemon_sample *w, bool frequent)
{
	double sum = 0;

	for (size_t k = 0; k < w->n; k++) {
		const struct et_execution *x = &f->run->executions[w->first + k];
		if (f->frequent[x->name] == frequent && is_long_running(f, w, x))
			sum += x->ms;
	}
	return sum;
}

/*
 * The distance of a sample from the median is divided among the daemons that were long-running in
 * it, by their times. If these are less than half of the distance, nobody is to blame for the rest.
 * The parts of frequent daemons, and that of nobody if it is frequent, do not count.
 */
static void judge(struct finder *f, size_t i)
{
	double blamed = blamed_ms(f, &f->run->listed[i], false);
	double frequent = blamed_ms(f, &f->run->listed[i], true);

	f->far[i] = f->explained[i] = false;
	for (int m = 0; m < (f->by_pairs ? MEASURES : IN_PAIR); m++) {
		double distance = f->times[m][i] - f->median[m];
		if (!(distance > 0))
			continue;
		double known = blamed + frequent;
		double nobody = known < distance / 2 ? distance - known : 0;
		double counts = blamed + (f->frequent[f->r->n_names] ? 0 : nobody);
		double part = distance * counts / (known + nobody);
		bool to_blame = part > f->near_bound[m] - f->median[m] && blamed >= part / 2;
		f->far[i] = f->far[i] || to_blame || part > f->bound[m] - f->median[m];
		f->explained[i] = f->explained[i] || to_blame;
	}
}

static void judge_all(struct finder *f)
{
	for (size_t i = 0; i < f->n; i++)
		judge(f, i);
}

/* The samples beyond the lower bound of a measure. */
static void add_near(struct finder *f, int m)
{
	for (size_t i = 0; i < f->n; i++)
		f->near[i] = f->near[i] || f->times[m][i] > f->near_bound[m];
}

/* A gap above which there are many samples is a jump of the baseline, not the cluster's end. */
static void forget_jump(struct finder *f, int m)
{
	size_t beyond = 0;

	for (size_t i = 0; i < f->n; i++)
		beyond += f->times[m][i] > f->bound[m];
	if ((double)beyond > OFTEN * (double)f->n)
		f->bound[m] = f->near_bound[m] = INFINITY;
}

static void find_bounds(struct finder *f)
{
	struct et_cluster_shape s = { .correlation_p = NAN };

	for (int m = 0; m < IN_PAIR; m++) {
		f->times[m] = et_calloc(f->n, sizeof(double));
		for (size_t i = 0; i < f->n; i++)
			f->times[m][i] =
				m ? f->run->listed[i].cpu_ms : f->run->listed[i].elapsed_ms;
		ET_AUTO_FREE double *sorted = et_sorted_copy(f->times[m], f->n);
		f->median[m] = et_median_sorted(sorted, f->n);
		f->bound[m] = et_lshape_bound(f->times[m], f->n, f->r->step_ms, ALONE);
		f->near_bound[m] = f->bound[m];
	}
	/* If the two times of a pair are alike, the baseline drifts. */
	correlate(f->run, f->near, &s);
	f->by_pairs = s.correlation > 0 && s.correlation_p < ET_CLUSTER_LEVEL;
	if (!f->by_pairs)
		f->near_bound[0] = et_lshape_bound(f->times[0], f->n, f->r->step_ms,
			f->n < ET_LSHAPE_MANY ? DOUBTFUL : WITH_CULPRIT);
	for (int m = 0; f->by_pairs && m < IN_PAIR; m++)
		forget_jump(f, m);
	add_near(f, 0);
	add_near(f, 1);
}

/* A baseline that drifts or jumps makes the two times of a pair alike. */
static void look_at_pairs(struct finder *f)
{
	double *apart = et_calloc(f->n, sizeof(double));

	f->times[IN_PAIR] = apart;
	for (size_t i = 0; i + 1 < f->n; i++) {
		if (!et_daemon_pair(f->run, i))
			continue;
		apart[i] = f->times[0][i] - f->times[0][i + 1];
		apart[i + 1] = -apart[i];
	}
	f->bound[IN_PAIR] = INFINITY;
	if (!f->by_pairs)
		return;
	f->near_bound[IN_PAIR] = et_lshape_bound(apart, f->n, f->r->step_ms, DOUBTFUL);
	add_near(f, IN_PAIR);
}

/* Counts the daemons to blame in far samples; entry n_names counts samples that none explains. */
static struct visits *count_blamed(const struct finder *f)
{
	size_t nobody = f->r->n_names;
	struct visits *all = et_calloc(nobody + 1, sizeof(*all));

	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		if (f->far[i] && !f->explained[i])
			see(&all[nobody], f->run, i);
		for (size_t k = 0; f->explained[i] && k < w->n; k++) {
			const struct et_execution *x = &f->run->executions[w->first + k];
			if (is_long_running(f, w, x))
				see(&all[x->name], f->run, i);
		}
	}
	return all;
}

/* A daemon that is never to blame is frequent, too, if it comes often. */
static void add_everyday(const struct finder *f, const struct visits *blamed)
{
	ET_AUTO_FREE struct visits *all = et_calloc(f->r->n_names + 1, sizeof(*all));

	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		for (size_t k = 0; k < w->n; k++)
			see(&all[f->run->executions[w->first + k].name], f->run, i);
	}
	for (size_t name = 0; name < f->r->n_names; name++) {
		if (!blamed[name].samples && is_frequent(&all[name], f->n))
			f->frequent[name] = true;
	}
}

/* --- the ends of visits --- */

/* True if an infrequent daemon that is to blame for the far sample is long-running in the other. */
static bool shares_visit(const struct finder *f, size_t i, size_t far)
{
	const struct et_daemon_sample *w = &f->run->listed[i], *v = &f->run->listed[far];

	for (size_t k = w->first; f->explained[far] && k < w->first + w->n; k++) {
		const struct et_execution *x = &f->run->executions[k];
		if (f->frequent[x->name] || !is_long_running(f, w, x))
			continue;
		for (size_t j = v->first; j < v->first + v->n; j++) {
			const struct et_execution *y = &f->run->executions[j];
			if (y->name == x->name && is_long_running(f, v, y))
				return true;
		}
	}
	return false;
}

/*
 * A visit begins and ends within a sample, which may have so little of it that the sample stays in
 * the cluster. Such a sample becomes an L-sample if the daemon's time in it is above its figures in
 * the rest of the cluster: without the samples beside L-samples, which would be their own measure.
 */
static void add_ends(struct finder *f)
{
	ET_AUTO_FREE bool *out = et_calloc(f->n + 1, sizeof(*out));
	ET_AUTO_FREE bool *was_far = et_calloc(f->n + 1, sizeof(*was_far));
	ET_AUTO_FREE bool *edge = et_calloc(f->n + 1, sizeof(*edge)); /* the first of each two */

	for (size_t i = 0; i < f->n; i++)
		out[i] = was_far[i] = f->far[i];
	for (size_t i = 0; i + 1 < f->n; i++) {
		edge[i] = was_far[i] != was_far[i + 1] && et_daemon_successive(f->run, i);
		if (edge[i])
			out[i] = out[i + 1] = true;
	}
	free(f->central);
	f->central = et_central_figures(f->run, f->r->n_names, out);
	for (size_t i = 0; i < f->n; i++) {
		size_t end = was_far[i] ? i + 1 : i;
		if (edge[i] && shares_visit(f, end, was_far[i] ? i : i + 1))
			f->far[end] = f->explained[end] = true;
	}
}

/* --- samples that nobody explains --- */

static bool *find_nobodys(const struct finder *f)
{
	bool *all = et_calloc(f->n + 1, sizeof(*all));

	for (size_t i = 0; i < f->n; i++)
		all[i] = f->far[i] && !f->explained[i];
	return all;
}

/* Counts for each name the samples in which it ran for at least as long as can be resolved. */
static struct et_in_common *count_in_common(const struct finder *f, const bool *unexplained)
{
	struct et_in_common *all = et_calloc(f->r->n_names + 1, sizeof(*all));
	ET_AUTO_FREE size_t *last = et_calloc(f->r->n_names + 1, sizeof(*last));

	for (size_t i = 0; i < f->n; i++) {
		const struct et_daemon_sample *w = &f->run->listed[i];
		for (size_t k = w->first; k < w->first + w->n; k++) {
			const struct et_execution *x = &f->run->executions[k];
			if (x->cpu_ms < f->floor_ms || last[x->name] == i + 1)
				continue;
			last[x->name] = i + 1;
			all[x->name].unexplained += unexplained[i];
			all[x->name].others += !unexplained[i];
		}
	}
	return all;
}

/*
 * Finds the process that is in more of the unexplained samples than of the others, by more than
 * half of the samples.
 */
static void find_common(
	const struct finder *f, const bool *unexplained, struct et_run_findings *out)
{
	ET_AUTO_FREE struct et_in_common *all = count_in_common(f, unexplained);
	double best = 0.5;

	for (uint32_t name = 0; name < f->r->n_names; name++) {
		double more = (double)all[name].unexplained / (double)out->unexplained -
			      (double)all[name].others / (double)(f->n - out->unexplained + 1);
		if (!(more > best) || et_daemon_nameless(f->r->names[name]))
			continue;
		best = more;
		out->common = all[name];
		out->common.name = name;
	}
}

void et_lshape_find(const struct et_daemon_record *r, const struct et_daemon_run *run,
	double floor_ms, struct et_run_findings *out)
{
	struct finder f = { .r = r, .run = run, .n = run->n_listed, .floor_ms = floor_ms };

	f.near = et_calloc(f.n, sizeof(*f.near));
	f.far = et_calloc(f.n, sizeof(*f.far));
	f.explained = et_calloc(f.n, sizeof(*f.explained));
	f.frequent = et_calloc(r->n_names + 1, sizeof(*f.frequent));
	find_bounds(&f);
	look_at_pairs(&f);
	f.central = et_central_figures(run, r->n_names, f.near);
	judge_all(&f);
	ET_AUTO_FREE bool *before = find_nobodys(&f);
	ET_AUTO_FREE struct visits *blamed = count_blamed(&f);
	for (size_t name = 0; name <= r->n_names; name++)
		f.frequent[name] = is_frequent(&blamed[name], f.n);
	judge_all(&f);
	add_ends(&f);
	add_everyday(&f, blamed);
	out->far = f.far;
	out->explained = f.explained;
	out->frequent = f.frequent;
	out->by_pairs = f.by_pairs;
	out->spoils = et_calloc(r->n_names + 1, sizeof(*out->spoils));
	for (size_t name = 0; name < r->n_names; name++)
		out->spoils[name] = f.frequent[name] ? (uint32_t)blamed[name].samples : 0;
	for (size_t i = 0; i < f.n; i++)
		out->n_far += f.far[i];
	/* A frequent cause took its samples into the cluster: those before that count. */
	ET_AUTO_FREE bool *now = find_nobodys(&f);
	const bool *unexplained = f.frequent[r->n_names] ? before : now;
	for (size_t i = 0; i < f.n; i++)
		out->unexplained += unexplained[i];
	if (out->unexplained)
		find_common(&f, unexplained, out);
	free(f.near);
	free(f.central);
	for (int m = 0; m < MEASURES; m++)
		free(f.times[m]);
}
