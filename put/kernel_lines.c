/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "put/kernel_lines.h"

void et_cells_random(const struct et_cells *c, uint64_t seed)
{
	size_t cells = c->n * c->n * c->n;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < cells; i++) {
		for (size_t q = 0; q < ET_FIVE; q++)
			c->u[i][q] = et_uniform(seed, i * ET_FIVE + q);
	}
}

void et_cells_right_side(const struct et_cells *c, double step)
{
	size_t n = c->n;

#pragma omp parallel for schedule(static)
	for (size_t line = 0; line < n * n; line++) {
		size_t i = line / n, j = line % n;
		for (size_t k = 0; k < n; k++) {
			size_t here = line * n + k;
			for (size_t q = 0; q < ET_FIVE; q++) {
				double around = (i ? c->u[here - n * n][q] : 0) +
						(i + 1 < n ? c->u[here + n * n][q] : 0) +
						(j ? c->u[here - n][q] : 0) +
						(j + 1 < n ? c->u[here + n][q] : 0) +
						(k ? c->u[here - 1][q] : 0) +
						(k + 1 < n ? c->u[here + 1][q] : 0);
				c->rhs[here][q] = step * (1 + around - 6 * c->u[here][q]);
			}
		}
	}
}

void et_cells_add(const struct et_cells *c)
{
	size_t cells = c->n * c->n * c->n;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < cells; i++) {
		for (size_t q = 0; q < ET_FIVE; q++)
			c->u[i][q] += c->rhs[i][q];
	}
}

double et_cells_square(const struct et_cells *c)
{
	size_t numbers = c->n * c->n * c->n * ET_FIVE;

	return et_dot(c->u[0], c->u[0], numbers) / (double)numbers;
}

void et_sweep(const struct et_sweeps *size, const struct et_systems *systems, bool spoil,
	struct et_kernel_result *out)
{
	size_t n = size->n, cells = n * n * n;
	ET_AUTO_FREE double(*all)[ET_FIVE] = et_calloc(3 * cells, sizeof(*all));
	double(*before)[ET_FIVE] = all + 2 * cells;
	struct et_cells c = { n, all, all + cells };

	et_cells_random(&c, systems->seed);
	for (int s = 0; s < size->steps; s++) {
		et_cells_right_side(&c, systems->step);
		for (int dimension = 0; dimension < 3; dimension++) {
			bool last = s + 1 == size->steps && dimension == 2;
			if (last)
				memcpy(before, c.rhs, cells * sizeof(*before));
#pragma omp parallel for schedule(static)
			for (size_t line = 0; line < n * n; line++)
				systems->solve(&c, dimension, line);
			if (last && spoil)
				c.rhs[cells / 2][2] += 1e-3;
			if (last)
				out->error = systems->residual(&c, dimension, before);
		}
		et_cells_add(&c);
	}
	out->value = et_cells_square(&c);
	out->limit = 1e-13;
	out->check = "the residual of the last systems";
	snprintf(out->detail, sizeof(out->detail),
		"%zu x %zu x %zu cells, %d steps, mean square %.9f", n, n, n, size->steps,
		out->value);
}

void et_solve_five(double m[ET_FIVE][ET_FIVE], double *r, int columns)
{
	for (int p = 0; p < ET_FIVE; p++) {
		double pivot = 1 / m[p][p];
		for (int k = p + 1; k < ET_FIVE; k++)
			m[p][k] *= pivot;
		for (int k = 0; k < columns; k++)
			r[p * columns + k] *= pivot;
		for (int i = 0; i < ET_FIVE; i++) {
			if (i == p)
				continue;
			double factor = m[i][p];
			for (int k = p + 1; k < ET_FIVE; k++)
				m[i][k] -= factor * m[p][k];
			for (int k = 0; k < columns; k++)
				r[i * columns + k] -= factor * r[p * columns + k];
		}
	}
}
