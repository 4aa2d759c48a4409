/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ratio of programs alone, against figures that a program of its own computed from the formulas
 * (Python, with Student's quantiles by bisection over a density integrated by Simpson's rule).
 */
#include "stats/alone.h"
#include "base/alloc.h"
#include "tap.h"

struct answer {
	struct et_log_ratio pairs, solos;
	double kappa;
	double corrected, combined, lo, hi, z;
};

static const struct answer answers[] = {
	{ { 30, 0.135, 0.128, 0.142 }, { 30, 0.142, 0.11, 0.17 }, 0.06, 0.142548483675,
		0.142415115841, 0.128, 0.157208412004, 0.0325302446781 },
	{ { 30, 0.135, 0.128, 0.142 }, { 0, 0, NAN, NAN }, 0.06, 0.142548483675, 0.142548483675,
		0.128, 0.159552916546, NAN },
	{ { 30, -1.45, -1.47, -1.43 }, { 28, -1.5, -1.53, -1.46 }, 0.03, -1.47270321198,
		-1.4913090147, -1.52011197132, -1.46250605807, 0.902950040149 },
	{ { 100, 0.0098, 0.004, 0.0156 }, { 100, -0.02, -0.05, 0.01 }, 0.06, 0.0103849570682,
		0.00924792855876, 0.004, 0.0206904672414, 1.97171786308 },
	{ { 10, 0.001, -0.009, 0.011 }, { 10, 0.012, -0.05, 0.075 }, 0.06, 0.00105996821187,
		0.00133309133032, -0.00854220091046, 0.0112083835711, -0.390995120066 },
	{ { 12, 0.6931471805599453, 0.68, 0.71 }, { 12, 0.70, 0.66, 0.73 }, 0.13, 0.756121979721,
		0.703136762648, 0.68, 0.737144591948, 0.834365599819 },
};

static void oracle(void)
{
	for (size_t i = 0; i < ET_LENGTH(answers); i++) {
		const struct answer *w = &answers[i];
		struct et_alone a = et_alone_combine(&w->pairs, &w->solos, w->kappa, 0.95);
		near(a.corrected.estimate, w->corrected, 1e-9, 0,
			"case %zu: the pairs are corrected", i);
		near(a.combined.estimate, w->combined, 1e-9, 0, "case %zu: the estimate", i);
		near(a.combined.lo, w->lo, 1e-8, 0, "case %zu: the lower end", i);
		near(a.combined.hi, w->hi, 1e-8, 0, "case %zu: the upper end", i);
		near(a.z, w->z, 1e-8, 0, "case %zu: the disagreement", i);
	}
}

static void limits(void)
{
	struct et_log_ratio none = { 0, NAN, NAN, NAN }, few = { 3, 0.1, NAN, NAN };
	struct et_log_ratio same = { 30, 0, -0.01, 0.01 }, exact = { 5, 0.2, 0.2, 0.2 };

	near(et_dilution(0), 0.03, 0, 0, "dilution: slices of the scheduler");
	near(et_dilution(1000000), 0.06, 1e-12, 0, "dilution: 1 ms");
	near(et_dilution(300000), 0.13, 1e-12, 0, "dilution: 0.3 ms");
	struct et_alone a = et_alone_combine(&same, &none, 0.06, 0.95);
	ok(a.combined.estimate == 0 && fabs(a.combined.lo + 0.01) < 1e-15,
		"alone: pairs of equal programs are not changed");
	a = et_alone_combine(&few, &same, 0.06, 0.95);
	ok(a.combined.estimate > 0.1 && isnan(a.combined.lo) && isnan(a.combined.hi),
		"alone: too few pairs have an estimate and no interval");
	a = et_alone_combine(&same, &few, 0.06, 0.95);
	ok(isnan(a.z) && fabs(a.combined.hi - 0.01) < 1e-15,
		"alone: too few solos are not taken into account");
	a = et_alone_combine(&exact, &exact, 0, 0.95);
	ok(a.combined.lo == 0.2 && a.combined.hi == 0.2, "alone: exact pairs remain exact");
}

/* If b/a becomes a/b, the result becomes its inverse. */
static void symmetry(void)
{
	for (size_t i = 0; i < ET_LENGTH(answers); i++) {
		struct et_log_ratio p = answers[i].pairs, s = answers[i].solos;
		struct et_log_ratio q = { p.n, -p.estimate, -p.hi, -p.lo };
		struct et_log_ratio t = { s.n, -s.estimate, -s.hi, -s.lo };
		struct et_alone a = et_alone_combine(&p, &s, answers[i].kappa, 0.95);
		struct et_alone b = et_alone_combine(&q, &t, answers[i].kappa, 0.95);
		near(b.combined.estimate, -a.combined.estimate, 1e-12, 0,
			"case %zu, inverted: the estimate", i);
		near(b.combined.lo, -a.combined.hi, 1e-12, 0, "case %zu, inverted: the interval",
			i);
	}
}

int main(void)
{
	oracle();
	limits();
	symmetry();
	return tap_done();
}
