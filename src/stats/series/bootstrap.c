/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Replicates come in blocks with a random stream of their own, so that it does not matter which
 * thread draws which block. Efron & Tibshirani (1993), chapters 13 and 14; Davison & Hinkley
 * (1997), chapter 5.
 */
#include "stats/series/bootstrap.h"

#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

/*
 * P(the k-th smallest of n drawn ranks <= j) = P(Binomial(n, j/n) >= k) = I_{j/n}(k, n-k+1).
 * For n even, given that the lower middle one has rank j, the upper one has at least rank i > j
 * with probability c_j ((n-i+1)/n)^k, k = n/2, where c_j = C(n,k) [(j/n)^k - ((j-1)/n)^k] / P(j):
 * k draws at or below j (one at j), all others at or above i. `scale` is c_j^(-1/k).
 */
struct et_median_law et_median_law(const double *sorted, size_t n)
{
	double size = (double)n, reach = 6 * sqrt(size) + 2; /* 12 standard deviations */
	struct et_median_law law = { .sorted = sorted, .n = n, .middle = (n + 1) / 2 };
	double k = (double)law.middle, before = 0, last;

	law.first = size / 2 - reach < 1 ? 1 : (size_t)(size / 2 - reach);
	last = fmin(size, size / 2 + reach);
	law.count = (size_t)last - law.first + 1;
	law.cumulative = et_alloc(law.count * sizeof(*law.cumulative));
	law.scale = et_alloc(law.count * sizeof(*law.scale));
	for (size_t i = 0; i < law.count; i++) {
		double j = (double)(law.first + i), log_c;

		law.cumulative[i] = i + 1 < law.count ? et_pbeta(j / size, k, size - k + 1) : 1;
		log_c = et_lchoose(size, k) + k * log(j / size) + log(-expm1(k * log1p(-1 / j))) -
			log(law.cumulative[i] - before);
		before = law.cumulative[i];
		law.scale[i] = exp(-log_c / k);
	}
	return law;
}

void et_median_law_free(struct et_median_law *law)
{
	free(law->cumulative);
	free(law->scale);
}

static size_t find(const double *cumulative, size_t n, double u)
{
	size_t lo = 0, hi = n - 1;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (cumulative[mid] > u)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

void et_median_draw(const struct et_median_law *law, uint64_t seed, uint64_t stream,
	double *medians, size_t count)
{
	double size = (double)law->n, k = (double)law->middle;
	struct et_rng rng;

	et_rng_seed(&rng, seed, stream);
	for (size_t r = 0; r < count; r++) {
		size_t i = find(law->cumulative, law->count, et_rng_uniform(&rng));
		size_t lower = law->first + i, upper = lower;

		if (law->n % 2 == 0) {
			double part = pow(1 - et_rng_uniform(&rng), 1 / k) * law->scale[i];
			double at = floor(size + 1 - size * part);

			if (at > (double)lower)
				upper = (size_t)fmin(at, size);
		}
		medians[r] = lower == upper ? law->sorted[lower - 1]
					    : (law->sorted[lower - 1] + law->sorted[upper - 1]) / 2;
	}
}

static double acceleration_median(const double *sorted, size_t n)
{
	size_t half = n / 2;
	double low, high, mid, below = (double)half, mean, l[3], squares, cubes;

	if (n % 2 == 0 || n < 3)
		return 0; /* each half's removal moves the median as far as the other's */
	low = (sorted[half] + sorted[half + 1]) / 2;     /* one of the lower half is left out */
	high = (sorted[half - 1] + sorted[half]) / 2;    /* one of the upper half */
	mid = (sorted[half - 1] + sorted[half + 1]) / 2; /* the median itself */
	mean = (below * low + below * high + mid) / (double)n;
	l[0] = mean - low;
	l[1] = mean - high;
	l[2] = mean - mid;
	squares = below * (l[0] * l[0] + l[1] * l[1]) + l[2] * l[2];
	cubes = below * (l[0] * l[0] * l[0] + l[1] * l[1] * l[1]) + l[2] * l[2] * l[2];
	return squares > 0 ? cubes / (6 * pow(squares, 1.5)) : 0;
}

static struct et_boot undefined(double estimate)
{
	static const struct et_interval none = { NAN, NAN, NAN };

	return (struct et_boot){ estimate, NAN, NAN, NAN, NAN, none, none, none, NAN };
}

/* Davison & Hinkley (1997), eq. 5.8: between order statistics by the normal quantiles' scale. */
static double quantile(const double *x, size_t n, double p)
{
	double k = floor(p * ((double)n + 1)), size = (double)n + 1, below, above, q;
	size_t at = k < 1 ? 0 : k > (double)n ? n - 1 : (size_t)k - 1;

	if (k < 1 || k >= (double)n || k == p * size)
		return x[at];
	below = et_qnorm(k / size);
	above = et_qnorm((k + 1) / size);
	q = (et_qnorm(p) - below) / (above - below);
	return q == 0 ? x[at] : x[at] + q * (x[at + 1] - x[at]);
}

/* Replaces the probabilities p by the quantiles of x, which is sorted here, at them. */
static void quantiles(double *x, size_t replicates, double p[2])
{
	et_sort(x, replicates);
	p[0] = quantile(x, replicates, p[0]);
	p[1] = quantile(x, replicates, p[1]);
}

/* Mean and spread of the replicates, and the normal quantile of the share below the estimate. */
static void describe(const double *theta, size_t n, struct et_boot *out)
{
	double sum = 0, squares = 0, below = 0, size = (double)n;

	for (size_t i = 0; i < n; i++) {
		double d = theta[i] - out->estimate;

		sum += d;
		squares += d * d;
		below += d < 0 ? 1 : d == 0 ? 0.5 : 0;
	}
	out->bias = sum / size;
	out->se = sqrt(fmax(0, squares - sum * sum / size) / (size - 1));
	out->z0 = et_qnorm(below / size);
}

/* Efron (1987), eq. 3.10: the probability whose quantile is the end of a nominal one. */
static double bca_level(double p, double z0, double a)
{
	double z = z0 + et_qnorm(p);

	return et_pnorm(z0 + z / (1 - a * z));
}

/* The inverse of bca_level: the nominal level of the interval that ends at `against`. */
static double bca_p(const double *theta, size_t n, double against, double z0, double a)
{
	double below = 0, size = (double)n;

	for (size_t i = 0; i < n; i++)
		below += theta[i] < against ? 1 : theta[i] == against ? 0.5 : 0;
	/* No share of n replicates is known to be 0 or 1. */
	double share = fmin(fmax(below, 0.5), size - 0.5) / size;
	double y = et_qnorm(share) - z0, z = y / (1 + a * y) - z0;

	return 1 + a * y > 0 ? et_pnorm_two_sided(z) : NAN;
}

/*
 * Fills *out, whose estimate is set. theta and t (may be NULL) hold one number per replicate; they
 * are reordered. error is the standard error of the estimate, for bootstrap-t.
 */
static void fill_intervals(const struct et_boot_options *options, double *theta, double *t,
	double error, double acceleration, struct et_boot *out)
{
	double lo = (1 - options->level) / 2, hi = (1 + options->level) / 2;
	double p[2] = { lo, hi }, q[2] = { hi, lo };

	describe(theta, options->replicates, out);
	out->acceleration = acceleration;
	double bca[2] = { bca_level(lo, out->z0, acceleration),
		bca_level(hi, out->z0, acceleration) };
	bool defined = isfinite(bca[0]) && isfinite(bca[1]) && isfinite(out->z0);
	if (options->bca && defined)
		out->p = bca_p(theta, options->replicates, options->against, out->z0, acceleration);
	quantiles(theta, options->replicates, p);
	out->percentile = (struct et_interval){ p[0], p[1], options->level };
	if (options->bca && defined) {
		quantiles(theta, options->replicates, bca);
		out->bca = (struct et_interval){ bca[0], bca[1], options->level };
	}
	if (t) {
		quantiles(t, options->replicates, q);
		out->t = (struct et_interval){ out->estimate - q[0] * error,
			out->estimate - q[1] * error, options->level };
	}
}

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
		*mean = undefined(job.a.mean);
	if (sd)
		*sd = undefined(job.a.sd);
	if (possible(n, job.a.sd, options)) {
		job.first = replicates(&job, mean);
		job.second = replicates(&job, sd);
		job.first_t = replicates(&job, mean && options->studentised);
		job.second_t = replicates(&job, job.four);
		run(&job);
		if (mean)
			fill_intervals(options, job.first, job.first_t, job.a.sd / sqrt((double)n),
				acceleration_mean(&job.a), mean);
		if (sd) {
			double s[4] = { 0, (double)n - 1, 0, 0 };

			for (size_t i = 0; i < n; i++) {
				double v = job.a.v[i];

				s[2] += v * v * v;
				s[3] += v * v * v * v;
			}
			fill_intervals(options, job.second, job.second_t,
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

	*out = undefined(et_median_sorted(sorted, n));
	if (!possible(n, n > 1 ? sorted[n - 1] - sorted[0] : 0, options))
		return;
	struct et_median_law law = et_median_law(sorted, n);
	struct job job = { .options = options, .law = &law, .draw = draw_median };
	job.first = replicates(&job, true);
	run(&job);
	fill_intervals(options, job.first, NULL, NAN, acceleration_median(sorted, n), out);
	et_median_law_free(&law);
	free(job.first);
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

	*out = undefined(ratio);
	if (possible(nx, spread, options) && possible(ny, spread, options)) {
		double ra = job.a.sd / job.a.mean, rb = job.b.sd / job.b.mean;

		job.first = replicates(&job, true);
		job.first_t = replicates(&job, options->studentised);
		run(&job);
		fill_intervals(options, job.first, job.first_t,
			ratio_error(ratio, ra * ra / (double)nx, rb * rb / (double)ny),
			acceleration_ratio(&job.a, &job.b), out);
	}
	free(job.a.v);
	free(job.b.v);
	free(job.first);
	free(job.first_t);
}
