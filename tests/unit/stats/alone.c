/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ratio of programs alone, against figures that a program of its own computed from the formulas
 * (Python and mpmath, with Student's law by the incomplete beta function).
 */
#include "base/base.h"
#include "stats/compare/duet.h"
#include "tap.h"

struct answer {
	struct et_log_ratio pairs, solos;
	double kappa;
	double estimate, corrected_lo, lo, hi, z, p;
};

static const struct answer answers[] = {
	{ { 30, 0.135, 0.128, 0.142 }, { 30, 0.142, 0.11, 0.17 }, 0.06, 0.142437716592,
		0.125544050805, 0.128, 0.157299099414, 0.0322507785051, NAN },
	{ { 30, 0.135, 0.128, 0.142 }, { 0, 0, NAN, NAN }, 0.06, 0.142548483675, 0.125544050805,
		0.128, 0.159552916546, NAN, NAN },
	{ { 30, -1.45, -1.47, -1.43 }, { 28, -1.5, -1.53, -1.46 }, 0.03, -1.48845279421,
		-1.52374881472, -1.5179733738, -1.45893221462, 0.888005111154, NAN },
	{ { 100, 0.0098, 0.004, 0.0156 }, { 100, -0.02, -0.05, 0.01 }, 0.06, 0.0103411511329,
		0.00446989405984, 0.004, 0.0218465216673, 1.94785293859, NAN },
	{ { 10, 0.001, -0.009, 0.011 }, { 10, 0.012, -0.05, 0.075 }, 0.06, 0.00106001846838,
		-0.00894095194912, -0.00894085575432, 0.0110608926911, -0.378720236329, NAN },
	{ { 12, 0.6931471805599453, 0.68, 0.71 }, { 12, 0.70, 0.66, 0.73 }, 0.13, 0.703712902726,
		0.612273732507, 0.68, 0.737754675168, 0.803258506301, NAN },
	{ { 30, 0.02, 0.015, 0.025 }, { 30, -0.03, -0.05, -0.005 }, 0.06, 0.0206247235717,
		0.0156282024483, -0.000830207263889, 0.0420796544072, 3.89832688287,
		0.0589265597082 },
	{ { 30, 0.002, -0.004, 0.008 }, { 10, 0.06, 0.03, 0.09 }, 0.06, 0.00212438151947,
		-0.00388513454528, -0.0163377438446, 0.0205865068836, -3.07469435149,
		0.815600022297 },
};

/* As uncertain as it is large. */
static struct et_kappa as_doubtful(double kappa)
{
	return (struct et_kappa){ kappa, kappa };
}

static void oracle(void)
{
	for (size_t i = 0; i < ET_LENGTH(answers); i++) {
		const struct answer *w = &answers[i];
		struct et_alone a = et_alone_of(&w->pairs, &w->solos, as_doubtful(w->kappa), 0.95);
		near(a.ratio.estimate, w->estimate, 1e-9, 0, "case %zu: the estimate", i);
		near(a.corrected.lo, w->corrected_lo, 1e-8, 0,
			"case %zu: their interval before it is widened", i);
		near(a.ratio.lo, w->lo, 1e-8, 0, "case %zu: the lower end", i);
		near(a.ratio.hi, w->hi, 1e-8, 0, "case %zu: the upper end", i);
		near(a.z, w->z, 1e-7, 0, "case %zu: the disagreement as a normal deviate", i);
		near(a.p, w->p, 1e-7, 0, "case %zu: p of the widened interval, if it decides", i);
	}
}

static void limits(void)
{
	struct et_log_ratio none = { 0, NAN, NAN, NAN }, few = { 3, 0.1, NAN, NAN };
	struct et_log_ratio same = { 30, 0, -0.01, 0.01 }, exact = { 5, 0.2, 0.2, 0.2 };

	near(et_dilution(0), 0.03, 0, 0, "dilution: slices of the scheduler");
	near(et_dilution(1000000), 0.06, 1e-12, 0, "dilution: 1 ms");
	near(et_dilution(300000), 0.13, 1e-12, 0, "dilution: 0.3 ms");
	struct et_alone a = et_alone_of(&same, &none, as_doubtful(0.06), 0.95);
	ok(a.ratio.estimate == 0 && fabs(a.ratio.lo + 0.01) < 1e-15,
		"alone: pairs of equal programs are not changed");
	a = et_alone_of(&few, &same, as_doubtful(0.06), 0.95);
	ok(a.ratio.estimate > 0.1 && isnan(a.ratio.lo) && isnan(a.ratio.hi),
		"alone: too few pairs have an estimate and no interval");
	a = et_alone_of(&same, &few, as_doubtful(0.06), 0.95);
	ok(isnan(a.z) && fabs(a.ratio.hi - 0.01) < 1e-15,
		"alone: too few solos are not taken into account");
	a = et_alone_of(&exact, &exact, as_doubtful(0), 0.95);
	ok(a.ratio.lo == 0.2 && a.ratio.hi == 0.2, "alone: exact pairs remain exact");
}

/* If b/a becomes a/b, the result becomes its inverse. */
static void symmetry(void)
{
	for (size_t i = 0; i < ET_LENGTH(answers); i++) {
		struct et_log_ratio p = answers[i].pairs, s = answers[i].solos;
		struct et_log_ratio q = { p.n, -p.estimate, -p.hi, -p.lo };
		struct et_log_ratio t = { s.n, -s.estimate, -s.hi, -s.lo };
		struct et_alone a = et_alone_of(&p, &s, as_doubtful(answers[i].kappa), 0.95);
		struct et_alone b = et_alone_of(&q, &t, as_doubtful(answers[i].kappa), 0.95);
		near(b.ratio.estimate, -a.ratio.estimate, 1e-12, 0,
			"case %zu, inverted: the estimate", i);
		near(b.ratio.lo, -a.ratio.hi, 1e-12, 0, "case %zu, inverted: the interval", i);
	}
}

int main(void)
{
	oracle();
	limits();
	symmetry();
	return tap_done();
}
