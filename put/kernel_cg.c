/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CG: the smallest eigenvalue of a random sparse matrix by inverse iteration, each step of which
 * solves a system by conjugate gradients. Its reads are irregular: a row has its columns anywhere.
 *
 * The matrix is the Laplacian of a random weighted graph, plus a multiple of the unit matrix. So
 * all its row sums are that multiple, which is the smallest eigenvalue, known beforehand.
 */
#include "put/kernel_work.h"

enum {
	EDGES = 8,           /* from each node; as many arrive there */
	ROW = 2 * EDGES + 1, /* elements of a row that are not zero */
	STEPS = 25,          /* of conjugate gradients */
};
static const double smallest = 0.5;

struct matrix {
	size_t n; /* rows, a power of two */
	uint32_t *columns;
	double *values;
};

struct vectors {
	double *x, *z, *r, *p, *q;
};

/* The edges of kind k go from i to (a i + b) mod n. As a is odd, that is a permutation. */
static void permutation(unsigned k, uint64_t *a, uint64_t *b, uint64_t *inverse)
{
	*a = et_hash(2, 2 * k) | 1;
	*b = et_hash(2, 2 * k + 1);
	uint64_t y = *a; /* Newton's iteration doubles the correct bits: 3, 6, 12, 24, 48, 96 */
	for (int i = 0; i < 5; i++)
		y *= 2 - *a * y;
	*inverse = y;
}

static void fill_row(const struct matrix *m, uint64_t i)
{
	uint32_t *columns = m->columns + i * ROW;
	double *values = m->values + i * ROW, diagonal = smallest;

	for (unsigned k = 0; k < EDGES; k++) {
		uint64_t a, b, inverse, mask = m->n - 1;
		permutation(k, &a, &b, &inverse);
		uint64_t from = inverse * (i - b) & mask;
		double there = et_uniform(10 + k, i), back = et_uniform(10 + k, from);
		columns[2 * k] = (uint32_t)((a * i + b) & mask);
		columns[2 * k + 1] = (uint32_t)from;
		values[2 * k] = -there;
		values[2 * k + 1] = -back;
		diagonal += there + back;
	}
	columns[2 * EDGES] = (uint32_t)i;
	values[2 * EDGES] = diagonal;
}

static void multiply(const struct matrix *m, const double *x, double *out)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < m->n; i++) {
		const uint32_t *columns = m->columns + i * ROW;
		const double *values = m->values + i * ROW;
		double sum = 0;
		for (unsigned k = 0; k < ROW; k++)
			sum += values[k] * x[columns[k]];
		out[i] = sum;
	}
}

/* Adds to out the vector v times the factor; or out becomes v plus out times the factor. */
static void add(double *out, const double *v, double factor, size_t n)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++)
		out[i] += factor * v[i];
}

static void scale_add(double *out, double factor, const double *v, size_t n)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++)
		out[i] = v[i] + factor * out[i];
}

/* Solves A z = x; returns |x - A z| / |x|. */
static double solve(const struct matrix *m, const struct vectors *v)
{
	size_t n = m->n;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++) {
		v->z[i] = 0;
		v->p[i] = v->r[i] = v->x[i];
	}
	double start = et_dot(v->r, v->r, n), rho = start;
	for (int step = 0; step < STEPS; step++) {
		multiply(m, v->p, v->q);
		double alpha = rho / et_dot(v->p, v->q, n), before = rho;
		add(v->z, v->p, alpha, n);
		add(v->r, v->q, -alpha, n);
		rho = et_dot(v->r, v->r, n);
		scale_add(v->p, rho / before, v->r, n);
	}
	multiply(m, v->z, v->q);
	scale_add(v->q, -1, v->x, n);
	return sqrt(et_dot(v->q, v->q, n) / start);
}

/* One step of inverse iteration; returns the Rayleigh quotient. */
static double iterate(const struct matrix *m, const struct vectors *v, double *residual)
{
	*residual = solve(m, v);
	double square = et_dot(v->z, v->z, m->n), product = et_dot(v->x, v->z, m->n);

	scale_add(v->x, 0, v->z, m->n);
	add(v->x, v->x, 1 / sqrt(square) - 1, m->n);
	return product / square;
}

void et_kernel_cg(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		unsigned bits;
		int iterations;
	} sizes[ET_CLASSES] = { { 13, 4 }, { 14, 10 }, { 16, 15 }, { 18, 15 }, { 20, 20 } };
	size_t n = (size_t)1 << sizes[size].bits;
	ET_AUTO_FREE uint32_t *columns = et_calloc(n * ROW, sizeof(*columns));
	ET_AUTO_FREE double *values = et_calloc(n * ROW, sizeof(*values));
	ET_AUTO_FREE double *all = et_calloc(5 * n, sizeof(*all));
	struct matrix m = { n, columns, values };
	struct vectors v = { all, all + n, all + 2 * n, all + 3 * n, all + 4 * n };
	double residual = 0, quotient = 0;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++) {
		fill_row(&m, i);
		v.x[i] = et_uniform(3, i);
	}
	if (spoil)
		values[n / 2 * ROW] *= 2;
	out->value = 0;
	for (int i = 0; i < sizes[size].iterations; i++) {
		quotient = iterate(&m, &v, &residual);
		out->value += quotient;
	}
	out->error = fmax(residual, fabs(quotient - smallest));
	out->limit = 1e-6;
	out->check = "the error of the eigenvalue";
	snprintf(out->detail, sizeof(out->detail),
		"%zu rows with %d elements, %d iterations, eigenvalue %.12f", n, ROW,
		sizes[size].iterations, quotient);
}
