/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pairs of treatments: Holm's correction within each program, then counts over all programs. It
 * needs the pairs alone, so that published p-values can be counted, too.
 */
#include "base/alloc.h"
#include "num/moments.h"
#include "stats/compare/contrast.h"
#include "stats/compare/two_sample.h"
#include "stats/doe/program.h"
#include "stats/series/normality.h"

#include <math.h>
#include <string.h>

void et_doe_conclude_pairs(struct et_doe_program *p, double alpha)
{
	et_contrasts_conclude(p->pairs, p->n_pairs, alpha);
	p->before = p->after = 0;
	for (size_t i = 0; i < p->n_pairs; i++) {
		p->before += p->pairs[i].significant_unadjusted;
		p->after += p->pairs[i].significant;
	}
}

static struct et_doe_pair *add(struct et_doe_result *r, const struct et_contrast *c)
{
	r->pairs = et_realloc(r->pairs, r->n_pairs + 1, sizeof(*r->pairs));
	r->pairs[r->n_pairs] = (struct et_doe_pair){ .a = c->a, .b = c->b };
	return &r->pairs[r->n_pairs++];
}

/* Finds pair i of a program. Most programs have the same pairs in the same order. */
static struct et_doe_pair *find(struct et_doe_result *r, size_t i, const struct et_contrast *c)
{
	if (i < r->n_pairs && r->pairs[i].a == c->a && r->pairs[i].b == c->b)
		return &r->pairs[i];
	for (size_t k = 0; k < r->n_pairs; k++) {
		if (r->pairs[k].a == c->a && r->pairs[k].b == c->b)
			return &r->pairs[k];
	}
	return add(r, c);
}

static void count(struct et_doe_pair *pair, const struct et_contrast *c)
{
	const char *method = c->method ? c->method : "";

	if (isnan(c->p))
		return;
	pair->programs++;
	pair->before += c->significant_unadjusted;
	pair->after += c->significant;
	if (!strcmp(method, "student"))
		pair->student++;
	else if (!strcmp(method, "welch"))
		pair->welch++;
	else if (!strcmp(method, "wilcoxon"))
		pair->wilcoxon++;
	else
		pair->other++;
}

void et_doe_count_pairs(struct et_doe_result *r)
{
	for (size_t p = 0; p < r->n_programs; p++) {
		for (size_t i = 0; i < r->programs[p].n_pairs; i++) {
			const struct et_contrast *c = &r->programs[p].pairs[i];

			count(p ? find(r, i, c) : add(r, c), c);
		}
	}
}

/*
 * The values of all cells; those of several machines are divided by the speed of their machine:
 * its values over what they would be if each were the mean of its cell.
 */
static double *comparable(const struct et_doe_data *d)
{
	double *out = et_calloc(d->n + 1, sizeof(*out));
	size_t n = et_doe_count_machines(d);
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
