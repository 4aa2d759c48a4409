/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The set against a sorted copy; the predicted error against floors that are known. */
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
		near(et_kbest_spread(&s), all[k - 1] / all[0] - 1, 1e-12, 1e-15, "spread of %zu",
			k);
	}
	ok(same, "the shortest, in order");
	ok(marks, "each with its mark");
}

static void convergence(void)
{
	struct et_kbest_set s;

	et_kbest_set_init(&s, 3);
	ok(isinf(et_kbest_spread(&s)) && isinf(et_kbest_error(&s, 0.95)), "nothing is known yet");
	et_kbest_set_add(&s, 100, 0);
	et_kbest_set_add(&s, 100.05, 0);
	ok(!et_kbest_converged(&s, 0.001), "two of three do not agree yet");
	et_kbest_set_add(&s, 200, 0);
	ok(!et_kbest_converged(&s, 0.001), "nor with a long one");
	et_kbest_set_add(&s, 100.1, 0);
	ok(et_kbest_converged(&s, 0.001), "three within 0.1 %% do");
	et_kbest_set_add(&s, 99, 0);
	ok(!et_kbest_converged(&s, 0.001), "until a shorter one comes");
	et_kbest_set_init(&s, 2);
	et_kbest_set_add(&s, 0, 0);
	et_kbest_set_add(&s, 0, 0);
	ok(et_kbest_converged(&s, 0), "zeros agree");
	et_kbest_set_init(&s, 2);
	et_kbest_set_add(&s, 0, 0);
	et_kbest_set_add(&s, 1, 0);
	ok(!et_kbest_converged(&s, 1), "nothing is near zero");
}

/* How often the floor 1000 is within the predicted error. */
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

/* An interrupt now and then, else a little jitter. */
static double mixture(struct et_rng *rng)
{
	double jitter = et_rng_uniform(rng);

	return et_rng_uniform(rng) < 0.3 ? 50 + 100 * jitter : jitter;
}

static void error(void)
{
	near(covered(3, 50, exponential), 0.95, 0.015, 0, "exponential, K 3: 95 %% covered");
	near(covered(1, 30, exponential), 0.95, 0.015, 0, "also with a K of 1");
	near(covered(10, 200, exponential), 0.95, 0.015, 0, "and of 10");
	near(covered(3, 40, mixture), 0.95, 0.015, 0, "a mixture with interrupts");
}

int main(void)
{
	order();
	convergence();
	error();
	return tap_done();
}
