/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The line of --fail-on-regression. */
#include "report/gate.h"
#include "base/alloc.h"
#include "tap.h"

#include <math.h>

static struct et_contrast contrast(double ratio, double lo, double hi)
{
	return (struct et_contrast){ .ratio = ratio,
		.lo = lo,
		.hi = hi,
		.p = 0.001,
		.significant = true,
		.pairs = 30,
		.family = 1,
		.side_by_side = ET_NO_RATIO,
		.alone = ET_NO_RATIO };
}

static void says(const struct et_contrast *c, double limit, const char *want, const char *label)
{
	ET_AUTO_FREE char *text = et_gate_text(c, limit, "new", "old");

	is_str(text, want, "%s", label);
}

int main(void)
{
	struct et_contrast c = contrast(1.44, 1.40, 1.48);

	says(&c, 0.05, "REGRESSION: new is 44 % slower than old (40 … 48 %), limit 5 %",
		"gate: a regression states names, ratio, interval and limit");
	c = contrast(0.989, 0.970, 1.009);
	says(&c, 0.05, "no regression: new is 1.1 % faster than old (-3.0 … +0.9 %), limit 5 %",
		"gate: in the interval slower is positive, as in the limit");
	c = contrast(1.04, 0.99, 1.09);
	c.significant = false;
	says(&c, 0.05,
		"undecided: new is 4 % slower than old (-1 … +9 %), limit 5 %; more runs make the "
		"interval narrower",
		"gate: an interval around the limit is undecided");
	c.pairs = 3;
	c.pairs_needed = 6;
	says(&c, 0.05,
		"undecided: 3 pairs are too few to compare new with old, limit 5 %; use --runs 6",
		"gate: too few pairs are undecided, with the number to take");
	c.pairs = 0;
	c.pairs_needed = 4;
	says(&c, 0.05,
		"undecided: too few values to compare new with old, limit 5 %; take at least 4 of "
		"each",
		"gate: too few values of series that are not paired are undecided");
	c.pairs_needed = 0;
	c.p = NAN;
	says(&c, 0.05,
		"undecided: new cannot be compared with old, limit 5 %; take 10 runs or more",
		"gate: series that cannot be compared are undecided");
	return tap_done();
}
