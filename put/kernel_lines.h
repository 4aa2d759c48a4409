/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Shared by the kernels BT, SP and LU: five quantities on a cube of n × n × n cells, the lines of
 * cells along each dimension, and systems of five equations.
 */
#pragma once

#include "put/kernel_work.h"

enum { ET_FIVE = 5, ET_LONGEST_LINE = 128 };

struct et_cells {
	size_t n;
	double (*u)[ET_FIVE];   /* the state */
	double (*rhs)[ET_FIVE]; /* right-hand sides, which a solution overwrites */
};

/* The first cell of a line along a dimension; *stride is the distance of the next. */
static inline size_t et_line(const struct et_cells *c, int dimension, size_t line, size_t *stride)
{
	size_t n = c->n;

	*stride = dimension == 0 ? n * n : dimension == 1 ? n : 1;
	return dimension == 0 ? line : dimension == 1 ? line / n * n * n + line % n : line * n;
}

/*
 * Fills rhs with a step of diffusion and a source, beyond the walls everything is zero; and a state
 * of random numbers.
 */
void et_cells_right_side(const struct et_cells *c, double step);
void et_cells_random(const struct et_cells *c, uint64_t seed);
/* Adds rhs to the state. */
void et_cells_add(const struct et_cells *c);
/* The mean square of the state. */
double et_cells_square(const struct et_cells *c);

/* The size of a kernel: cells along each edge of the cube, and steps of time. */
struct et_sweeps {
	size_t n;
	int steps;
};

/* The systems that a kernel solves along each line of cells. */
struct et_systems {
	uint64_t seed; /* of the first state */
	double step;
	void (*solve)(const struct et_cells *c, int dimension, size_t line);
	/* The largest residual of those along a dimension, whose right-hand sides were b. */
	double (*residual)(const struct et_cells *c, int dimension, double (*b)[ET_FIVE]);
};

/*
 * Solves the systems along all lines of each dimension in turn, once per step of time. The residual
 * of the last ones is the error.
 */
void et_sweep(const struct et_sweeps *size, const struct et_systems *systems, bool spoil,
	struct et_kernel_result *out);

/*
 * Solves m x = r for several right-hand sides, columns of r, by elimination without pivoting: the
 * diagonal of m must dominate. m is destroyed, r becomes x.
 */
void et_solve_five(double m[ET_FIVE][ET_FIVE], double *r, int columns);
