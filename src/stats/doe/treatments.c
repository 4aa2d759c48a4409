/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "num/moments.h"
#include "stats/compare/two_sample.h"
#include "stats/doe/program.h"
#include "stats/series/normality.h"

#include <string.h>

static size_t count_machines(const struct et_doe_data *d)
{
	size_t n = 0;

	for (size_t i = 0; i < d->n; i++)
		n = d->runs[i].machine >= n ? d->runs[i].machine + (size_t)1 : n;
	return n;
}

/*
 * The values of all cells; those of several machines are divided by the speed of their machine:
 * its values over what they would be if each were the mean of its cell.
 */
static double *comparable(const struct et_doe_data *d)
{
	double *out = et_calloc(d->n + 1, sizeof(*out));
	size_t n = count_machines(d);
	ET_AUTO_FREE double *sum = et_calloc(n + 1, sizeof(*sum));
	ET_AUTO_FREE double *expected = et_calloc(n + 1, sizeof(*expected));
	ET_AUTO_FREE size_t *at = et_calloc(d->n_cells + 1, sizeof(*at));

	memcpy(out, d->values, d->n * sizeof(*out));
	if (n < 2)
		return out;
	for (size_t i = 0; i < d->n; i++) {
		sum[d->runs[i].machine] += d->runs[i].y;
		expected[d->runs[i].machine] += d->mean[d->runs[i].cell];
	}
	for (size_t i = 0; i < d->n; i++) {
		size_t cell = d->runs[i].cell, m = d->runs[i].machine;
		out[d->begin[cell] + at[cell]++] *= sum[m] > 0 ? expected[m] / sum[m] : 1;
	}
	return out;
}

static void judge_pair(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const double *values, uint32_t a, uint32_t b, const bool *gaussian, struct et_contrast *out)
{
	size_t ca = grid->cell_of[a], cb = grid->cell_of[b];

	out->a = a;
	out->b = b;
	out->side_by_side = out->alone = ET_NO_RATIO;
	et_judge_as_published(values + data->begin[ca], et_doe_count(data, ca),
		values + data->begin[cb], et_doe_count(data, cb), gaussian[a] && gaussian[b], out);
}

void et_doe_pairs(const struct et_doe_grid *grid, const struct et_doe_data *data,
	const struct et_doe_response *response, const struct et_doe_options *o,
	struct et_doe_program *out)
{
	uint32_t n = (uint32_t)grid->design->n_treatments;
	ET_AUTO_FREE double *values = comparable(data);
	ET_AUTO_FREE bool *gaussian = et_calloc(n + 1, sizeof(*gaussian));

	for (uint32_t t = 0; t < n; t++) {
		size_t c = grid->cell_of[t];
		gaussian[t] = et_shapiro_wilk(values + data->begin[c], et_doe_count(data, c)).p >
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
			judge_pair(grid, data, values, a, b, gaussian, pair);
			out->n_pairs++;
		}
	}
	et_doe_conclude_pairs(out, o->alpha);
}
