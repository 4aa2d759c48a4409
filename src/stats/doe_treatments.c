/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/doe_program.h"
#include "stats/normality.h"
#include "stats/two_sample.h"

static void judge_pair(const struct et_doe_grid *grid, const struct et_doe_data *data, uint32_t a,
	uint32_t b, const bool *gaussian, struct et_contrast *out)
{
	size_t ca = grid->cell_of[a], cb = grid->cell_of[b];

	out->a = a;
	out->b = b;
	out->side_by_side = out->alone = ET_NO_RATIO;
	et_judge_apart(data->values + data->begin[ca], et_doe_count(data, ca),
		data->values + data->begin[cb], et_doe_count(data, cb), gaussian[a] && gaussian[b],
		out);
}

void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out)
{
	uint32_t n = (uint32_t)grid->design->n_treatments;
	ET_AUTO_FREE bool *gaussian = et_calloc(n + 1, sizeof(*gaussian));

	for (uint32_t t = 0; t < n; t++) {
		size_t c = grid->cell_of[t];
		gaussian[t] =
			et_shapiro_wilk(data->values + data->begin[c], et_doe_count(data, c)).p >
			ET_CHECK_ALPHA;
	}
	out->pairs = et_calloc((size_t)n * n / 2 + 1, sizeof(*out->pairs));
	for (uint32_t a = 0; a < n; a++) {
		for (uint32_t b = a + 1; b < n; b++) {
			struct et_contrast *pair = &out->pairs[out->n_pairs];
			if (!et_doe_count(data, grid->cell_of[a]) ||
				!et_doe_count(data, grid->cell_of[b]))
				continue;
			pair->level = o->level;
			pair->metric = response->metric;
			pair->unit = response->unit;
			judge_pair(grid, data, a, b, gaussian, pair);
			out->n_pairs++;
		}
	}
	et_doe_conclude_pairs(out, o->alpha);
}
