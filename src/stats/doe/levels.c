/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/alloc.h"
#include "stats/doe/program.h"

/* Of a level that is left out. */
static const uint32_t no_level = UINT32_MAX;

/*
 * The new place of each level of all factors, one factor after the other, or no_level. Returns NULL
 * if all levels have runs.
 */
static uint32_t *places_of_levels(const struct et_doe_grid *g, const struct et_doe_data *data)
{
	const struct et_design *d = g->design;
	size_t room = 0, at = 0, left_out = 0;

	for (size_t f = 0; f < d->n_factors; f++)
		room += d->factors[f].n_levels;
	ET_AUTO_FREE bool *seen = et_calloc(room + 1, sizeof(*seen));
	for (size_t c = 0; c < g->n_cells; c++) {
		at = 0;
		for (size_t f = 0; f < d->n_factors && et_doe_count(data, c); f++) {
			seen[at + et_doe_level(g, c, f)] = true;
			at += d->factors[f].n_levels;
		}
	}
	uint32_t *place = et_calloc(room + 1, sizeof(*place));
	at = 0;
	for (size_t f = 0; f < d->n_factors; f++) {
		uint32_t next = 0;
		for (size_t l = 0; l < d->factors[f].n_levels; l++, at++) {
			place[at] = seen[at] ? next++ : no_level;
			left_out += !seen[at];
		}
	}
	if (!left_out) {
		free(place);
		place = NULL;
	}
	return place;
}

/* Fills to with the new places of levels; returns false if one of them is left out. */
static bool renumber(
	const struct et_design *d, const uint32_t *place, const uint32_t *levels, uint32_t *to)
{
	size_t at = 0;

	for (size_t f = 0; f < d->n_factors; f++) {
		to[f] = place[at + levels[f]];
		if (to[f] == no_level)
			return false;
		at += d->factors[f].n_levels;
	}
	return true;
}

static void copy_factor(const struct et_design_factor *from, const uint32_t *place,
	struct et_design *to, char **left_out, size_t *n_left_out)
{
	enum { MOST_NAMES = 3 };
	struct et_design_factor *f = et_design_add_factor(to, from->name);

	f->levels = et_calloc(from->n_levels + 1, sizeof(char *));
	for (size_t l = 0; l < from->n_levels; l++) {
		if (place[l] != no_level)
			f->levels[f->n_levels++] = et_strdup(from->levels[l]);
		else if (++*n_left_out <= MOST_NAMES)
			et_append(left_out, ", ", "%s=%s", from->name, from->levels[l]);
		else if (*n_left_out == MOST_NAMES + 1)
			et_append(left_out, ", ", "…");
	}
}

static struct et_design *design_of(
	const struct et_design *d, const uint32_t *place, char **left_out)
{
	struct et_design *to = et_design_new();
	ET_AUTO_FREE uint32_t *levels = et_calloc(d->n_factors + 1, sizeof(*levels));
	size_t at = 0, n_left_out = 0;

	for (size_t f = 0; f < d->n_factors; f++) {
		copy_factor(&d->factors[f], place + at, to, left_out, &n_left_out);
		at += d->factors[f].n_levels;
	}
	for (size_t t = 0; t < d->n_treatments; t++) {
		if (renumber(d, place, d->treatments[t].levels, levels))
			et_design_add_treatment(to, levels);
	}
	return to;
}

/* The cell of the part that has these levels, by the number of their combination. */
static uint32_t *cells_of(const struct et_doe_grid *g, uint32_t all)
{
	uint32_t *cell = et_calloc(g->n_cells + 1, sizeof(*cell));

	for (uint32_t c = 0; c < g->n_cells; c++)
		cell[et_doe_combination_of(g, all, c)] = c;
	return cell;
}

static void copy_runs(const struct et_doe_grid *g, const uint32_t *place,
	const struct et_doe_data *data, struct et_doe_part *out)
{
	size_t factors = g->design->n_factors;
	uint32_t all = ((uint32_t)1 << factors) - 1;
	ET_AUTO_FREE uint32_t *levels = et_calloc(factors + 1, sizeof(*levels));
	ET_AUTO_FREE uint32_t *cell = cells_of(&out->grid, all);

	out->data = (struct et_doe_data){ .machines = data->machines,
		.divided = data->divided,
		.sequential = data->sequential,
		.unit = data->unit };
	for (size_t i = 0; i < data->n; i++) {
		struct et_doe_value v = data->runs[i];
		size_t at = 0, stride = 1;
		renumber(g->design, place, g->levels + v.cell * factors, levels);
		for (size_t f = 0; f < factors; f++) {
			at += stride * levels[f];
			stride *= out->design->factors[f].n_levels;
		}
		v.cell = cell[at];
		et_doe_data_add(&out->data, &v);
	}
	et_doe_data_arrange(&out->data, out->grid.n_cells);
}

bool et_doe_part_make(const struct et_doe_grid *g, const struct et_doe_data *data,
	struct et_doe_part *out, char **left_out)
{
	for (size_t f = 0; f < g->design->n_factors; f++) {
		if (g->design->factors[f].generator)
			return false;
	}
	ET_AUTO_FREE uint32_t *place = places_of_levels(g, data);
	if (!place)
		return false;
	out->design = design_of(g->design, place, left_out);
	if (!et_doe_grid_make(out->design, &out->grid)) {
		et_design_free(out->design);
		return false;
	}
	copy_runs(g, place, data, out);
	return true;
}

void et_doe_part_free(struct et_doe_part *p)
{
	et_doe_data_free(&p->data);
	et_doe_grid_free(&p->grid);
	et_design_free(p->design);
}
