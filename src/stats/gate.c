/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/gate.h"

enum et_gate_verdict et_gate_judge(const struct et_contrast *c, double limit)
{
	struct et_ratio r = et_contrast_ratio(c);

	if (c->pairs_needed || !isfinite(c->p) || !isfinite(r.lo) || !isfinite(r.hi))
		return ET_GATE_UNDECIDED;
	if (r.lo > 1 + limit)
		return c->significant ? ET_GATE_REGRESSED : ET_GATE_UNDECIDED;
	return limit > 0 && r.hi > 1 + limit ? ET_GATE_UNDECIDED : ET_GATE_PASSED;
}

static double top(const struct et_contrast *c)
{
	double hi = et_contrast_ratio(c).hi;

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
