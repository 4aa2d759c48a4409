/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The reference loop as a control variate: compared with R's lm() and predict(), and refusals. */
#include "stats/compare/pace.h"
#include "base/base.h"
#include "num/moments.h"
#include "num/rng.h"
#include "num/student.h"
#include "sample_of.h"
#include "stats/compare/judge.h"
#include "tap.h"

#include <math.h>

enum { N = 12 };

/*
 * The results are those of lm(log(times) ~ log(laps)) and predict(…, interval = "confidence") at
 * quantile(laps, 0.1).
 */
static const double laps[N] = { 19406, 23442, 21334, 21805, 22839, 19519, 19826, 24941, 40334,
	22037, 22975, 20439 };
static const double times[N] = { 203408718, 223950861, 214546834, 215466873, 226749134, 202708888,
	208394526, 234906674, 318238811, 218588900, 223251101, 209001356 };

static void test_oracle(void)
{
	struct et_paced p;

	et_pace_fit(times, laps, N, 0.95, &p);
	ok(!p.why && p.n == N, "fit: twelve samples have a figure");
	near(p.coefficient, 0.61091902750576, 1e-12, 0, "fit: the coefficient agrees with R");
	near(p.coefficient_uncertainty, 0.0140682245112622, 1e-11, 0,
		"fit: the uncertainty of the coefficient agrees with R");
	near(p.p, 1.00723097201093e-12, 1e-9, 0, "fit: the p of the coefficient agrees with R");
	near(p.relative_error, 0.00915449127752842, 1e-11, 0,
		"fit: the relative error of the residuals agrees with R");
	near(p.lap, 19549.7, 1e-14, 0, "fit: full speed is the first decile of the laps");
	near(p.lap_mean, 22774.4798958884, 1e-12, 0,
		"fit: mean speed is the geometric mean of the laps");
	near(p.mean, 203424552.376228, 1e-12, 0, "fit: CPU time at full speed agrees with R");
	near(p.standard_uncertainty, 203424552.376228 * 0.00340549517233754, 1e-11, 0,
		"fit: the uncertainty of the CPU time agrees with R");
	ok(p.inflation == 1 && p.df == 10,
		"fit: two degrees of freedom are used, and nothing is widened");
	near(p.lo, 201886825.389108, 1e-12, 0, "fit: the lower bound agrees with R");
	near(p.hi, 204973991.887344, 1e-12, 0, "fit: the upper bound agrees with R");
}

static void test_refusals(void)
{
	struct et_paced p;
	double same[N], opposite[N];

	et_pace_fit(times, laps, ET_PACE_LEAST - 1, 0.95, &p);
	ok(p.why && strstr(p.why, "too few") && isnan(p.mean) && isnan(p.lo),
		"refusal: five samples are too few");
	et_pace_fit(times, laps, 0, 0.95, &p);
	ok(p.why && isnan(p.mean), "refusal: no samples are too few");
	for (int i = 0; i < N; i++) {
		same[i] = 20000;
		opposite[i] = 1e12 / laps[i];
	}
	et_pace_fit(times, same, N, 0.95, &p);
	ok(p.why && strstr(p.why, "take more") && isnan(p.mean),
		"refusal: a constant loop in few runs asks for more");
	double long_times[3 * N], long_same[3 * N];
	for (int i = 0; i < 3 * N; i++) {
		long_times[i] = times[i % N];
		long_same[i] = 20000;
	}
	et_pace_fit(long_times, long_same, 3 * N, 0.95, &p);
	ok(p.why && strstr(p.why, "not predict this"),
		"refusal: a constant loop in many runs explains nothing");
	et_pace_fit(times, opposite, N, 0.95, &p);
	ok(p.why && p.coefficient < 0 && isnan(p.mean),
		"refusal: a negative coefficient has no figure");
	et_pace_fit(same, laps, N, 0.95, &p);
	ok(p.why && isnan(p.mean), "refusal: a program of constant time has no figure");
}

/* In a simulation the interval contains the true CPU time at the first decile's speed. */
static void test_coverage(void)
{
	enum { RUNS = 30, TRIES = 2000 };
	double cpu[RUNS], lap[RUNS], spread = 0, left = 0;
	struct et_rng rng;
	size_t held = 0, n = 0;

	et_rng_seed(&rng, 11, 0);
	for (int k = 0; k < TRIES; k++) {
		for (int i = 0; i < RUNS; i++) {
			bool slow = et_rng_uniform(&rng) < 0.4;
			double speed = (slow ? 1.8 : 1) * (1 + 0.1 * et_rng_uniform(&rng));
			lap[i] = 19000 * speed;
			cpu[i] = 1e8 * pow(speed, 0.7) * exp(0.02 * et_qnorm(et_rng_uniform(&rng)));
		}
		struct et_paced p;
		et_pace_fit(cpu, lap, RUNS, 0.95, &p);
		if (p.why)
			continue;
		double truth = 1e8 * pow(p.lap / 19000, 0.7);
		n++;
		held += p.lo <= truth && truth <= p.hi;
		spread += et_sd(cpu, RUNS) / et_mean(cpu, RUNS) / TRIES;
		left += p.relative_error / TRIES;
	}
	ok(n == TRIES, "coverage: all simulated series are fitted");
	ok(held > 0.94 * TRIES && held < 0.975 * TRIES,
		"coverage: 95 %% intervals contain the truth in %.1f %%",
		100.0 * (double)held / TRIES);
	ok(left < 0.021 && spread > 0.15,
		"coverage: the fit reduces the relative error from %.3f to %.3f", spread, left);
}

static void test_samples(void)
{
	struct et_experiment *e = et_calloc(1, sizeof(*e));
	struct et_paced p;

	e->n_commands = 1;
	e->plan.level = 0.95;
	e->plan.pace = true;
	e->commands = et_calloc(1, sizeof(*e->commands));
	for (uint32_t i = 0; i < N + 4; i++) {
		struct et_sample s = { .place.arrangement = ET_PACED,
			.place.order = i + 1,
			.place.round = i + 1,
			.measured.elapsed_ns = 500000000,
			.measured.cpu_ns = (uint64_t)times[i % N],
			.measured.pace_ns = (uint64_t)laps[i % N] * 1000,
			.measured.pace_loops = 1000 };
		s.place.warmup = i == N;
		if (i == N + 1)
			s.ruling.removal.by = ET_REMOVED_DAEMON_CUTOFF;
		if (i == N + 2)
			s.measured.pace_loops = ET_UNKNOWN;
		if (i == N + 3)
			s.measured.pace_loops = ET_PACE_LAPS - 1;
		et_experiment_add(e, &s);
	}
	et_pace_judge(&e->commands[0], 0.95, &p);
	ok(p.n == N, "samples: only those that count and have enough laps are used (%zu)", p.n);
	near(p.mean, 203424552.376228, 1e-7, 0, "samples: the figure is that of the fit");
	struct et_judgement j;
	et_judge(e, &j);
	ok(j.commands[0].paced.n == N && j.commands[0].estimate[ET_METRIC_CPU].n == N + 2 &&
			j.commands[0].estimate[ET_METRIC_ELAPSED].n == N + 2,
		"samples: the plain estimates have all samples that count");
	ok(et_warnings_have(&j.commands[0].warnings, ET_WARN_PACED),
		"samples: a warning is raised that paced runs share their CPU");
	et_judgement_free(&j);
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->measured.pace_loops = 0;
	et_pace_judge(&e->commands[0], 0.95, &p);
	ok(p.n == 0 && p.why, "samples: a loop that never ran has no figure");
	for (size_t i = 0; i < e->commands[0].samples.n; i++)
		sample_of(&e->commands[0], i)->place.arrangement = ET_SOLO;
	et_pace_judge(&e->commands[0], 0.95, &p);
	ok(p.n == 0 && !p.why, "samples: solo runs have no figure, without a reason");
	et_experiment_free(e);
}

int main(void)
{
	test_oracle();
	test_refusals();
	test_coverage();
	test_samples();
	return tap_done();
}
