/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set is compared with a sorted copy, the predicted error with known lower limits. */
#include "num/kbest.h"
#include "num/quantile.h"
#include "num/rng.h"
#include "tap.h"

#include <math.h>

static void order(void)
{
	struct et_rng rng;
	struct et_kbest_set s;
	double all[300];
	bool same = true, marks = true;

	et_rng_seed(&rng, 1, 0);
	for (size_t k = 1; k <= ET_KBEST_MOST; k += 7) {
		et_kbest_set_init(&s, k);
		for (size_t i = 0; i < 300; i++) {
			all[i] = floor(1 + 500 * et_rng_uniform(&rng)); /* ties */
			et_kbest_set_add(&s, all[i], -all[i]);
		}
		et_sort(all, 300);
		for (size_t i = 0; i < s.kept; i++) {
			same &= s.value[i] == all[i];
			marks &= s.mark[i] == -all[i];
		}
		same &= s.kept >= k && s.n == 300;
		near(et_kbest_spread(&s), all[k - 1] / all[0] - 1, 1e-12, 1e-15,
			"kbest set: spread of the %zu shortest", k);
	}
	ok(same, "kbest set: the shortest values are kept in order");
	ok(marks, "kbest set: each value keeps its mark");
}

static void convergence(void)
{
	struct et_kbest_set s;

	et_kbest_set_init(&s, 3);
	ok(isinf(et_kbest_spread(&s)) && isinf(et_kbest_error(&s, 0.95)),
		"kbest set: without values spread and error are infinite");
	et_kbest_set_add(&s, 100, 0);
	et_kbest_set_add(&s, 100.05, 0);
	ok(!et_kbest_converged(&s, 0.001), "kbest set: two values do not converge for K of 3");
	et_kbest_set_add(&s, 200, 0);
	ok(!et_kbest_converged(&s, 0.001),
		"kbest set: a third, longer value does not make them converge");
	et_kbest_set_add(&s, 100.1, 0);
	ok(et_kbest_converged(&s, 0.001), "kbest set: three values within 0.1 %% converge");
	et_kbest_set_add(&s, 99, 0);
	ok(!et_kbest_converged(&s, 0.001), "kbest set: a shorter value ends the convergence");
	et_kbest_set_init(&s, 2);
	et_kbest_set_add(&s, 0, 0);
	et_kbest_set_add(&s, 0, 0);
	ok(et_kbest_converged(&s, 0), "kbest set: three zeros converge");
	et_kbest_set_init(&s, 2);
	et_kbest_set_add(&s, 0, 0);
	et_kbest_set_add(&s, 1, 0);
	ok(!et_kbest_converged(&s, 1), "kbest set: no other value is relatively near 0");
}

/* How often the true minimum of 1000 is within the predicted error. */
static double covered(size_t k, size_t n, double (*noise)(struct et_rng *))
{
	enum { RUNS = 4000 };
	struct et_rng rng;
	struct et_kbest_set s;
	size_t hits = 0;

	et_rng_seed(&rng, k, n);
	for (int run = 0; run < RUNS; run++) {
		et_kbest_set_init(&s, k);
		for (size_t i = 0; i < n; i++)
			et_kbest_set_add(&s, 1000 + noise(&rng), 0);
		hits += s.value[0] - 1000 <= et_kbest_error(&s, 0.95) * s.value[0];
	}
	return (double)hits / RUNS;
}

static double exponential(struct et_rng *rng)
{
	return -20 * log(1 - et_rng_uniform(rng));
}

/* An interrupt in 30 % of the values, otherwise a little jitter. */
static double mixture(struct et_rng *rng)
{
	double jitter = et_rng_uniform(rng);

	return et_rng_uniform(rng) < 0.3 ? 50 + 100 * jitter : jitter;
}

static void error(void)
{
	near(covered(3, 50, exponential), 0.95, 0.015, 0,
		"predicted error: holds in 95 %% for exponential times, K of 3");
	near(covered(1, 30, exponential), 0.95, 0.015, 0,
		"predicted error: holds in 95 %% for exponential times, K of 1");
	near(covered(10, 200, exponential), 0.95, 0.015, 0,
		"predicted error: holds in 95 %% for exponential times, K of 10");
	near(covered(3, 40, mixture), 0.95, 0.015, 0,
		"predicted error: holds in 95 %% for a mixture with interrupts");
}

int main(void)
{
	order();
	convergence();
	error();
	return tap_done();
}
