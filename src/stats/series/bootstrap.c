/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replicates come in blocks with a random stream of their own, so that it does not matter which
 * thread draws which block. Efron & Tibshirani (1993), chapters 13 and 14; Davison & Hinkley
 * (1997), chapter 5.
 */
#include "stats/series/bootstrap.h"

#include "base/alloc.h"
#include "num/moments.h"
#include "num/quantile.h"
#include "stats/series/bootstrap_interval.h"
#include "stats/series/bootstrap_median.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>

enum { BLOCK = 128, MOST_THREADS = 64 };

/* A series standardised, so that sums of its powers neither cancel nor leave the range. */
struct series {
	double *v;
	size_t n;
	double mean, sd;
};

struct job {
	const struct et_boot_options *options;
	enum et_width width;
	bool four; /* sums of four powers, for the standard deviation's own error */
	struct series a, b;
	const struct et_median_law *law;
	const double *sorted;                        /* for the median's full resamples */
	double *first, *first_t, *second, *second_t; /* one number per replicate; may be NULL */
	void (*draw)(struct job *job, size_t block, size_t from, size_t count);
	atomic_size_t next; /* block */
};

static void *work(void *arg)
{
	struct job *job = arg;
	size_t all = job->options->replicates;

	for (;;) {
		size_t block = atomic_fetch_add(&job->next, 1), from = block * BLOCK;

		if (from >= all)
			return NULL;
		job->draw(job, block, from, all - from < BLOCK ? all - from : BLOCK);
	}
}

/* If a thread cannot be started, the others draw its blocks. */
static void run(struct job *job)
{
	pthread_t threads[MOST_THREADS];
	size_t n = 0, wanted = job->options->threads;

	atomic_init(&job->next, 0);
	for (size_t i = 1; i < wanted && i < MOST_THREADS; i++)
		n += !pthread_create(&threads[n], NULL, work, job);
	work(job);
	for (size_t i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
}

static struct series standardise(const double *x, size_t n)
{
	struct series s = { .n = n, .mean = et_mean(x, n), .sd = et_sd(x, n) };

	s.v = et_alloc(n * sizeof(*s.v));
	for (size_t i = 0; i < n; i++)
		s.v[i] = s.sd > 0 ? (x[i] - s.mean) / s.sd : 0;
	return s;
}

static inline void keep(double *to, size_t i, double v)
{
	if (to)
		to[i] = isnan(v) ? 0
				 : v; /* 0/0: the resample has no spread and equals the estimate */
}

/* Standard error of a standard deviation, by the delta method; s holds n and the power sums. */
static double sd_error(double n, const double *s, double variance)
{
	double m = s[0] / n;
	double m4 = s[3] / n - m * (4 * s[2] / n - m * (6 * s[1] / n - 3 * m * m));

	return sqrt(fmax(0, m4 - (n - 3) / (n - 1) * variance * variance) / (4 * n * variance));
}

static void draw_mean_sd(struct job *job, size_t block, size_t from, size_t count)
{
	size_t powers = job->four ? 4 : 2;
	double sums[BLOCK * 4], n = (double)job->a.n;
	struct et_lanes lanes;

	et_lanes_seed(&lanes, job->options->seed, block);
	et_resample_sums(&lanes, job->a.v, job->a.n, count, job->four, job->width, sums);
	for (size_t i = 0; i < count; i++) {
		const double *s = sums + i * powers;
		double mean = s[0] / n, variance = fmax(0, (s[1] - s[0] * mean) / (n - 1));
		double sd = sqrt(variance);

		keep(job->first, from + i, job->a.mean + job->a.sd * mean);
		keep(job->second, from + i, job->a.sd * sd);
		keep(job->first_t, from + i, mean / (sd / sqrt(n)));
		if (job->second_t)
			keep(job->second_t, from + i, (sd - 1) / sd_error(n, s, variance));
	}
}

/* Relative variance of a mean, from the sums of a standardised resample of s; *mean is its mean. */
static double relative_variance(const struct series *s, const double *sums, double *mean)
{
	double n = (double)s->n, m = sums[0] / n;
	double variance = fmax(0, (sums[1] - sums[0] * m) / (n - 1)) * s->sd * s->sd;

	*mean = s->mean + s->sd * m;
	return variance / (n * *mean * *mean);
}

/* Standard error of the ratio of two means, by the delta method from their relative variances. */
static double ratio_error(double ratio, double relative_a, double relative_b)
{
	return fabs(ratio) * sqrt(relative_a + relative_b);
}

static void draw_ratio(struct job *job, size_t block, size_t from, size_t count)
{
	double a[BLOCK * 2], b[BLOCK * 2], estimate = job->a.mean / job->b.mean;
	struct et_lanes lanes;

	et_lanes_seed(&lanes, job->options->seed, 2 * block);
	et_resample_sums(&lanes, job->a.v, job->a.n, count, false, job->width, a);
	et_lanes_seed(&lanes, job->options->seed, 2 * block + 1);
	et_resample_sums(&lanes, job->b.v, job->b.n, count, false, job->width, b);
	for (size_t i = 0; i < count; i++) {
		double mean_a, mean_b, ratio;
		double va = relative_variance(&job->a, a + 2 * i, &mean_a);
		double vb = relative_variance(&job->b, b + 2 * i, &mean_b);

		ratio = mean_a / mean_b;
		keep(job->first, from + i, ratio);
		keep(job->first_t, from + i, (ratio - estimate) / ratio_error(ratio, va, vb));
	}
}

static void draw_median(struct job *job, size_t block, size_t from, size_t count)
{
	et_median_draw(job->law, job->options->seed, block, job->first + from, count);
}

static void draw_median_t(struct job *job, size_t block, size_t from, size_t count)
{
	et_median_resample(job->sorted, job->a.n, job->options->seed, block, job->first + from,
		job->first_t + from, count);
}

/* BCa's acceleration is the jackknife's sum of cubes over 6 (sum of squares)^(3/2). */
struct influence {
	double squares, cubes;
};

static void add_influence(struct influence *f, double l)
{
	f->squares += l * l;
	f->cubes += l * l * l;
}

static double acceleration(const struct influence *f)
{
	return f->cubes / (6 * pow(f->squares, 1.5));
}

static double acceleration_mean(const struct series *s)
{
	struct influence f = { 0 };

	for (size_t i = 0; i < s->n; i++)
		add_influence(&f, s->v[i]);
	return acceleration(&f);
}

static double acceleration_sd(const struct series *s)
{
	ET_AUTO_FREE double *without = et_alloc(s->n * sizeof(*without));
	double sum = et_sum(s->v, s->n), squares = 0, n = (double)s->n, mean;
	struct influence f = { 0 };

	for (size_t i = 0; i < s->n; i++)
		squares += s->v[i] * s->v[i];
	for (size_t i = 0; i < s->n; i++) {
		double rest = sum - s->v[i];

		without[i] = sqrt(
			fmax(0, (squares - s->v[i] * s->v[i] - rest * rest / (n - 1)) / (n - 2)));
	}
	mean = et_mean(without, s->n);
	for (size_t i = 0; i < s->n; i++)
		add_influence(&f, mean - without[i]);
	return acceleration(&f);
}

/*
 * Davison & Hinkley (1997), eq. 5.28 for two samples: influences are divided by their sample's
 * size. A mean's is its deviation; the ratio's follows by differentiation.
 */
static double acceleration_ratio(const struct series *a, const struct series *b)
{
	struct influence f = { 0 };

	for (size_t i = 0; i < a->n; i++)
		add_influence(&f, a->v[i] * (a->sd / a->mean) / (double)a->n);
	for (size_t i = 0; i < b->n; i++)
		add_influence(&f, -b->v[i] * (b->sd / b->mean) / (double)b->n);
	return acceleration(&f);
}

double et_acceleration_mean(const double *x, size_t n)
{
	struct series s = standardise(x, n);
	double a = acceleration_mean(&s);

	free(s.v);
	return a;
}

double et_acceleration_sd(const double *x, size_t n)
{
	struct series s = standardise(x, n);
	double a = acceleration_sd(&s);

	free(s.v);
	return a;
}

static double *replicates(const struct job *job, bool wanted)
{
	return wanted ? et_alloc(job->options->replicates * sizeof(double)) : NULL;
}

static bool possible(size_t n, double sd, const struct et_boot_options *o)
{
	assert(n <= UINT32_MAX);
	return n > 1 && sd > 0 && isfinite(sd) && o->replicates > 1;
}

void et_bootstrap_mean_sd(const double *x, size_t n, const struct et_boot_options *options,
	struct et_boot *mean, struct et_boot *sd)
{
	struct job job = {
		.options = options,
		.width = et_width_available(options->width),
		.four = sd && options->studentised,
		.a = standardise(x, n),
		.draw = draw_mean_sd,
	};

	if (mean)
		*mean = et_boot_undefined(job.a.mean);
	if (sd)
		*sd = et_boot_undefined(job.a.sd);
	if (possible(n, job.a.sd, options)) {
		job.first = replicates(&job, mean);
		job.second = replicates(&job, sd);
		job.first_t = replicates(&job, mean && options->studentised);
		job.second_t = replicates(&job, job.four);
		run(&job);
		if (mean)
			et_boot_intervals(options, job.first, job.first_t,
				job.a.sd / sqrt((double)n), acceleration_mean(&job.a), mean);
		if (sd) {
			double s[4] = { 0, (double)n - 1, 0, 0 };

			for (size_t i = 0; i < n; i++) {
				double v = job.a.v[i];

				s[2] += v * v * v;
				s[3] += v * v * v * v;
			}
			et_boot_intervals(options, job.second, job.second_t,
				job.a.sd * sd_error((double)n, s, 1), acceleration_sd(&job.a), sd);
		}
	}
	free(job.a.v);
	free(job.first);
	free(job.first_t);
	free(job.second);
	free(job.second_t);
}

void et_bootstrap_median(
	const double *x, size_t n, const struct et_boot_options *options, struct et_boot *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);
	struct job job = { .options = options, .a.n = n, .sorted = sorted };

	*out = et_boot_undefined(et_median_sorted(sorted, n));
	if (!possible(n, n > 1 ? sorted[n - 1] - sorted[0] : 0, options))
		return;
	job.first = replicates(&job, true);
	if (options->studentised) {
		job.first_t = replicates(&job, true);
		job.draw = draw_median_t;
		run(&job);
	} else {
		struct et_median_law law = et_median_law(sorted, n);

		job.law = &law;
		job.draw = draw_median;
		run(&job);
		et_median_law_free(&law);
	}
	et_boot_intervals(options, job.first, job.first_t, et_median_error(sorted, n),
		et_acceleration_median(sorted, n), out);
	free(job.first);
	free(job.first_t);
}

void et_bootstrap_ratio(const double *x, size_t nx, const double *y, size_t ny,
	const struct et_boot_options *options, struct et_boot *out)
{
	struct job job = {
		.options = options,
		.width = et_width_available(options->width),
		.a = standardise(x, nx),
		.b = standardise(y, ny),
		.draw = draw_ratio,
	};
	double ratio = job.a.mean / job.b.mean, spread = fmax(job.a.sd, job.b.sd);

	*out = et_boot_undefined(ratio);
	if (possible(nx, spread, options) && possible(ny, spread, options)) {
		double ra = job.a.sd / job.a.mean, rb = job.b.sd / job.b.mean;

		job.first = replicates(&job, true);
		job.first_t = replicates(&job, options->studentised);
		run(&job);
		et_boot_intervals(options, job.first, job.first_t,
			ratio_error(ratio, ra * ra / (double)nx, rb * rb / (double)ny),
			acceleration_ratio(&job.a, &job.b), out);
	}
	free(job.a.v);
	free(job.b.v);
	free(job.first);
	free(job.first_t);
}
