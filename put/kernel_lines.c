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
