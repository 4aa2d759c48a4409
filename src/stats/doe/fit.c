/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "num/least_squares.h"
#include "stats/doe/program.h"

enum {
	MOST_DENSE = 512
}; /* cells of a system that is solved without making use of its structure */

double et_doe_combine(const struct et_doe_fit *f, const double *c, double *w)
{
	size_t n = f->grid->n_cells;
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += c[i] * f->mu[i];
	if (!f->map) {
		memcpy(w, c, n * sizeof(*w));
		return sum;
	}
	for (size_t i = 0; i < n; i++) {
		w[i] = 0;
		for (size_t j = 0; j < n; j++)
			w[i] += f->map[i * n + j] * c[j];
	}
	return sum;
}

void et_doe_fit_free(struct et_doe_fit *f)
{
	free(f->mu);
	free(f->estimable);
	free(f->map);
	free(f->unit);
	free(f->fitted);
}

/* --- blocks --- */

/*
 * Fits cells and blocks by turns (Gauss-Seidel), which needs one turn if every block has every
 * cell. Fills effect, the blocks' differences from their mean, and leaves mu as the cells' means
 * without them.
 */
static void fit_blocks(struct et_doe_fit *f, double *effect)
{
	enum { MOST_TURNS = 200 };
	const struct et_doe_data *d = f->data;
	ET_AUTO_FREE double *sum = et_calloc(d->n_blocks, sizeof(*sum));
	ET_AUTO_FREE double *count = et_calloc(d->n_blocks, sizeof(*count));
	ET_AUTO_FREE double *cells = et_calloc(d->n_cells, sizeof(*cells));
	double step = INFINITY, scale = 0;

	for (size_t i = 0; i < d->n; i++)
		count[d->runs[i].block]++;
	for (int turn = 0; turn < MOST_TURNS && step > 1e-12 * scale; turn++) {
		memset(sum, 0, d->n_blocks * sizeof(*sum));
		for (size_t i = 0; i < d->n; i++)
			sum[d->runs[i].block] += d->runs[i].y - f->mu[d->runs[i].cell];
		step = scale = 0;
		for (size_t b = 0; b < d->n_blocks; b++) {
			step = fmax(step, fabs(sum[b] / count[b] - effect[b]));
			effect[b] = sum[b] / count[b];
			scale = fmax(scale, fabs(effect[b]));
		}
		memset(cells, 0, d->n_cells * sizeof(*cells));
		for (size_t i = 0; i < d->n; i++)
			cells[d->runs[i].cell] +=
				d->runs[i].y - d->mean[d->runs[i].cell] - effect[d->runs[i].block];
		for (size_t c = 0; c < d->n_cells; c++)
			f->mu[c] = d->mean[c] + cells[c] / (double)et_doe_count(d, c);
	}
	/* Blocks of which some cells are missing: their mean is that of the blocks. */
	double mean = et_mean(effect, d->n_blocks);
	for (size_t b = 0; b < d->n_blocks; b++)
		effect[b] -= mean;
	for (size_t c = 0; c < d->n_cells; c++)
		f->mu[c] += mean;
}

/* Values of a cell in a block, as a table of cells and blocks. */
static double *incidence(const struct et_doe_data *d, double *of_block)
{
	double *n = et_calloc(d->n_cells * d->n_blocks, sizeof(*n));

	for (size_t i = 0; i < d->n; i++) {
		n[d->runs[i].cell * d->n_blocks + d->runs[i].block]++;
		of_block[d->runs[i].block]++;
	}
	return n;
}

/*
 * The covariance of the cells' means after the blocks were removed is a generalised inverse of
 * C = diag(n) - N diag(1/b) N' (the intrablock analysis: Yates 1940). C has the null vector 1, so a
 * multiple of 11' is added, which leaves all contrasts as they are.
 */
static void map_blocks(struct et_doe_fit *f)
{
	const struct et_doe_data *d = f->data;
	size_t n = d->n_cells, blocks = d->n_blocks;

	if (n > MOST_DENSE || (double)n * (double)n * (double)blocks > 2e8)
		return;
	ET_AUTO_FREE double *of_block = et_calloc(blocks, sizeof(*of_block));
	ET_AUTO_FREE double *counts = incidence(d, of_block);
	ET_AUTO_FREE double *c = et_calloc(n * n, sizeof(*c));
	double each = (double)d->n / (double)n;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j <= i; j++) {
			double sum = i == j ? (double)et_doe_count(d, i) : 0;
			for (size_t b = 0; b < blocks; b++)
				sum -= counts[i * blocks + b] * counts[j * blocks + b] /
				       of_block[b];
			c[i * n + j] = sum + each / (double)n;
		}
	}
	if (!et_cholesky(c, n))
		return; /* the blocks fall into groups without a common cell */
	f->map = et_calloc(n * n, sizeof(*f->map));
	ET_AUTO_FREE double *column = et_calloc(n, sizeof(*column));
	for (size_t j = 0; j < n; j++) {
		memset(column, 0, n * sizeof(*column));
		column[j] = 1;
		et_cholesky_forward(c, n, column);
		for (size_t i = 0; i < n; i++)
			f->map[i * n + j] = column[i];
	}
	for (size_t i = 0; i < n; i++)
		f->unit[i] = 1;
}

/* --- missing cells --- */

/* Columns of a model, orthogonalised one after the other (modified Gram-Schmidt). */
struct columns {
	size_t n, p, room; /* rows, columns */
	double *q; /* orthonormal, one after the other, of the cells with values, by weight */
	double *x; /* the same combinations of contrasts of all cells, without weights */
};

/* Adds a contrast; returns false if it depends on the columns before it. */
static bool add_column(const struct et_doe_data *d, const double *row, struct columns *k)
{
	double *q = k->q + k->p * k->n, *x = k->x + k->p * k->n, before = 0, after = 0;

	for (size_t c = 0; c < k->n; c++) {
		x[c] = row[c];
		q[c] = row[c] * sqrt((double)et_doe_count(d, c));
		before += q[c] * q[c];
	}
	for (int twice = 0; twice < 2; twice++) {
		for (size_t j = 0; j < k->p; j++) {
			const double *qj = k->q + j * k->n, *xj = k->x + j * k->n;
			double dot = 0;
			for (size_t c = 0; c < k->n; c++)
				dot += q[c] * qj[c];
			for (size_t c = 0; c < k->n; c++) {
				q[c] -= dot * qj[c];
				x[c] -= dot * xj[c];
			}
		}
	}
	for (size_t c = 0; c < k->n; c++)
		after += q[c] * q[c];
	if (!(after > 1e-14 * before))
		return false;
	for (size_t c = 0; c < k->n; c++) {
		q[c] /= sqrt(after);
		x[c] /= sqrt(after);
	}
	k->p++;
	return true;
}

/* Adds the terms that the cells with values can tell apart, those of low order first. */
static void choose_terms(struct et_doe_fit *f, struct columns *k)
{
	const struct et_doe_grid *g = f->grid;
	ET_AUTO_FREE double *row = et_calloc(k->n, sizeof(*row));

	for (size_t c = 0; c < k->n; c++)
		row[c] = 1 / sqrt((double)k->n);
	if (!add_column(f->data, row, k))
		return;
	for (size_t i = 0; i < g->n_terms; i++) {
		size_t begin = k->p;
		f->estimable[i] = begin + g->terms[i].df <= k->room;
		for (size_t j = 0; j < g->terms[i].df && f->estimable[i]; j++) {
			et_doe_term_row(g, g->terms[i].factors, j, row);
			f->estimable[i] = add_column(f->data, row, k);
		}
		if (!f->estimable[i])
			k->p = begin;
	}
}

/* mu = X R^-1 Q' W^1/2 mean, where x holds the columns of X R^-1. */
static void fit_missing(struct et_doe_fit *f)
{
	const struct et_doe_data *d = f->data;
	size_t n = d->n_cells;

	if (n > MOST_DENSE) {
		memset(f->estimable, 0, f->grid->n_terms * sizeof(*f->estimable));
		for (size_t c = 0; c < n; c++)
			f->df_residual += et_doe_count(d, c) == 0;
		return;
	}
	struct columns k = { .n = n, .room = n };
	k.q = et_calloc((n + 1) * n, sizeof(*k.q));
	k.x = et_calloc((n + 1) * n, sizeof(*k.x));
	choose_terms(f, &k);
	f->map = et_calloc(n * n, sizeof(*f->map));
	for (size_t c = 0; c < n; c++) {
		double weight = sqrt((double)et_doe_count(d, c));
		for (size_t to = 0; to < n; to++) {
			double sum = 0;
			for (size_t j = 0; j < k.p; j++)
				sum += k.x[j * n + to] * k.q[j * n + c];
			f->map[c * n + to] = sum * weight;
		}
	}
	for (size_t to = 0; to < n; to++) {
		f->mu[to] = 0;
		for (size_t c = 0; c < n; c++) {
			if (et_doe_count(d, c))
				f->mu[to] += f->map[c * n + to] * d->mean[c];
		}
	}
	f->df_residual = (double)d->n - (double)k.p;
	free(k.q);
	free(k.x);
}

/* --- residuals --- */

static void finish(struct et_doe_fit *f, const double *block_effect)
{
	const struct et_doe_data *d = f->data;
	double mean = 0;

	f->fitted = et_calloc(d->n + 1, sizeof(*f->fitted));
	for (size_t i = 0; i < d->n; i++)
		mean += (d->runs[i].y - d->runs[0].y) / (double)d->n;
	mean += d->runs[0].y;
	for (size_t i = 0; i < d->n; i++) {
		const struct et_doe_value *v = &d->runs[i];
		f->fitted[i] = f->mu[v->cell] + block_effect[v->block];
		f->ss_total += (v->y - mean) * (v->y - mean);
		f->ss_residual += (v->y - f->fitted[i]) * (v->y - f->fitted[i]);
	}
}

/* Terms too many to be tested belong to the residuals; balanced means are those of the others. */
static void fit_some(struct et_doe_fit *f)
{
	const struct et_doe_grid *g = f->grid;
	size_t n = g->n_cells, p = 1;
	ET_AUTO_FREE double *row = et_calloc(n, sizeof(*row));
	ET_AUTO_FREE double *mu = et_calloc(n, sizeof(*mu));
	double mean = et_mean(f->mu, n);

	for (size_t c = 0; c < n; c++)
		mu[c] = mean;
	for (size_t i = 0; i < g->n_terms; i++) {
		for (size_t j = 0; j < g->terms[i].df; j++) {
			double z = 0;
			et_doe_term_row(g, g->terms[i].factors, j, row);
			for (size_t c = 0; c < n; c++)
				z += row[c] * (f->mu[c] - mean);
			for (size_t c = 0; c < n; c++)
				mu[c] += row[c] * z;
		}
		p += g->terms[i].df;
	}
	memcpy(f->mu, mu, n * sizeof(*mu));
	f->df_residual = (double)f->data->n - (double)p;
}

void et_doe_fit_make(
	const struct et_doe_grid *grid, const struct et_doe_data *data, struct et_doe_fit *out)
{
	size_t n = grid->n_cells;
	ET_AUTO_FREE double *blocks = et_calloc(data->n_blocks + 1, sizeof(*blocks));

	*out = (struct et_doe_fit){ .grid = grid, .data = data };
	out->mu = et_calloc(n, sizeof(*out->mu));
	out->unit = et_calloc(n, sizeof(*out->unit));
	out->estimable = et_calloc(grid->n_terms + 1, sizeof(*out->estimable));
	memset(out->estimable, true, grid->n_terms);
	memcpy(out->mu, data->mean, n * sizeof(*out->mu));
	for (size_t c = 0; c < n; c++)
		out->unit[c] = et_doe_count(data, c) ? 1 / (double)et_doe_count(data, c) : 0;
	out->df_residual = (double)data->n - (double)n;
	if (!et_doe_least_count(data)) {
		fit_missing(out);
	} else if (data->n_blocks > 1) {
		out->blocked = true;
		fit_blocks(out, blocks);
		if (!data->complete)
			map_blocks(out);
		out->df_residual -= (double)data->n_blocks - 1;
	} else if (grid->omitted && data->balanced) {
		fit_some(out);
	}
	finish(out, blocks);
}
