/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "stats/doe/parts.h"
#include "base/alloc.h"
#include "num/moments.h"

#include <math.h>

void et_doe_split_free(struct et_doe_split *s)
{
	free(s->cell);
	free(s->level);
}

/* Numbers the parts from 0 in the order of their first value, and returns how many they are. */
static size_t number_parts(const struct et_doe_observed *o, size_t *number)
{
	ET_AUTO_FREE uint32_t *seen = et_calloc(o->n + 1, sizeof(*seen));
	size_t n = 0;

	for (size_t i = 0; i < o->n; i++) {
		size_t k = 0;
		while (k < n && seen[k] != o->part[i])
			k++;
		if (k == n)
			seen[n++] = o->part[i];
		number[i] = k;
	}
	return n;
}

static void count(const struct et_doe_observed *o, const size_t *part, struct et_doe_split *s)
{
	ET_AUTO_FREE size_t *runs = et_calloc(s->n_parts * o->n_cells, sizeof(*runs));

	for (size_t i = 0; i < o->n; i++)
		runs[part[i] * o->n_cells + o->cell[i]]++;
	s->runs = runs[0];
	for (size_t k = 0; k < s->n_parts; k++) {
		size_t of_part = 0;
		for (size_t c = 0; c < o->n_cells; c++) {
			of_part += runs[k * o->n_cells + c];
			s->runs = runs[k * o->n_cells + c] == runs[0] ? s->runs : 0;
		}
		s->each += 1 / (double)of_part / (double)s->n_parts;
	}
}

/* The means of y - other over the values of each of n groups; returns the largest change. */
static double means(const struct et_doe_observed *o, const size_t *group, size_t n,
	const double *other, double *mean)
{
	ET_AUTO_FREE double *sum = et_calloc(n, sizeof(*sum)), *weight = et_calloc(n, sizeof(*sum));
	double most = 0;

	for (size_t i = 0; i < o->n; i++) {
		sum[group[i]] += o->y[i] - other[i];
		weight[group[i]]++;
	}
	for (size_t g = 0; g < n; g++) {
		most = fmax(most, fabs(sum[g] / weight[g] - mean[g]));
		mean[g] = sum[g] / weight[g];
	}
	return most;
}

static void spread(const size_t *group, size_t n, const double *mean, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = mean[group[i]];
}

/* By turns the cells and the parts: of complete parts the second turn changes nothing. */
static void fit(const struct et_doe_observed *o, const size_t *cell, const size_t *part,
	struct et_doe_split *s)
{
	enum { MOST_TURNS = 200 };
	ET_AUTO_FREE double *of_cell = et_calloc(o->n, sizeof(*of_cell));
	ET_AUTO_FREE double *of_part = et_calloc(o->n, sizeof(*of_part));
	double change = INFINITY;

	for (int turn = 0; turn < MOST_TURNS && change > 1e-13; turn++) {
		change = means(o, cell, o->n_cells, of_part, s->cell);
		spread(cell, o->n, s->cell, of_cell);
		if (s->n_parts == 1)
			break;
		change += means(o, part, s->n_parts, of_cell, s->level);
		spread(part, o->n, s->level, of_part);
	}
	for (size_t i = 0; i < o->n; i++) {
		double rest = o->y[i] - of_cell[i] - of_part[i];
		s->squares += rest * rest;
	}
}

void et_doe_split_make(const struct et_doe_observed *o, struct et_doe_split *out)
{
	ET_AUTO_FREE size_t *part = et_calloc(o->n + 1, sizeof(*part));
	ET_AUTO_FREE size_t *cell = et_calloc(o->n + 1, sizeof(*cell));

	*out = (struct et_doe_split){ .n_parts = number_parts(o, part) };
	out->cell = et_calloc(o->n_cells, sizeof(*out->cell));
	out->level = et_calloc(out->n_parts, sizeof(*out->level));
	for (size_t i = 0; i < o->n; i++)
		cell[i] = o->cell[i];
	count(o, part, out);
	fit(o, cell, part, out);
	out->df = (double)o->n - (double)o->n_cells - (double)out->n_parts + 1;
	double mean = et_mean(out->level, out->n_parts);
	for (size_t c = 0; c < o->n_cells; c++)
		out->cell[c] += mean;
	double level = et_mean(out->cell, o->n_cells);
	for (size_t k = 0; k < out->n_parts; k++)
		out->level[k] += level - mean;
}
