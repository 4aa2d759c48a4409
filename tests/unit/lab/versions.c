/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often `lab emp-versions` names a better version, simulated with all that decides it: the
 * judgement of each version, the comparisons and the choice. Versions that are equal must not be
 * named, and one that is twice as precise must be.
 */
#include "protocol/versions.h"
#include "base/base.h"
#include "base/parse.h"
#include "num/rng.h"
#include "stats/fleet/versions.h"
#include "tap.h"

#include <math.h>

enum { MOST = 13, MOST_OF_FEW = 8, FEW = 60, RUNS = 40, LENGTHS = 2, TRIALS = 120 };

static double normal(struct et_rng *rng, double spread)
{
	return 1 + 0.02 * spread * et_rng_normal(rng);
}

static double lognormal(struct et_rng *rng, double spread)
{
	return 0.9 + 0.1 * exp(0.5 * spread * et_rng_normal(rng));
}

/* One run in 33 takes up to three times as long. */
static double rarely_slow(struct et_rng *rng, double spread)
{
	double slow = et_rng_uniform(rng) < 0.03 ? 1 + et_rng_uniform(rng) : 0;

	return 1 + 0.01 * spread * et_rng_normal(rng) + slow;
}

/* Slow phases of some runs: successive runs are alike. */
static double in_phases(struct et_rng *rng, double spread)
{
	static double state;

	state = 0.5 * state + et_rng_normal(rng);
	return 1 + 0.02 * spread * state;
}

struct trial {
	double (*law)(struct et_rng *rng, double spread);
	double spread[ET_ENVS]; /* of each environment; 0: not measured */
	bool learned;           /* a learning without daemons: v5 and v6 are there */
};

static struct et_experiment *make(const struct trial *t, enum et_lab_env env, struct et_rng *rng)
{
	struct et_experiment *e = et_experiment_new();

	for (uint32_t c = 0; c < LENGTHS; c++)
		et_experiment_add_command(
			e, et_asprintf("INC%g", 0.1 * (c + 1)), et_strv_of("inc", NULL));
	e->snapshot_source = et_strdup("taskstats");
	e->environment = et_calloc(2, sizeof(*e->environment));
	e->environment[e->n_environment++] = (struct et_factor){ et_strdup("daemons"),
		et_asprintf("state %d", env), et_strdup("none"), true };
	e->environment[e->n_environment++] = (struct et_factor){ et_strdup("kernel-age"),
		et_strdup("new"), et_strdup("new"), true };
	for (uint32_t i = 0; i < RUNS * LENGTHS; i++) {
		double ns = 1e8 * (i % LENGTHS + 1) * (1 + 0.1 * env);
		struct et_sample s = { .place = { .command = i % LENGTHS,
					       .order = i + 1,
					       .round = i / LENGTHS + 1,
					       .partner = -1 },
			.measured = { .cpu_ns = (uint64_t)(ns * t->law(rng, t->spread[env])),
				.elapsed_ns = (uint64_t)(ns * t->law(rng, t->spread[env])),
				.steal_ns = ET_UNKNOWN,
				.probe_before_ns = ET_UNKNOWN,
				.probe_after_ns = ET_UNKNOWN } };
		et_experiment_add(e, &s);
	}
	return e;
}

/*
 * How often a version is shown to be better than all others, than any other, than v1, v2 and as is;
 * and which one is better than all others.
 */
struct outcome {
	int all, any, earlier, is[ET_VERSIONS];
};

static struct outcome simulate(const struct trial *t, int trials, uint64_t seed)
{
	static const struct et_cutoffs none = {
		.floor_ms = NAN, .short_seconds = 1, .short_runs = 300, .long_seconds = NAN
	};
	const char *const why_not[ET_ENVS] = { NULL };
	struct outcome o = { 0 };

	for (int i = 0; i < trials; i++) {
		struct et_version_source list[ET_ENVS];
		struct et_versions v;
		struct et_rng rng;
		size_t n = 0;
		et_rng_seed(&rng, seed, (uint64_t)i);
		for (int env = 0; env < ET_ENVS; env++) {
			if (t->spread[env] > 0)
				list[n++] = (struct et_version_source){ (enum et_lab_env)env,
					make(t, (enum et_lab_env)env, &rng) };
		}
		et_versions_judge(list, n, t->learned ? &none : NULL, why_not, &v);
		et_versions_compare(&v);
		struct et_best_version best = et_versions_best(&v, ET_METRIC_CPU);
		o.any += best.beaten > 0;
		o.earlier += best.is_beaten[ET_EMP_V1] && best.is_beaten[ET_EMP_V2] &&
			     best.is_beaten[ET_AS_IS];
		o.all += best.beaten && best.beaten == best.compared;
		o.is[best.version] += best.beaten && best.beaten == best.compared;
		et_versions_free(&v);
		for (size_t k = 0; k < n; k++)
			et_experiment_free(list[k].e);
	}
	return o;
}

static const struct {
	const char *name;
	double (*law)(struct et_rng *rng, double spread);
} laws[] = { { "normal", normal }, { "lognormal", lognormal }, { "rare slow runs", rarely_slow },
	{ "slow phases", in_phases } };

/* Of 120 studies, 5 % are 6; more than MOST of them have a probability of 0.4 %
 * then; of 60, more than MOST_OF_FEW have 0.2 %. */
static void test_equal(void)
{
	for (size_t i = 0; i < ET_LENGTH(laws); i++) {
		struct trial two = { laws[i].law, { 1, 1 }, false };
		struct trial four = { laws[i].law, { 1, 1, 1, 1 }, true };
		struct outcome o = simulate(&two, TRIALS, 1);
		ok(o.any <= MOST, "%s: of two equal versions one is named in %d of %d studies",
			laws[i].name, o.any, TRIALS);
		o = simulate(&four, FEW, 2);
		ok(o.any <= MOST_OF_FEW,
			"%s: of v1 to v6 and as is, all equal, one is shown to be better than "
			"another in %d of %d studies",
			laws[i].name, o.any, FEW);
		ok(o.all <= 3, "%s: it is named as the best in %d", laws[i].name, o.all);
	}
}

/* Not with rare slow runs: they are as frequent in v3, and decide. */
static void test_better(void)
{
	for (size_t i = 0; i < ET_LENGTH(laws); i++) {
		struct trial t = { laws[i].law, { 1, 1, 1, 0.5 }, false };
		if (laws[i].law == rarely_slow)
			continue;
		struct outcome o = simulate(&t, TRIALS, 3);
		ok(o.is[ET_EMP_V3] >= 3 * TRIALS / 4,
			"%s: v3 with half of the sd is named in %d of %d studies", laws[i].name,
			o.is[ET_EMP_V3], TRIALS);
		if (laws[i].law != normal)
			continue;
		t.learned = true;
		o = simulate(&t, FEW, 4);
		ok(o.earlier >= 2 * FEW / 3,
			"%s: one with its runs is shown to be better than v1, v2 and as is in %d "
			"of %d",
			laws[i].name, o.earlier, FEW);
	}
}

int main(void)
{
	test_equal();
	test_better();
	return tap_done();
}
