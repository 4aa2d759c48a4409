/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often daemons that ran are found, and how often quiet runs yield a cutoff. The runs have 300
 * samples of 1 s or 40 of 8 s, as those of `etalon daemons learn`.
 */
#include "protocol/lshape.h"
#include "unit/protocol/planted.h"

enum { TRIES = 200 };

static const char *const noise_names[] = { "normal", "half-normal", "log-normal" };

/* The noise has a scale of 1.3 ms; processes on other CPUs are there in all simulations. */
static struct planted company(enum planted_noise noise)
{
	return (struct planted){
		.n = 300, .seconds = 1, .noise_ms = 1.3, .noise = noise, .company = true
	};
}

/* --- quiet runs --- */

static void test_quiet(enum planted_noise noise, double stolen_share, bool long_run)
{
	struct planted p = company(noise);
	size_t runs = 0, cutoffs = 0, removed = 0;

	p.stolen_share = stolen_share;
	p.n = long_run ? 40 : 300;
	p.seconds = long_run ? 8 : 1;
	for (uint64_t seed = 0; seed < TRIES; seed++) {
		struct et_daemon_record r;
		struct et_daemon_findings f;
		plant_and_find(&r, &p, NULL, seed, &f);
		runs += f.n_cutoffs > 0;
		cutoffs += f.n_cutoffs;
		for (size_t i = 0; i < r.short_run.n_listed; i++)
			removed += f.short_run.removed[i];
		uproot(&r, &f);
	}
	/* With 40 samples the end of the cluster is less certain, and so is the verdict. */
	ok(runs <= (long_run ? TRIES / 20 : TRIES / 100) && removed <= TRIES / 10,
		"quiet runs of %u samples, %s noise, %g %% of samples stolen from: %zu of %d have "
		"a "
		"cutoff; %zu cutoffs remove %zu samples",
		p.n, noise_names[noise], 100 * stolen_share, runs, TRIES, cutoffs, removed);
}

/* --- one visit --- */

struct score {
	size_t found, whole, others;
};

/* One visit at a random time, for `ms` at full speed. */
static struct score plant_one(double ms, enum planted_noise noise)
{
	struct planted p = company(noise);
	struct score s = { 0 };

	for (uint64_t seed = 0; seed < TRIES; seed++) {
		struct et_rng rng;
		et_rng_seed(&rng, seed, 7);
		double at = 10 + 200 * et_rng_uniform(&rng);
		struct visit visits[] = { { "culprit", at, at + 1e-3 * ms, 1 }, { 0 } };
		struct et_daemon_record r;
		struct et_daemon_findings f;
		p.visits = visits;
		plant_and_find(&r, &p, NULL, seed, &f);
		const struct et_cutoff *c = cutoff_of(&f, "culprit");
		bool whole = true;
		for (size_t i = (size_t)at; i <= (size_t)(at + 1e-3 * ms); i++)
			whole = whole && f.short_run.removed[i];
		s.found += c != NULL;
		s.whole += whole;
		s.others += f.n_cutoffs - (c != NULL);
		uproot(&r, &f);
	}
	return s;
}

/*
 * The papers also give a cutoff to processes that only happen to run in L-samples. Every tenth
 * sample of the simulation has such a process, so there is one in at most a tenth of the L-samples.
 */
static void test_one(double ms, enum planted_noise noise, double least)
{
	struct score s = plant_one(ms, noise);
	double samples = ceil(1e-3 * ms) + 1;

	ok((double)s.found >= least * TRIES && (double)s.whole >= (least - 0.02) * TRIES,
		"one visit of %g ms, %s noise: found in %zu of %d runs, with all of its samples in "
		"%zu",
		ms, noise_names[noise], s.found, TRIES, s.whole);
	ok((double)s.others <= 0.12 * samples * TRIES,
		"one visit of %g ms, %s noise: %zu processes beside it have a cutoff", ms,
		noise_names[noise], s.others);
}

/* --- many visits --- */

/* Visits of 300 ms begin at random, or with a period. */
static void test_rate(
	double every_s, bool periodic, double least_infrequent, double most_infrequent)
{
	struct planted p = company(LOG_NORMAL_NOISE);
	size_t infrequent = 0, frequent = 0, both = 0, period = 0, whole = 0;

	for (uint64_t seed = 0; seed < TRIES; seed++) {
		struct visit visits[600] = { 0 };
		struct et_daemon_record r;
		struct et_daemon_findings f;
		struct et_rng rng;
		size_t n = 0;
		et_rng_seed(&rng, seed, 8);
		double at = every_s * et_rng_uniform(&rng);
		while (at < 300 && n < 599) {
			visits[n++] = (struct visit){ "visitor", at, at + 0.3, 1 };
			at += periodic ? every_s : -every_s * log1p(-et_rng_uniform(&rng));
		}
		p.visits = visits;
		plant_and_find(&r, &p, NULL, seed, &f);
		const struct et_cutoff *c = cutoff_of(&f, "visitor");
		bool often = is_frequent_in(&r, &f.short_run, "visitor");
		bool all = true;
		for (size_t i = 0; i < n; i++)
			all = all && f.short_run.removed[(size_t)visits[i].from_s];
		infrequent += c != NULL;
		frequent += often;
		both += c && often;
		whole += c && all;
		period += c && fabs(c->period_s - every_s) < 0.05 * every_s;
		uproot(&r, &f);
	}
	ok(!both && (double)infrequent >= least_infrequent * TRIES &&
			(double)infrequent <= most_infrequent * TRIES,
		"visits every %g s, %s: infrequent in %zu, frequent in %zu of %d runs; all visits "
		"removed in %zu; right period in %zu",
		every_s, periodic ? "periodic" : "at random", infrequent, frequent, TRIES, whole,
		period);
}

/* --- symmetry --- */

/* Symmetric noise, also with long tails or in whole milliseconds, is called asymmetric in 1 %. */
static void test_symmetry(uint32_t n, const char *noise, bool long_tails, bool whole_ms)
{
	enum { CLUSTERS = 2000 };
	struct et_daemon_record r = { 0 };
	struct et_daemon_run *run = &r.short_run;
	bool *far = calloc(n, sizeof(*far));
	size_t asymmetric = 0, skewed = 0, alike = 0;

	*run = (struct et_daemon_run){ .samples = n, .sample_seconds = 1, .whole = true };
	for (uint32_t i = 0; i < n; i++)
		et_daemon_run_add(run, i + 1, i);
	for (uint64_t seed = 0; seed < CLUSTERS; seed++) {
		struct et_rng rng;
		et_rng_seed(&rng, seed, n);
		for (uint32_t i = 0; i < n; i++) {
			double z = et_rng_normal(&rng);
			double x = 1000 + 2.5 * (long_tails ? z * exp(fabs(z)) : z);
			run->listed[i].elapsed_ms = whole_ms ? round(x) : x;
		}
		struct et_cluster_shape s = et_cluster_shape_of(run, far);
		asymmetric += !s.symmetric;
		skewed += s.skewness_p < ET_CLUSTER_LEVEL;
		alike += s.correlation_p < ET_CLUSTER_LEVEL;
	}
	/* 1 % of 2000 are 20, and three standard deviations more are 34. */
	ok(asymmetric <= 34,
		"symmetry: %u samples, %s: %zu of %d clusters look asymmetric (%zu skewed, %zu "
		"stretched)",
		n, noise, asymmetric, CLUSTERS, skewed, alike);
	free(far);
	et_daemon_record_free(&r);
}

int main(void)
{
	test_symmetry(20, "normal noise", false, false);
	test_symmetry(40, "normal noise", false, false);
	test_symmetry(300, "normal noise", false, false);
	test_symmetry(300, "normal noise in whole milliseconds", false, true);
	test_symmetry(300, "noise with long tails", true, false);
	for (enum planted_noise noise = NORMAL_NOISE; noise <= LOG_NORMAL_NOISE; noise++) {
		test_quiet(noise, 0, false);
		test_quiet(noise, 0.01, false);
		test_quiet(noise, 0.1, false);
		test_quiet(noise, 0, true);
		test_quiet(noise, 0.05, true);
	}
	test_one(10, NORMAL_NOISE, 0.9);
	test_one(20, LOG_NORMAL_NOISE, 0.8);
	test_one(50, LOG_NORMAL_NOISE, 0.98);
	test_one(3000, LOG_NORMAL_NOISE, 0.98);
	test_one(35000, NORMAL_NOISE, 0.98);
	test_rate(90, true, 0.98, 1);
	test_rate(25, true, 0.98, 1);
	test_rate(15, true, 0, 0.02);
	test_rate(100, false, 0.98, 1);
	test_rate(40, false, 0.95, 1);
	/* This is the limit: either answer is right. */
	test_rate(20, false, 0.3, 0.9);
	test_rate(10, false, 0, 0.05);
	test_rate(3, false, 0, 0.02);
	test_rate(1, false, 0, 0.02);
	return tap_done();
}
