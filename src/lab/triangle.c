/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "lab/triangle.h"
#include "num/multiple.h"

#include <assert.h>
#include <math.h>

const struct et_category et_triangle_categories[ET_TRIANGLE_CATEGORIES] = {
	{ "function1", { "function1" }, NAN },
	{ "function2", { "function2" }, NAN },
	{ "function3", { "function3" }, NAN },
	{ "function4", { "function4" }, NAN },
	{ "function5", { "function5" }, NAN },
	{ "main", { "et_triangle", "main" }, NAN },
	{ "other", { NULL }, NAN },
};

double et_triangle_share(size_t i)
{
	assert(i < ET_TRIANGLE_FUNCTIONS);
	return (double)(ET_TRIANGLE_FUNCTIONS - i) / 15;
}

void et_triangle_judge(const struct et_profile_treatment *t, size_t configurations,
	struct et_triangle_verdict *out)
{
	static const double x[] = { 2, 3, 4, 5 };
	const double level = 0.95;
	double y[ET_LENGTH(x)];
	struct et_line_at at;

	assert(t->n_cells >= ET_TRIANGLE_FUNCTIONS);
	*out = (struct et_triangle_verdict){
		.observed = t->cells[0].mean, .shares_known = true, .all_shares_hold = true
	};
	for (size_t i = 0; i < ET_LENGTH(x); i++)
		y[i] = t->cells[i + 1].mean;
	et_line_fit(x, y, ET_LENGTH(x), &out->line);
	et_line_at(&out->line, 1, level, &at);
	out->projected = at.value;
	out->half_width = at.prediction;
	et_line_at(&out->line, 1, et_sidak_level(level, (double)configurations), &at);
	out->joint_half_width = at.prediction;
	/* "A result is anomalous only if the coverage interval … excludes the expected result." */
	out->anomalous = et_line_is_off(&at, out->observed) &&
			 fabs(out->observed - at.value) > t->cells[0].interval;
	for (size_t i = 0; i < ET_TRIANGLE_FUNCTIONS; i++) {
		const struct et_span *s = &t->cells[i].share_interval;
		double expected = et_triangle_share(i);
		out->shares_known = out->shares_known && !isnan(s->lo);
		out->shares_hold[i] = s->lo <= expected && expected <= s->hi;
		out->all_shares_hold = out->all_shares_hold && out->shares_hold[i];
	}
}
