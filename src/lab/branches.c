/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/branches.h"
#include "num/rng.h"

/* Predictors learn repeated data, too; so random data advance by more than they can remember. */
enum { RANDOM_CALLS = 512 };

struct data {
	unsigned char *start;
	size_t at, step, end;
};

/* The branch must stay one: the empty statement in it cannot be made conditional. */
static void count_ones(void *arg)
{
	struct data *d = arg;
	const unsigned char *p = d->start + d->at;
	uint64_t sum = 0;

	for (size_t i = 0; i < ET_BRANCHES; i++) {
		if (p[i]) {
			__asm__ volatile("" : "+r"(sum));
			sum += i;
		}
	}
	__asm__ volatile("" ::"r"(sum));
	d->at = d->at + d->step < d->end ? d->at + d->step : 0;
}

/* Half ones in random order; then repeats the first `period` of them. */
static void fill(unsigned char *p, size_t period, size_t n)
{
	struct et_rng rng;

	et_rng_seed(&rng, 9, period);
	for (size_t i = 0; i < period; i++)
		p[i] = i < period / 2;
	for (size_t i = period - 1; i > 0; i--) {
		size_t j = (size_t)(et_rng_uniform(&rng) * (double)(i + 1));
		unsigned char was = p[i];
		p[i] = p[j];
		p[j] = was;
	}
	for (size_t i = period; i < n; i++)
		p[i] = p[i - period];
}

static int time_it(struct et_experiment *e, const char *name, uint64_t period, struct data d,
	struct et_error *err)
{
	struct etalon_kbest_result result = { 0 };
	struct etalon_kbest_opts opts;

	etalon_kbest_opts_init(&opts, sizeof(opts));
	opts.least_ns = 100000000;
	opts.limit_ns = 500000000;
	int rc = et_timing_kbest(count_ones, &d, &opts, &result, err);
	if (rc == 0)
		et_figure_add(e, name, period ? 1 : 0, period, result.ns);
	return rc;
}

int et_branches_run(
	const struct et_lab_progress *progress, struct et_experiment *e, struct et_error *err)
{
	size_t all = (size_t)RANDOM_CALLS * ET_BRANCHES;
	ET_AUTO_FREE unsigned char *p = et_calloc(all, 1);
	bool going = true;

	for (size_t i = 0; i < ET_BRANCHES; i++)
		p[i] = i < ET_BRANCHES / 2;
	int rc = time_it(e, "branches-sorted", 0, (struct data){ .start = p }, err);
	if (rc == 0) {
		fill(p, all, all);
		rc = time_it(e, "branches-random", 0, (struct data){ p, 0, ET_BRANCHES, all }, err);
	}
	for (uint64_t i = 0; rc == 0 && going && i < ET_BRANCH_PERIODS; i++) {
		fill(p, (size_t)2 << i, ET_BRANCHES);
		rc = time_it(e, "branches-period", 2u << i, (struct data){ .start = p }, err);
		going = et_lab_report_progress(progress, i + 1, ET_BRANCH_PERIODS);
	}
	return rc;
}

int et_branches_read(const struct et_experiment *e, void *result, struct et_error *err)
{
	struct et_branches b = {
		.sorted_ns = et_figure_value(e, "branches-sorted", 0, 0) / ET_BRANCHES,
		.random_ns = et_figure_value(e, "branches-random", 0, 0) / ET_BRANCHES,
	};

	if (isnan(b.sorted_ns))
		return et_timing_foreign(e, "branch", err);
	for (int i = 0; i < ET_BRANCH_PERIODS; i++)
		b.period_ns[i] = et_figure_value(e, "branches-period", 1, 2u << i) / ET_BRANCHES;
	*(struct et_branches *)result = b;
	return 0;
}

unsigned et_branches_learned(const struct et_branches *b)
{
	double middle = (b->sorted_ns + b->random_ns) / 2;
	unsigned longest = 0;

	for (int i = 0; i < ET_BRANCH_PERIODS && b->period_ns[i] <= middle; i++)
		longest = 2u << i;
	return longest;
}

double et_branches_miss_ns(const struct et_branches *b)
{
	return 2 * (b->random_ns - b->sorted_ns);
}
