/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/fleet/versions.h"
#include "stats/series/interval.h"

enum {
	UNITS = 10, /* parts of a version that are exchanged; as many as its blocks, at least */
	PERMUTATIONS = 1999, /* the smallest p is 1/2000: 45 pairs still find it by Holm */
};

static const double level = 0.95;

/* --- intervals --- */

/* The variance of log(sd): half of that of s^2 / sigma^2, squared, by the delta method. */
static double log_sd_variance(const struct et_precision *p)
{
	double n = (double)p->n, normal = 1 / (2 * (n - 1));

	return fmax((p->kurtosis - (n - 3) / (n - 1)) / (4 * n), normal);
}

double et_sd_df(const struct et_precision *p)
{
	return p->n < 2 ? NAN : 1 / (2 * log_sd_variance(p));
}

static double log_error_variance(const struct et_precision *p)
{
	double n = (double)p->n, normal = 1 / (2 * (n - 1)), e = p->relative_error;

	return fmax(log_sd_variance(p) + e * (e - p->skewness) / n, normal);
}

double et_relative_error_df(const struct et_precision *p)
{
	return p->n < 2 ? NAN : 1 / (2 * log_error_variance(p));
}

static struct et_version_limits limits_of(const struct et_precision *p)
{
	struct et_interval sd = et_spread_interval(p->sd, et_sd_df(p), level);
	struct et_interval error =
		et_spread_interval(p->relative_error, et_relative_error_df(p), level);

	return (struct et_version_limits){ sd.lo, sd.hi, error.lo, error.hi };
}

/* The mean of the relative errors, whose variances are added. */
static void fill_average(struct et_versions *v, enum et_version version, enum et_metric m)
{
	double sum = 0, variance = 0, n = 0;

	for (size_t i = 0; i < v->n; i++) {
		const struct et_precision *p = &v->tasks[i].list[version].by[m];
		if (!et_versions_averages(v, &v->tasks[i], m))
			continue;
		sum += p->relative_error;
		variance += p->relative_error * p->relative_error * log_error_variance(p);
		n++;
	}
	struct et_interval mean = et_spread_interval(sum / n, sum * sum / (2 * variance), level);
	v->average[m][version].lo = mean.lo;
	v->average[m][version].hi = mean.hi;
}

/* --- two versions --- */

/* Sums over some runs of one length; the times are divided by their median, less 1. */
struct sums {
	double n, first, second;
};

static void add(struct sums *to, const struct sums *more)
{
	to->n += more->n;
	to->first += more->first;
	to->second += more->second;
}

static void add_run(struct sums *to, double d)
{
	add(to, &(struct sums){ 1, d, d * d });
}

/* log(sd / mean), for equal times that of a very small one. */
static double log_error(const struct sums *s)
{
	double mean = s->first / s->n, variance = (s->second - s->n * mean * mean) / (s->n - 1);

	return log(fmax(sqrt(fmax(variance, 0)) / (1 + mean), 1e-12));
}

static const struct et_version_runs *runs_of(
	const struct et_version_task *t, enum et_version version, enum et_metric m)
{
	return &t->list[version].compared[m];
}

/* Times over their median, less 1. Caller frees. */
static double *centred(const struct et_version_runs *r)
{
	double *d = et_sorted_copy(r->x, r->n), median = et_median_sorted(d, r->n);

	for (size_t i = 0; i < r->n; i++)
		d[i] = r->x[i] / median - 1;
	return d;
}

struct comparison {
	const struct et_version_task **tasks; /* over which relative errors are averaged */
	size_t n;
	enum et_metric m;
	enum et_version a, b;
	struct et_rng rng;
};

/* Whether the runs of `part` are among those of `whole`: both in the order of measuring. */
static bool is_part(const struct comparison *c, enum et_version part, enum et_version whole)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct et_version_runs *x = runs_of(c->tasks[i], part, c->m);
		const struct et_version_runs *y = runs_of(c->tasks[i], whole, c->m);
		size_t at = 0;
		if (c->tasks[i]->list[part].env != c->tasks[i]->list[whole].env)
			return false;
		for (size_t k = 0; k < y->n && at < x->n; k++)
			at += y->x[k] == x->x[at];
		if (at < x->n)
			return false;
	}
	return true;
}

static size_t fewest_runs(const struct comparison *c, enum et_version version)
{
	size_t least = SIZE_MAX;

	for (size_t i = 0; i < c->n; i++) {
		size_t n = runs_of(c->tasks[i], version, c->m)->n;
		least = n < least ? n : least;
	}
	return least;
}

/* The observed figure is one of those that could have been, so p is never 0. */
static double share_as_far(size_t as_far)
{
	return (double)(1 + as_far) / (1 + PERMUTATIONS);
}

static bool is_as_far(double drawn, double observed)
{
	return fabs(drawn) >= fabs(observed) * (1 - 1e-9);
}

/* --- versions with different runs --- */

/* The sums of each unit and task, units of both versions: [unit * tasks + task]. */
static void fill_units(
	const struct comparison *c, enum et_version version, size_t units, struct sums *out)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct et_version_runs *r = runs_of(c->tasks[i], version, c->m);
		ET_AUTO_FREE double *d = centred(r);
		for (size_t k = 0; k < r->n; k++)
			add_run(&out[k * units / r->n * c->n + i], d[k]);
	}
}

/* The difference of the mean log(relative error), if the first n_a of these units are version a. */
static double difference(const struct comparison *c, const struct sums *units,
	const struct sums *all, const uint32_t *order, size_t n_a)
{
	double sum = 0;

	for (size_t i = 0; i < c->n; i++) {
		struct sums a = { 0 };
		for (size_t k = 0; k < n_a; k++)
			add(&a, &units[order[k] * c->n + i]);
		struct sums b = { all[i].n - a.n, all[i].first - a.first,
			all[i].second - a.second };
		sum += log_error(&a) - log_error(&b);
	}
	return sum / (double)c->n;
}

static void exchange(struct comparison *c, struct et_version_pair *out)
{
	size_t a = fewest_runs(c, c->a), b = fewest_runs(c, c->b), least = a < b ? a : b;
	size_t units = least < UNITS ? least : UNITS;
	/* Units of both versions have about the same number of runs. */
	size_t n_a = a * units / least, n_b = b * units / least, n = n_a + n_b, as_far = 0;
	ET_AUTO_FREE struct sums *sums = et_calloc(n * c->n + 1, sizeof(*sums));
	ET_AUTO_FREE struct sums *all = et_calloc(c->n + 1, sizeof(*all));
	ET_AUTO_FREE uint32_t *order = et_calloc(n + 1, sizeof(*order));

	fill_units(c, c->a, n_a, sums);
	fill_units(c, c->b, n_b, sums + n_a * c->n);
	for (size_t i = 0; i < n; i++)
		order[i] = (uint32_t)i;
	for (size_t i = 0; i < n * c->n; i++)
		add(&all[i % c->n], &sums[i]);
	double observed = difference(c, sums, all, order, n_a);
	for (int i = 0; i < PERMUTATIONS; i++) {
		et_shuffle(&c->rng, order, n, sizeof(uint32_t));
		as_far += is_as_far(difference(c, sums, all, order, n_a), observed);
	}
	out->ratio = exp(observed);
	out->p = share_as_far(as_far);
}

/* --- a version whose runs are some of the other's --- */

/* For one task: the runs that the check chose, or as many that are drawn. d: the whole, centred. */
static double part_difference(struct comparison *c, const struct et_version_runs *part,
	const struct et_version_runs *whole, const double *d, bool drawn)
{
	struct sums some = { 0 }, all = { 0 };
	size_t left = part->n;

	for (size_t k = 0; k < whole->n; k++) {
		/* A draw without replacement takes each run with the share that is still left. */
		bool take = drawn ? et_rng_below(&c->rng, whole->n - k) < left
				  : left && whole->x[k] == part->x[part->n - left];
		if (take) {
			add_run(&some, d[k]);
			left--;
		}
		add_run(&all, d[k]);
	}
	return log_error(&some) - log_error(&all);
}

static void draw_parts(struct comparison *c, bool swapped, struct et_version_pair *out)
{
	ET_AUTO_FREE double *drawn = et_calloc(PERMUTATIONS, sizeof(*drawn));
	double observed = 0;
	size_t as_far = 0;

	for (size_t i = 0; i < c->n; i++) {
		const struct et_version_runs *part =
			runs_of(c->tasks[i], swapped ? c->b : c->a, c->m);
		const struct et_version_runs *whole =
			runs_of(c->tasks[i], swapped ? c->a : c->b, c->m);
		ET_AUTO_FREE double *d = centred(whole);
		observed += part_difference(c, part, whole, d, false) / (double)c->n;
		for (int k = 0; k < PERMUTATIONS; k++)
			drawn[k] += part_difference(c, part, whole, d, true) / (double)c->n;
	}
	for (int k = 0; k < PERMUTATIONS; k++)
		as_far += is_as_far(drawn[k], observed);
	out->ratio = exp(swapped ? -observed : observed);
	out->p = share_as_far(as_far);
}

/* --- all pairs --- */

static bool is_compared(const struct et_versions *v, enum et_version version, enum et_metric m)
{
	return !v->same_as[version].known && et_versions_takes_part(v, version, m);
}

/* Finds the first version with the runs of each; ET_VERSIONS: it takes no part. */
static void find_same(
	struct comparison *c, const struct et_versions *v, enum et_version like[ET_VERSIONS])
{
	for (enum et_version a = 0; a < ET_VERSIONS; a++) {
		bool in = c->n && is_compared(v, a, c->m);
		enum et_version first = 0;
		while (in && first < a &&
			(like[first] == ET_VERSIONS || !is_part(c, first, a) ||
				!is_part(c, a, first)))
			first++;
		like[a] = in ? first : ET_VERSIONS;
	}
}

static struct et_version_pair compare(struct comparison *c)
{
	struct et_version_pair pair = { .a = c->a, .b = c->b, .ratio = NAN, .p = 1 };
	bool part = is_part(c, c->a, c->b), whole = is_part(c, c->b, c->a);

	et_rng_seed(&c->rng, 1, (uint64_t)c->a * ET_VERSIONS + (uint64_t)c->b);
	if (fewest_runs(c, c->a) < 2 || fewest_runs(c, c->b) < 2)
		return pair;
	if (part || whole)
		draw_parts(c, whole, &pair);
	else
		exchange(c, &pair);
	return pair;
}

/* Versions that have the same runs share one comparison, which counts once. */
static void compare_all(struct et_versions *v, enum et_metric m)
{
	ET_AUTO_FREE const struct et_version_task **tasks = et_calloc(v->n + 1, sizeof(*tasks));
	struct comparison c = { .tasks = tasks, .m = m };
	struct et_version_pair found[ET_VERSION_PAIRS];
	size_t n = 0, all = 0, at[ET_VERSIONS][ET_VERSIONS] = { 0 }; /* in `found` */
	enum et_version like[ET_VERSIONS] = { 0 };
	double p[ET_VERSION_PAIRS];

	for (size_t i = 0; i < v->n; i++) {
		if (et_versions_averages(v, &v->tasks[i], m))
			tasks[c.n++] = &v->tasks[i];
	}
	find_same(&c, v, like);
	for (int a = 0; a < ET_VERSIONS; a++) {
		for (int b = a + 1; (int)like[a] == a && b < ET_VERSIONS; b++) {
			c.a = (enum et_version)a;
			c.b = (enum et_version)b;
			if ((int)like[b] != b)
				continue;
			at[a][b] = at[b][a] = n;
			found[n] = compare(&c);
			p[n] = found[n].p;
			n++;
		}
	}
	et_holm(p, n, p);
	for (int a = 0; a < ET_VERSIONS; a++) {
		for (int b = a + 1; like[a] < ET_VERSIONS && b < ET_VERSIONS; b++) {
			if (like[b] == ET_VERSIONS || like[a] == like[b])
				continue;
			size_t i = at[like[a]][like[b]];
			double ratio = like[a] < like[b] ? found[i].ratio : 1 / found[i].ratio;
			v->pairs[m][all++] = (struct et_version_pair){ .a = (enum et_version)a,
				.b = (enum et_version)b,
				.ratio = ratio,
				.p = found[i].p,
				.p_holm = p[i] };
		}
	}
	v->n_pairs[m] = all;
}

void et_versions_compare(struct et_versions *v)
{
	static const enum et_metric metrics[] = { ET_METRIC_ELAPSED, ET_METRIC_CPU };

	for (size_t k = 0; k < ET_LENGTH(metrics); k++) {
		enum et_metric m = metrics[k];
		for (size_t i = 0; i < v->n; i++) {
			for (int version = 0; version < ET_VERSIONS; version++) {
				struct et_version_figures *f = &v->tasks[i].list[version];
				if (f->runs)
					f->limits[m] = limits_of(&f->by[m]);
			}
		}
		for (int version = 0; version < ET_VERSIONS; version++) {
			if (et_versions_takes_part(v, (enum et_version)version, m))
				fill_average(v, (enum et_version)version, m);
		}
		compare_all(v, m);
	}
}
