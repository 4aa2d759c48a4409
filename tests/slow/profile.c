/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The promises of a profile, counted on a synthetic sampler through the functions that the command
 * calls: intervals cover, warnings are rare for sound runs, and a comparison of equal programs
 * finds nothing.
 */
#include "stats/profile/profile.h"
#include "num/rng.h"
#include "num/student.h"
#include "profile_of.h"
#include "simulate.h"
#include "tap.h"

#include <math.h>

enum { FUNCTIONS = 16, ALL = 1200, PROFILES = 600 };

/* The samples of one run: how many there are, and where they are. */
struct sampler {
	double total;  /* mean of all samples of a run */
	double spread; /* of the total, relative; the run time varies */
	double share[FUNCTIONS];
	double burst; /* of the last function: the probability that a run has it; 0: always */
	struct et_rng rng;
};

static double binomial(struct et_rng *rng, double n, double p)
{
	return n > 0 ? et_qbinom(et_rng_uniform(rng), n, fmin(1, p)) : 0;
}

static double draw(struct sampler *s, double left_samples, double left_share, size_t i)
{
	bool last = i == FUNCTIONS - 1;

	if (last && s->burst > 0 && et_rng_uniform(&s->rng) > s->burst)
		return 0;
	double p = s->share[i] / (last && s->burst > 0 ? s->burst : 1);
	return binomial(&s->rng, left_samples, p / left_share);
}

/* The first function takes what is left. `speed` multiplies the number of samples. */
static void add_run(struct sampler *s, struct et_experiment *e, uint32_t command, uint32_t turn,
	double speed, const double *factor)
{
	struct et_profile_run run = profile_run();
	double samples = round(s->total * speed * (1 + s->spread * et_rng_normal(&s->rng)));
	double share = 1;
	char name[16];

	for (size_t i = FUNCTIONS; i-- > 0;) {
		double n = i ? draw(s, samples, share, i) : samples;
		samples -= n;
		share -= s->share[i];
		n = round(n * (factor ? factor[i] : 1));
		snprintf(name, sizeof(name), "f%zu", i);
		uint32_t f = et_profile_function_of(e->profile, name, "/p", ET_SPACE_USER, false);
		uint32_t node = et_profile_node_of(e->profile, ET_PROFILE_ROOT, f);
		if (n > 0)
			et_profile_run_add(&run, node, (uint64_t)n, 0);
	}
	profile_add(e, command, turn, &run);
}

/* Shares that fall from 30 % to a function that is seen in a few runs only. */
static struct sampler sampler(double total, double spread, uint64_t seed)
{
	struct sampler s = { .total = total, .spread = spread };
	double left = 1;

	for (size_t i = 1; i < FUNCTIONS; i++) {
		s.share[i] = 0.3 * pow(0.62, (double)i - 1);
		left -= s.share[i];
	}
	s.share[0] = left;
	et_rng_seed(&s.rng, seed, 0);
	return s;
}

/* Functions are numbered as they are seen first: by their names. */
static size_t number_of(const char *name)
{
	return (size_t)strtoul(name + 1, NULL, 10);
}

static bool holds(const struct et_span *s, double truth)
{
	return s->lo <= truth && truth <= s->hi;
}

/* --- coverage --- */

struct coverage {
	double seen[FUNCTIONS], mean[FUNCTIONS], share[FUNCTIONS];
	double simultaneous;
};

static void count_rows(
	const struct et_profile_result *r, const struct sampler *s, struct coverage *out)
{
	bool all = true;

	for (size_t i = 0; i < r->n_rows; i++) {
		const struct et_profile_row *row = &r->rows[i];
		size_t f = number_of(row->name);
		bool held = holds(&row->interval, s->share[f] * s->total);
		out->seen[f]++;
		out->mean[f] += held;
		out->share[f] += holds(&row->share_interval, s->share[f]);
		all = all && held;
	}
	out->simultaneous += (double)all / repetitions(ALL);
}

static struct coverage cover(struct sampler *s, uint32_t runs, size_t statements)
{
	struct coverage out = { 0 };

	for (int k = 0; k < repetitions(ALL); k++) {
		struct et_experiment *e = profile_of(1);
		struct et_profile_options o = { .statements = statements };
		struct et_profile_result r;
		for (uint32_t i = 0; i < runs; i++)
			add_run(s, e, 0, i + 1, 1, NULL);
		et_profile_judge(e, 0, &o, &r);
		count_rows(&r, s, &out);
		et_profile_result_free(&r);
		et_experiment_free(e);
	}
	return out;
}

/* Four standard deviations of a coverage of 95 %: 2.5 % of 1200 repetitions. */
static void check_coverage(const char *what, struct sampler *s, uint32_t runs)
{
	struct coverage c = cover(s, runs, 1);
	double worst = 1, mean = 0, share = 0, rare = 1, n = 0;
	double least = 0.95 - 4 * sqrt(0.05 * 0.95 / repetitions(ALL));

	for (size_t f = 0; f < FUNCTIONS; f++) {
		double m = c.mean[f] / c.seen[f], h = c.share[f] / c.seen[f];
		if (s->share[f] * s->total * runs < 30) {
			rare = fmin(rare, fmin(m, h));
			continue;
		}
		n++;
		mean += m;
		share += h;
		worst = fmin(worst, fmin(m, h));
	}
	double lo = 0.94 - slack(0.95, ALL), hi = 0.97 + slack(0.95, ALL);
	ok(mean / n > lo && mean / n < hi, "%s: 95 %% intervals of mean counts cover %.1f %%", what,
		100 * mean / n);
	ok(share / n > lo && share / n < hi, "%s: 95 %% intervals of shares cover %.1f %%", what,
		100 * share / n);
	ok(worst > least, "%s: no function is covered in less than %.1f %% (%.1f %%)", what,
		100 * least, 100 * worst);
	ok(rare > least, "%s: nor is a rare one that was seen (%.1f %%)", what, 100 * rare);
}

static void test_coverage(void)
{
	struct sampler many = sampler(1000, 0.02, 1), few = sampler(150, 0.02, 2);
	struct sampler noisy = sampler(500, 0.15, 3), burst = sampler(500, 0.02, 4);

	check_coverage("30 runs of 1000 samples", &many, 30);
	check_coverage("30 runs of 150 samples", &few, 30);
	check_coverage("10 runs of 1000 samples", &many, 10);
	check_coverage("100 runs of 150 samples", &few, 100);
	check_coverage("a total that varies by 15 %", &noisy, 30);
	burst.share[0] -= 0.02 - burst.share[FUNCTIONS - 1];
	burst.share[FUNCTIONS - 1] = 0.02;
	burst.burst = 0.25;
	struct coverage c = cover(&burst, 30, 1);
	ok(c.mean[FUNCTIONS - 1] / c.seen[FUNCTIONS - 1] > 0.93,
		"a function in a quarter of the runs: covered in %.1f %%",
		100 * c.mean[FUNCTIONS - 1] / c.seen[FUNCTIONS - 1]);
}

static void test_simultaneous(void)
{
	struct sampler s = sampler(1000, 0.02, 5);
	struct coverage c = cover(&s, 30, 0);

	ok(c.simultaneous > 0.95, "simultaneous: all intervals of a profile hold in %.1f %%",
		100 * c.simultaneous);
}

/*
 * One function whose calls last v / I periods each, begun at random: the count is I floor(v / I)
 * and a binomial rest.
 */
static double cover_quantised(double v, double calls, uint32_t runs)
{
	struct et_rng rng;
	double whole = floor(v / calls), part = v / calls - whole, held = 0;

	et_rng_seed(&rng, 6, (uint64_t)(calls + 1000 * v));
	for (int k = 0; k < repetitions(ALL); k++) {
		struct et_experiment *e = profile_of(1);
		struct et_profile_options o = { .statements = 1 };
		struct et_profile_result r;
		uint32_t f = et_profile_node_of(e->profile, ET_PROFILE_ROOT,
			et_profile_function_of(e->profile, "f", "/p", ET_SPACE_USER, false));
		for (uint32_t i = 0; i < runs; i++) {
			struct et_profile_run run = profile_run();
			et_profile_run_add(&run, f,
				(uint64_t)(calls * whole + binomial(&rng, calls, part)), 0);
			profile_add(e, 0, i + 1, &run);
		}
		et_profile_judge(e, 0, &o, &r);
		held += holds(&r.rows[0].interval, v) / (double)repetitions(ALL);
		et_profile_result_free(&r);
		et_experiment_free(e);
	}
	return held;
}

static void test_quantised(void)
{
	static const double cases[][2] = { { 50.5, 1 }, { 50.2, 1 }, { 51, 7 }, { 50, 1000 },
		{ 50, 30 } };

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		double held = cover_quantised(cases[i][0], cases[i][1], 30);
		ok(held > 0.93, "quantised: %g periods in %g calls are covered in %.1f %%",
			cases[i][0], cases[i][1], 100 * held);
	}
}

/* --- warnings and models --- */

struct alarms {
	double any[ET_WARNING_CODES]; /* profiles with this warning, of themselves or of a row */
	double multinomial, tested;
};

static void count_codes(const struct et_warnings *w, bool *raised)
{
	for (size_t i = 0; i < w->n; i++)
		raised[w->list[i].code] = true;
}

static struct alarms alarms_with(struct sampler *s, uint32_t runs, struct et_profile_options o)
{
	struct alarms out = { 0 };

	for (int k = 0; k < repetitions(PROFILES); k++) {
		struct et_experiment *e = profile_of(1);
		struct et_profile_result r;
		bool raised[ET_WARNING_CODES] = { false };
		for (uint32_t i = 0; i < runs; i++)
			add_run(s, e, 0, i + 1, 1, NULL);
		et_profile_judge(e, 0, &o, &r);
		count_codes(&r.warnings, raised);
		for (size_t i = 0; i < r.n_rows; i++)
			count_codes(&r.rows[i].warnings, raised);
		for (size_t c = 0; c < ET_WARNING_CODES; c++)
			out.any[c] += raised[c] / (double)repetitions(PROFILES);
		out.multinomial += (double)r.models.multinomial;
		out.tested += (double)r.models.tested;
		et_profile_result_free(&r);
		et_experiment_free(e);
	}
	return out;
}

static struct alarms alarms_of(struct sampler *s, uint32_t runs)
{
	return alarms_with(
		s, runs, (struct et_profile_options){ .statements = 1, .replicates = 999 });
}

/* Student's and the bootstrap's interval, at the level of all rows together. */
static void check_bootstrap(struct sampler *s, uint32_t runs)
{
	struct alarms a = alarms_with(s, runs, (struct et_profile_options){ .replicates = 3999 });

	ok(a.any[ET_WARN_PROFILE_BOOTSTRAP_DIFFERS] < 0.03 + slack(0.03, PROFILES),
		"%u sound runs: the bootstrap differs from Student's t in %.1f %% of profiles",
		runs, 100 * a.any[ET_WARN_PROFILE_BOOTSTRAP_DIFFERS]);
}

static void check_alarms(const char *what, struct sampler *s, uint32_t runs)
{
	struct alarms a = alarms_of(s, runs);

	for (size_t c = 0; c < ET_WARNING_CODES; c++) {
		if (a.any[c] > 0)
			ok(a.any[c] < 0.03 + slack(0.03, PROFILES),
				"%s: %s is a false alarm in %.1f %% of profiles", what,
				et_warning_rows[c].name, 100 * a.any[c]);
	}
	ok(a.multinomial > 0.93 * a.tested && a.multinomial < 0.97 * a.tested,
		"%s: the multinomial model fits %.1f %% of the functions", what,
		100 * a.multinomial / a.tested);
}

static void test_alarms(void)
{
	struct sampler s = sampler(1000, 0, 7), coarse = sampler(150, 0, 8);

	check_alarms("30 sound runs", &s, 30);
	check_alarms("100 sound runs of few samples", &coarse, 100);
	check_bootstrap(&s, 10);
	check_bootstrap(&coarse, 12);
	struct sampler noisy = sampler(1000, 0.1, 9);
	struct alarms a = alarms_of(&noisy, 30);
	ok(a.any[ET_WARN_PROFILE_SPREAD] < 0.03 + slack(0.03, PROFILES),
		"a total that varies explains the spread of its functions (%.1f %% alarms)",
		100 * a.any[ET_WARN_PROFILE_SPREAD]);
	ok(a.multinomial < 0.8 * a.tested,
		"the multinomial model without the total then fits only %.1f %%",
		100 * a.multinomial / a.tested);
}

/* --- comparisons --- */

struct changes {
	double family_wise, found, simultaneous;
};

/* Runs of both commands in rounds whose speed they share; the third function is changed. */
static struct changes compare(struct sampler *s, uint32_t runs, double factor)
{
	enum { CHANGED = 2, TIMES = 300 };
	double factors[FUNCTIONS];
	struct changes out = { 0 };

	for (size_t i = 0; i < FUNCTIONS; i++)
		factors[i] = i == CHANGED ? factor : 1;
	for (int k = 0; k < TIMES; k++) {
		struct et_experiment *e = profile_of(2);
		struct et_profile_comparison c;
		bool wrong = false;
		for (uint32_t i = 0; i < runs; i++) {
			double speed = 1 + 0.05 * et_rng_normal(&s->rng);
			add_run(s, e, 0, i + 1, speed, NULL);
			add_run(s, e, 1, i + 1, speed, factors);
		}
		et_profile_compare(e, &(struct et_profile_pair){ .b = 1, .alpha = 0.05 }, &c);
		bool all = true;
		for (size_t i = 0; i < c.n_rows; i++) {
			const struct et_profile_change *row = &c.rows[i];
			size_t f = number_of(row->name);
			bool changed = f == CHANGED && factor != 1;
			double truth = changed ? (factor - 1) * s->share[f] * s->total : 0;
			wrong = wrong || (row->contrast.significant && !changed);
			out.found += (row->contrast.significant && changed) / (double)TIMES;
			all = all && (!row->contrast.family || holds(&row->interval, truth));
		}
		out.family_wise += wrong / (double)TIMES;
		out.simultaneous += all / (double)TIMES;
		et_profile_comparison_free(&c);
		et_experiment_free(e);
	}
	return out;
}

/* Of 300 repetitions: 5 % and two standard deviations are 7.5 %. */
static void test_compare(void)
{
	struct sampler s = sampler(2000, 0.01, 10);
	struct changes same = compare(&s, 30, 1), changed = compare(&s, 30, 1.1);

	ok(same.family_wise < 0.06, "compare: equal programs differ in some function in %.1f %%",
		100 * same.family_wise);
	ok(same.simultaneous > 0.94, "compare: all intervals of differences hold in %.1f %%",
		100 * same.simultaneous);
	ok(changed.found > 0.9, "compare: a function that takes 10 %% longer is found in %.1f %%",
		100 * changed.found);
	ok(changed.family_wise < 0.06, "compare: the other functions differ in %.1f %%",
		100 * changed.family_wise);
}

int main(void)
{
	test_coverage();
	test_simultaneous();
	test_quantised();
	test_alarms();
	test_compare();
	return tap_done();
}
