/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The posterior of changes of level. The expected values are those of the same hypotheses by
 * densities of the multivariate normal law with their whole covariance matrices.
 */
#include "num/changepoints.h"
#include "base/base.h"
#include "num/sequence.h"
#include "tap.h"

static const struct et_changepoints_value values[] = { { 0.001, 4e-6, 25 }, { -0.002, 9e-6, 25 },
	{ 0.014, 6e-6, 20 }, { 0.012, 2e-6, 10 }, { 0.022, 5e-6, 20 } };
enum { N = ET_LENGTH(values) };

static void unknown_spread(void)
{
	static const double largest[] = { 0.005769109978125613, 0.010500563620124893,
		0.9488735721067385, 0.009883711345867512, 0.02032630771998331 };
	static const double other[] = { 0.007872357170187255, 0.010615837095963523, 0,
		0.003684365857912781, 0.3022856726753229 };
	struct et_changepoints c;

	et_changepoints_find(values, N, 100, NAN, &c);
	near(c.none, 0.004646735229160245, 1e-9, 0, "changes: probability of none");
	near(c.two, 0.3244582327993865, 1e-9, 0, "changes: probability of two");
	near(c.rise, 0.014120983021634862, 1e-9, 0, "changes: the mean of the largest rise");
	near(c.spread, 0.0033355014068980875, 1e-9, 0, "changes: what builds differ by");
	for (size_t i = 0; i < N; i++) {
		near(c.gaps[i].largest, largest[i], 1e-9, 0,
			"changes: the largest rise is in gap %zu", i);
		near(c.gaps[i].other, other[i], 1e-9, 0, "changes: another is in gap %zu", i);
	}
	near(c.gaps[4].other_size, 0.0094, 1e-9, 0, "changes: the size of the other");
	et_changepoints_free(&c);
}

static void known_spread(void)
{
	struct et_changepoints c;

	et_changepoints_find(values, N, 100, 0.002, &c);
	near(c.none, 1.0651857705200311e-10, 1e-6, 0, "changes, known spread: none");
	near(c.gaps[2].largest, 0.9993086593870593, 1e-9, 0, "changes, known spread: the place");
	near(c.gaps[1].other_size, -0.0025725626188497475, 1e-9, 0,
		"changes, known spread: the size of another, which is a fall");
	near(c.spread, 0.002, 1e-12, 0, "changes, known spread: it is what was given");
	et_changepoints_free(&c);
}

/* Equal programs without a gap between them, a fall, and values that all are equal. */
static void edges(void)
{
	struct et_changepoints_value v[] = { { 0, 1e-6, 5 }, { 0, 1e-6, 0 }, { 0.05, 1e-6, 5 } };
	struct et_changepoints c;

	et_changepoints_find(v, 3, 10, NAN, &c);
	ok(c.gaps[1].largest == 0 && c.gaps[2].largest > 0.99,
		"changes: no change is where no position is: %g, %g", c.gaps[1].largest,
		c.gaps[2].largest);
	et_changepoints_free(&c);
	v[2].y = -0.05;
	et_changepoints_find(v, 3, 10, NAN, &c);
	ok(c.none < 0.01 && c.gaps[2].largest < 0.01 && c.rise < -0.04,
		"changes: a fall is a change, and no rise: %g, %g", c.none, c.rise);
	et_changepoints_free(&c);
	v[2].y = 0;
	et_changepoints_find(v, 3, 10, NAN, &c);
	ok(c.none > 0.5, "changes: equal values show no change: %g", c.none);
	et_changepoints_free(&c);
	et_changepoints_find(v, 1, 1, NAN, &c);
	ok(c.none > 0 && c.none < 1 && c.two == 0, "changes: one value, one position: %g", c.none);
	et_changepoints_free(&c);
}

static void information(void)
{
	near(et_information(0.5, 1), 0.1607472197963904, 1e-6, 0, "information: one sd apart");
	near(et_information(0.1, -2), 0.2048921359700578, 1e-6, 0,
		"information: an answer that is not expected");
	near(et_information(0.5, 0.1), 0.0018011183354207372, 1e-4, 0, "information: hardly apart");
	near(et_information(0.3, 6), 0.8762369097945382, 1e-6, 0, "information: far apart");
	ok(et_information(0, 3) == 0 && et_information(1, 3) == 0 && et_information(0.5, 0) < 1e-9,
		"information: there is none about what is known, or what looks equal");
}

int main(void)
{
	unknown_spread();
	known_spread();
	edges();
	information();
	return tap_done();
}
