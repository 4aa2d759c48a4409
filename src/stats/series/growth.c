/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/series/growth.h"
#include "base/alloc.h"

/* The models that are possible beside the best: "n (weight 0.41) and n^1.1 (weight 0.32)". */
static char *possible_ones(const struct et_growth *g)
{
	char *text = NULL;

	for (int m = 0; m < ET_GROWTH_MODELS; m++) {
		const struct et_growth_fit *f = &g->fits[m];

		if (!et_growth_possible(g, (enum et_growth_model)m))
			continue;
		if (m == ET_GROWTH_POWER)
			et_append(&text, ", ", "n^%.3g (%.2f)", f->c, f->weight);
		else
			et_append(&text, ", ", "%s (%.2f)", et_growth_names[m], f->weight);
	}
	return text;
}

void et_growth_warn(const struct et_growth *g, struct et_warnings *w)
{
	const struct et_growth_fit *best = &g->fits[g->best];
	double span = g->points[g->n - 1].size / g->points[0].size;
	ET_AUTO_FREE char *others = possible_ones(g);

	if (g->all_rejected)
		et_warn(w, ET_WARN_GROWTH_SCATTERS, et_arg_share(g->excess));
	else if (best->rejected)
		et_warn(w, ET_WARN_GROWTH_REJECTED, et_arg_text(et_growth_names[g->best]),
			et_arg_p_value(best->rejected == ET_GROWTH_RUNS ? best->runs_p : best->p));
	if (others)
		et_warn(w, ET_WARN_GROWTH_AMBIGUOUS, et_arg_text(et_growth_names[g->best]),
			et_arg_number(best->weight), et_arg_text(others));
	if (span < ET_GROWTH_SPAN && g->best != ET_GROWTH_EXP)
		et_warn(w, ET_WARN_GROWTH_NARROW, et_arg_number(span),
			et_arg_count(ET_GROWTH_SPAN));
}
