/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The variance of a count by quantisation: the figures of NIST TN 1826, section 3.2.3. */
#include "lab/quantisation.h"
#include "tap.h"

static void test_theory(void)
{
	static const double whole[] = { 1, 2, 5, 10, 25, 50 };
	bool none = true, bounded = true;

	for (size_t i = 0; i < sizeof(whole) / sizeof(whole[0]); i++)
		none = none && et_quantisation_variance(50, whole[i]) == 0;
	ok(none, "theory: calls of whole periods do not vary");
	near(et_quantisation_variance(50, 300), 41.67, 0, 0.005, "theory: 300 calls, as published");
	near(et_quantisation_variance(2.5, 1), 0.25, 0, 0,
		"theory: one call varies by 1/4 at most");
	for (int calls = 51; calls <= 300; calls++)
		bounded = bounded && fabs(et_quantisation_variance(50, calls) -
					     50 * (1 - 50.0 / calls)) < 1e-9;
	ok(bounded, "theory: of more calls than periods it is v (1 - v / I)");
	bounded = true;
	for (int calls = 1; calls <= 300; calls++)
		bounded = bounded &&
			  et_quantisation_variance(50, calls) <= fmin(calls / 4.0, 50) + 1e-9;
	ok(bounded, "theory: the variance is below both bounds");
}

static bool stop_after_ten(void *ctx, uint64_t done, uint64_t total)
{
	(void)ctx;
	return done < 10 && total == ET_QUANTISATION_CALLS;
}

static void test_simulation(void)
{
	static struct et_quantisation q, again;
	struct et_simulation o = { .seed = 1, .repetitions = 400 };
	double worst = 0, bias = 0;

	et_quantisation_run(&o, &q);
	ok(q.n == ET_QUANTISATION_CALLS && q.points[0].calls == 1, "simulation: all points");
	/* The sd of a variance of 400 counts is 7 %; five of them, because there are 300. */
	for (size_t i = 0; i < q.n; i++) {
		const struct et_quantisation_point *p = &q.points[i];
		if (p->theory > 0)
			worst = fmax(worst, fabs(p->simulated / p->theory - 1));
		bias = fmax(bias, fabs(p->simulated_mean - 50));
	}
	ok(worst < 0.36, "simulation: variances agree with the theory (%.3f)", worst);
	ok(bias < 5 * sqrt(42.0 / 400), "simulation: counts are unbiased (%.3f)", bias);
	et_quantisation_run(&o, &again);
	ok(again.points[299].simulated == q.points[299].simulated,
		"simulation: the same seed gives the same answer");
	o.progress.report = stop_after_ten;
	et_quantisation_run(&o, &again);
	ok(again.n == 10 && again.points[9].simulated == q.points[9].simulated,
		"simulation: it can be ended early");
}

int main(void)
{
	test_theory();
	test_simulation();
	return tap_done();
}
