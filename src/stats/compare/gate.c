/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/compare/gate.h"
#include "base/whole.h"
#include "num/student.h"

#include <math.h>

/* Enough equal values that do not vary: no test can compare them, and none has to. */
static bool equal(const struct et_contrast *c)
{
	const size_t enough = 10;
	size_t n = c->values_a < c->values_b ? c->values_a : c->values_b;

	return (c->pairs >= enough || n >= enough) && !c->pairs_needed && isnan(c->p) &&
	       c->ratio == 1 && isnan(c->lo) && isnan(c->hi);
}

struct et_ratio et_gate_ratio(const struct et_contrast *c)
{
	struct et_ratio r = et_contrast_ratio(c);

	if ((c->significant || equal(c)) && !(isfinite(r.lo) && isfinite(r.hi)))
		r.lo = r.hi = r.estimate;
	return r;
}

enum et_gate_verdict et_gate_judge(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_gate_ratio(c);
	/* The test against 1 is stronger than an interval that holds for several comparisons. */
	bool above = limit > 0 ? r.lo > 1 + limit : r.lo >= 1 && r.estimate > 1;

	if (equal(c))
		return ET_GATE_PASSED;
	if (c->pairs_needed || !isfinite(c->p) || !isfinite(r.lo) || !isfinite(r.hi))
		return ET_GATE_UNDECIDED;
	if (above)
		return c->significant ? ET_GATE_REGRESSED : ET_GATE_UNDECIDED;
	return limit > 0 && r.hi > 1 + limit ? ET_GATE_UNDECIDED : ET_GATE_PASSED;
}

size_t et_gate_runs(const struct et_contrast *c, double limit)
{
	const double power = 0.8, most = 100000;
	struct et_ratio r = et_gate_ratio(c);
	double n =
		c->arrangement ? (double)c->pairs : fmax((double)c->values_a, (double)c->values_b);
	double half = log(r.hi / r.lo) / 2, distance = fabs(log(r.estimate / (1 + limit)));
	/* The half width has to leave room for the chance of the next estimate. */
	double factor = half / distance * (1 + et_qnorm(power) / et_qnorm(0.5 + c->level / 2));
	double runs = ceil(n * fmax(1, factor * factor));

	if (!(runs <= most)) /* NaN */
		return 0;
	double place = pow(10, fmax(0, floor(log10(runs)) - 1)); /* two digits */
	return (size_t)et_u64(place * ceil(runs / place));
}

static double top(const struct et_contrast *c)
{
	double hi = et_gate_ratio(c).hi;

	return isfinite(hi) ? hi : INFINITY;
}

enum et_gate_verdict et_gate_decide(const struct et_gate *g, size_t *decisive)
{
	enum et_gate_verdict worst = ET_GATE_PASSED;

	*decisive = g->n;
	for (size_t i = 0; i < g->n; i++) {
		const struct et_contrast *c = &g->contrasts[i];
		enum et_gate_verdict verdict = et_gate_judge(c, g->limit);
		if (!et_gate_counts(g, c) || verdict < worst)
			continue;
		if (*decisive == g->n || verdict > worst || top(c) > top(&g->contrasts[*decisive]))
			*decisive = i;
		worst = verdict;
	}
	return worst;
}
