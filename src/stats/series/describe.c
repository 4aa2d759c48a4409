/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/describe.h"

/* This many draws take about a second; by default we do not make more. */
static const double most_draws = 5e8;
/* The fewest replicates whose 2.5 % tails are worth printing. */
enum { LEAST_REPLICATES = 999, DEFAULT_LAGS = 10, MOVING_LEAST = 20, DITHER_STREAM = 1000 };

static void describe_serial(
	const double *x, size_t n, const struct et_describe_options *o, struct et_description *out)
{
	/* Ljung-Box: a fifth of n at most (Hyndman & Athanasopoulos 2021, 5.4). */
	size_t fifth = n / 5 > 0 ? n / 5 : 1;
	size_t lags = o->lags ? o->lags : fifth < DEFAULT_LAGS ? fifth : DEFAULT_LAGS;

	out->n_acf = o->lags ? o->lags : DEFAULT_LAGS;
	if (out->n_acf > n - 1)
		out->n_acf = n - 1;
	out->acf = et_calloc(out->n_acf, sizeof(*out->acf));
	et_acf(x, n, out->n_acf, out->acf);
	out->acf_band = et_acf_band(n, o->level);
	out->ljung_box = (struct et_test){ NAN, (double)lags, NAN };
	if (lags < n)
		out->ljung_box = et_ljung_box(x, n, lags);
	out->ljung_box.df = (double)lags;
}

static void describe_dithered(
	const double *x, size_t n, const struct et_describe_options *o, struct et_description *out)
{
	double step = out->diagnosis.steps.quantum;
	struct et_rng rng;

	if (!out->diagnosis.steps.coarse)
		return;
	ET_AUTO_FREE double *noisy = et_calloc(n, sizeof(*noisy));
	et_rng_seed(&rng, o->seed, DITHER_STREAM);
	for (size_t i = 0; i < n; i++)
		noisy[i] = x[i] + step * (et_rng_uniform(&rng) - 0.5);
	out->acf_dithered = et_calloc(out->n_acf, sizeof(*out->acf_dithered));
	et_acf(noisy, n, out->n_acf, out->acf_dithered);
}

/* A window of a tenth of the series, so that a drift is seen and the noise is not. */
static void describe_moving(const double *x, size_t n, struct et_description *out)
{
	size_t window = n / 10 > 2 ? n / 10 : 2, places;

	if (n < MOVING_LEAST)
		return;
	places = n - window + 1;
	out->window = window;
	out->n_moving = places < ET_MOVING_MOST ? places : ET_MOVING_MOST;
	for (size_t i = 0; i < out->n_moving; i++)
		out->moving[i] = et_mean(x + i * (places - 1) / (out->n_moving - 1), window);
}

/* The cold values are those at the beginning that are as far above the others as the first is. */
static void describe_cold(
	const double *x, size_t n, const struct et_describe_options *o, struct et_description *out)
{
	size_t cold = 1;

	if (!out->diagnosis.drift.cold_start)
		return;
	ET_AUTO_FREE double *rest = et_sorted_copy(x + 1, n - 1);
	double far = et_median_sorted(rest, n - 1) + ET_COLD_Z * et_mad_sorted(rest, n - 1);
	while (cold < n / 4 && x[cold] > far)
		cold++;
	out->cold.n = cold;
	out->cold.mean = et_mean(x, cold);
	et_summarise(x + cold, n - cold, o->level, &out->cold.rest);
}

static size_t replicates_for(size_t n, const struct et_describe_options *o)
{
	if (!o->replicates_free)
		return o->replicates;
	double most = most_draws / (double)n;
	if (most >= (double)o->replicates)
		return o->replicates;
	return most >= LEAST_REPLICATES ? LEAST_REPLICATES : 0;
}

static void describe_bootstrap(
	const double *x, size_t n, const struct et_describe_options *o, struct et_description *out)
{
	struct et_boot_options boot = { .seed = o->seed,
		.replicates = replicates_for(n, o),
		.level = o->level,
		.threads = o->threads,
		.bca = true,
		.studentised = true };

	out->seed = o->seed;
	out->replicates = boot.replicates;
	if (!boot.replicates) {
		if (o->replicates)
			et_warn(&out->estimate.warnings, ET_WARN_NO_BOOTSTRAP);
		return;
	}
	et_bootstrap_mean_sd(x, n, &boot, &out->mean, &out->sd);
	et_bootstrap_median(x, n, &boot, &out->median);
}

void et_describe(const double *x, size_t n, enum et_unit unit, const struct et_describe_options *o,
	struct et_description *out)
{
	ET_AUTO_FREE double *sorted = et_sorted_copy(x, n);

	memset(out, 0, sizeof(*out));
	et_summarise(x, n, o->level, &out->estimate);
	out->interval = et_mean_interval(x, n, o->level);
	out->median_interval = et_median_interval(sorted, n, o->level);
	out->sd_interval = et_sd_interval(out->estimate.sd, n, o->level);
	et_diagnose(x, sorted, n, &out->diagnosis);
	et_diagnosis_warn(&out->diagnosis, unit, ET_USE_DESCRIPTION, &out->estimate.warnings);
	describe_serial(x, n, o, out);
	describe_dithered(x, n, o, out);
	describe_moving(x, n, out);
	describe_cold(x, n, o, out);
	describe_bootstrap(x, n, o, out);
}

void et_description_free(struct et_description *d)
{
	et_warnings_free(&d->estimate.warnings);
	free(d->acf);
	free(d->acf_dithered);
}
