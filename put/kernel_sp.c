/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SP: implicit time steps of five quantities that are not coupled. Each step solves, along every
 * line of the cube in each dimension, five systems with two diagonals on either side.
 */
#include "put/kernel_lines.h"

static const double step = 0.4, dissipation = 0.05;

/*
 * A row of the system: the second and the first neighbours have the same coefficients on both
 * sides; that of the cell itself depends on its state, and dominates.
 */
enum { SECOND, FIRST, OWN };
static void row_of(double u, double row[3])
{
	row[SECOND] = dissipation;
	row[FIRST] = -step - 4 * dissipation;
	row[OWN] = 1 + 2 * step + 10 * dissipation + 0.1 * u * u / (1 + u * u);
}

static void solve_line(const struct et_cells *c, int dimension, size_t line, int q)
{
	/* Elimination leaves, for each cell, the factors of the next two and the right-hand side.
	 */
	double next[ET_LONGEST_LINE], second[ET_LONGEST_LINE], right[ET_LONGEST_LINE];
	size_t stride, first = et_line(c, dimension, line, &stride);

	for (size_t i = 0; i < c->n; i++) {
		size_t cell = first + i * stride;
		double row[3];
		row_of(c->u[cell][q], row);
		double before = row[FIRST], own = row[OWN], after = row[FIRST], b = c->rhs[cell][q];
		if (i > 1) {
			before -= row[SECOND] * next[i - 2];
			own -= row[SECOND] * second[i - 2];
			b -= row[SECOND] * right[i - 2];
		}
		if (i > 0) {
			own -= before * next[i - 1];
			after -= before * second[i - 1];
			b -= before * right[i - 1];
		}
		next[i] = after / own;
		second[i] = row[SECOND] / own;
		right[i] = b / own;
	}
	double one = 0, two = 0;
	for (size_t i = c->n; i-- > 0;) {
		/* cppcheck-suppress uninitvar ; a line has at least one cell */
		double x = right[i] - next[i] * one - second[i] * two;
		c->rhs[first + i * stride][q] = x;
		two = one;
		one = x;
	}
}

static void solve_lines(const struct et_cells *c, int dimension, size_t line)
{
	for (int q = 0; q < ET_FIVE; q++)
		solve_line(c, dimension, line, q);
}

/* The solution at a distance from a cell of the line; zero beyond the walls. */
static double beside(const struct et_cells *c, size_t first, size_t stride, ptrdiff_t i, int q)
{
	return i < 0 || i >= (ptrdiff_t)c->n ? 0 : c->rhs[first + (size_t)i * stride][q];
}

/* The largest residual of the systems along a dimension, whose right-hand sides were b. */
static double residual(const struct et_cells *c, int dimension, double (*b)[ET_FIVE])
{
	double worst = 0;

	for (size_t line = 0; line < c->n * c->n; line++) {
		size_t stride, first = et_line(c, dimension, line, &stride);
		for (ptrdiff_t i = 0; i < (ptrdiff_t)c->n; i++) {
			size_t cell = first + (size_t)i * stride;
			for (int q = 0; q < ET_FIVE; q++) {
				double row[3], sum = 0;
				row_of(c->u[cell][q], row);
				for (int d = -2; d <= 2; d++)
					sum += row[d < 0 ? 2 + d : 2 - d] *
					       beside(c, first, stride, i + d, q);
				worst = fmax(worst, fabs(b[cell][q] - sum));
			}
		}
	}
	return worst;
}

void et_kernel_sp(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct et_sweeps sizes[ET_CLASSES] = { { 24, 10 }, { 36, 10 }, { 64, 16 },
		{ 96, 30 }, { 128, 50 } };

	et_sweep(&sizes[size], &(struct et_systems){ 50, step, solve_lines, residual }, spoil, out);
}
