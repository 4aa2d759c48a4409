/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The evidence is compared with the integral that it stands for: the density of Student's
 * noncentral t, averaged over a normal effect of variance 0.5, over that of the central one, by
 * Simpson's rule. Huber's location was found by bisection. How often the interval errs is
 * simulated.
 */
#include "base/base.h"
#include "num/num.h"
#include "tap.h"

static void evidence(void)
{
	near(et_sequence_evidence(2.5, 10), 3.2979539628867216, 1e-12, 0,
		"sequence: the evidence of t = 2.5 in 10 values");
	near(et_sequence_evidence(-4, 10), 18.445501610697704, 1e-12, 0,
		"sequence: the evidence of t = -4 in 10 values");
	near(et_sequence_evidence(3.2, 30), 16.81519854810206, 1e-12, 0,
		"sequence: the evidence of t = 3.2 in 30 values");
	near(et_sequence_evidence(0.3, 20), 0.3147437875841793, 1e-12, 0,
		"sequence: a small t is evidence for equality");
	ok(et_sequence_evidence(1e200, 6) == 32 && et_sequence_evidence(NAN, 6) == 1 &&
			et_sequence_evidence(3, 1) == 1,
		"sequence: a t without bounds is evidence, an unknown one is none");
	for (int n = 6; n <= 1000; n *= 3)
		near(et_sequence_evidence(et_sequence_width(n, 0.95), n), 20, 1e-10, 0,
			"sequence: at the end of an interval of 95 %% of %d values p is 0.05", n);
	ok(isinf(et_sequence_width(5, 0.95)) && isinf(et_sequence_width(1, 0.95)),
		"sequence: five values have no interval of 95 %%");
}

static void location(void)
{
	const double x[] = { 0.8, 1.1, -0.4, 2.0, 0.3, 9.0, -1.2, 0.6, 1.4, 0.1, -0.7, 1.9 };
	double far[ET_LENGTH(x)];
	struct et_sequence s = et_sequence_of(x, ET_LENGTH(x), 0.95);

	near(s.location, 0.7183190909090909, 1e-9, 0,
		"sequence: Huber's location of twelve values");
	near(s.error, 0.3726948750465814 * sqrt(s.inflation), 1e-9, 0,
		"sequence: its standard error");
	near((s.hi - s.lo) / 2,
		s.error * et_sequence_width((double)ET_LENGTH(x) / s.inflation, 1 - 0.05 / 20),
		1e-9, 0, "sequence: below 20 values an interval of 95 %% is one of 99.75 %%");
	near(s.p,
		fmin(1, 20 / et_sequence_evidence(
				     s.location / s.error, (double)ET_LENGTH(x) / s.inflation)),
		1e-9, 0, "sequence: and p is 20 times as large");
	memcpy(far, x, sizeof(x));
	far[5] = 9e9;
	struct et_sequence t = et_sequence_of(far, ET_LENGTH(x), 0.95);
	ok(t.location == s.location && t.error == s.error,
		"sequence: how far a far value is does not matter");
	t = et_sequence_of(x, 4, 0.95);
	ok(isinf(t.lo) && isinf(t.hi) && t.p == 1, "sequence: four values have no interval");
	t = et_sequence_of(x, 0, 0.95);
	ok(isnan(t.location) && t.p == 1, "sequence: no value has no location");
	const double equal[] = { 2, 2, 2, 2, 2, 2, 2, 2 };
	t = et_sequence_of(equal, ET_LENGTH(equal), 0.95);
	ok(t.location == 2 && !(t.error > 0) && t.p == 1 && isinf(t.hi),
		"sequence: values that do not vary have a location and no interval");
	const double most[] = { 0, 0, 0, 0, 0, 0, 0, 4, 0, 4 };
	t = et_sequence_of(most, ET_LENGTH(most), 0.95);
	near(t.location, 0.8, 1e-12, 0, "sequence: where most values are equal, the mean counts");
}

enum { SERIES = 500, LENGTH = 100, FIRST = 10 };

/* In how many of the series an interval excluded 0 at one of the looks. */
static void alarms(double correlation, int *here, int *student)
{
	struct et_rng rng;

	et_rng_seed(&rng, 7, 0);
	*here = *student = 0;
	for (int k = 0; k < SERIES; k++) {
		double x[LENGTH] = { 0 };
		bool by_us = false, by_student = false;
		for (int n = 0; n < LENGTH; n++) {
			double fresh = et_rng_normal(&rng);
			x[n] = n ? correlation * x[n - 1] +
					       sqrt(1 - correlation * correlation) * fresh
				 : fresh;
			if (n + 1 < FIRST || n % 2 == 0)
				continue;
			struct et_sequence s = et_sequence_of(x, (size_t)n + 1, 0.95);
			double half = et_qt(0.975, n) * et_sd(x, (size_t)n + 1) / sqrt(n + 1);
			by_us = by_us || s.lo > 0 || s.hi < 0;
			by_student = by_student || fabs(et_mean(x, (size_t)n + 1)) > half;
		}
		*here += by_us;
		*student += by_student;
	}
}

static void errors(void)
{
	int here, student;

	alarms(0, &here, &student);
	ok(here <= SERIES / 20, "sequence: %d of %d series of equal values alarm at some look",
		here, SERIES);
	ok(student > SERIES / 8, "sequence: by Student's interval it would be %d", student);
	alarms(0.3, &here, &student);
	ok(here <= SERIES / 20 + SERIES / 100, "sequence: %d of %d dependent series alarm", here,
		SERIES);
}

int main(void)
{
	evidence();
	location();
	errors();
	return tap_done();
}
