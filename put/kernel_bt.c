/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * BT: implicit time steps of five coupled quantities. Each step solves, along every line of the
 * cube in each dimension, a system that is tridiagonal in blocks of 5 × 5 (Thomas's algorithm).
 */
#include "put/kernel_lines.h"

static const double step = 0.4, coupling = 0.3;

/*
 * The blocks of a cell, of which the neighbours' ones are the same everywhere: −step on the
 * diagonal and ± coupling beside it. That of the cell itself depends on its state; its diagonal
 * dominates.
 */
static void own_block(const double *u, double m[ET_FIVE][ET_FIVE])
{
	double square = 1;

	for (int q = 0; q < ET_FIVE; q++)
		square += u[q] * u[q];
	for (int a = 0; a < ET_FIVE; a++) {
		for (int b = 0; b < ET_FIVE; b++)
			m[a][b] = step * u[a] * u[b] / square;
		m[a][a] += 1 + 2 * step + 2 * coupling;
	}
}

static double neighbour(int a, int b, double sign)
{
	return a == b ? -step : b == a + 1 ? sign * coupling : 0;
}

/* Subtracts the block of a neighbour times x, which has several columns, from out. */
static void subtract(double *out, const double *x, int columns, double sign)
{
	for (int a = 0; a < ET_FIVE; a++) {
		for (int k = 0; k < columns; k++) {
			out[a * columns + k] += step * x[a * columns + k];
			if (a + 1 < ET_FIVE)
				out[a * columns + k] -= sign * coupling * x[(a + 1) * columns + k];
		}
	}
}

static void solve_line(const struct et_cells *c, int dimension, size_t line)
{
	/* For each cell, the block and the right-hand side that its next cell leaves. */
	double after[ET_LONGEST_LINE][ET_FIVE][ET_FIVE + 1], m[ET_FIVE][ET_FIVE];
	size_t stride, first = et_line(c, dimension, line, &stride);

	for (size_t i = 0; i < c->n; i++) {
		size_t cell = first + i * stride;
		own_block(c->u[cell], m);
		for (int a = 0; a < ET_FIVE; a++) {
			for (int b = 0; b < ET_FIVE; b++)
				after[i][a][b] = neighbour(a, b, 1);
			after[i][a][ET_FIVE] = c->rhs[cell][a];
		}
		if (i) {
			double product[ET_FIVE][ET_FIVE + 1] = { 0 };
			subtract(product[0], after[i - 1][0], ET_FIVE + 1, -1);
			for (int a = 0; a < ET_FIVE; a++) {
				for (int b = 0; b < ET_FIVE; b++)
					m[a][b] += product[a][b];
				after[i][a][ET_FIVE] += product[a][ET_FIVE];
			}
		}
		et_solve_five(m, after[i][0], ET_FIVE + 1);
	}
	for (size_t i = c->n; i-- > 0;) {
		double *x = c->rhs[first + i * stride], *next = x + stride * ET_FIVE;
		for (int a = 0; a < ET_FIVE; a++) {
			x[a] = after[i][a][ET_FIVE];
			for (int b = 0; b < ET_FIVE && i + 1 < c->n; b++)
				x[a] -= after[i][a][b] * next[b];
		}
	}
}

/* The largest residual of the systems along a dimension, whose right-hand sides were b. */
static double residual(const struct et_cells *c, int dimension, double (*b)[ET_FIVE])
{
	double worst = 0;

	for (size_t line = 0; line < c->n * c->n; line++) {
		size_t stride, first = et_line(c, dimension, line, &stride);
		for (size_t i = 0; i < c->n; i++) {
			size_t cell = first + i * stride;
			double r[ET_FIVE], m[ET_FIVE][ET_FIVE];
			memcpy(r, b[cell], sizeof(r));
			own_block(c->u[cell], m);
			for (int a = 0; a < ET_FIVE; a++) {
				for (int k = 0; k < ET_FIVE; k++)
					r[a] -= m[a][k] * c->rhs[cell][k];
			}
			if (i)
				subtract(r, c->rhs[cell - stride], 1, -1);
			if (i + 1 < c->n)
				subtract(r, c->rhs[cell + stride], 1, 1);
			for (int a = 0; a < ET_FIVE; a++)
				worst = fmax(worst, fabs(r[a]));
		}
	}
	return worst;
}

void et_kernel_bt(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct et_sweeps sizes[ET_CLASSES] = { { 12, 10 }, { 20, 10 }, { 36, 12 },
		{ 64, 16 }, { 96, 30 } };

	et_sweep(&sizes[size], &(struct et_systems){ 40, step, solve_line, residual }, spoil, out);
}
