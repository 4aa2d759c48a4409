/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MG: Poisson's equation on a periodic cube by V cycles of multigrid, with damped Jacobi sweeps.
 * It reads and writes large grids in order, and small ones between barriers.
 */
#include "put/kernel_work.h"

enum { LEVELS = 8, COARSEST = 4, SWEEPS = 2, COARSEST_SWEEPS = 20, CHARGES = 10 };
static const double damping = 0.8;

/* On each level: 6u − (sum of the six neighbours) = b, and r, what is missing. */
struct level {
	size_t n; /* points along an edge, a power of two */
	double *u, *b, *r;
};

static inline size_t at(const struct level *l, size_t i, size_t j, size_t k)
{
	size_t mask = l->n - 1;

	return ((i & mask) * l->n + (j & mask)) * l->n + (k & mask);
}

static void residual(const struct level *l)
{
	size_t n = l->n;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			const double *row = l->u + at(l, i, j, 0);
			const double *up = l->u + at(l, i + 1, j, 0);
			const double *down = l->u + at(l, i + n - 1, j, 0);
			const double *left = l->u + at(l, i, j + n - 1, 0);
			const double *right = l->u + at(l, i, j + 1, 0);
			for (size_t k = 0; k < n; k++) {
				double around = up[k] + down[k] + left[k] + right[k] +
						row[(k + 1) & (n - 1)] + row[(k - 1) & (n - 1)];
				size_t here = at(l, i, j, k);
				l->r[here] = l->b[here] + around - 6 * row[k];
			}
		}
	}
}

static void smooth(const struct level *l, int sweeps)
{
	size_t points = l->n * l->n * l->n;

	for (int s = 0; s < sweeps; s++) {
		residual(l);
#pragma omp parallel for schedule(static)
		for (size_t i = 0; i < points; i++)
			l->u[i] += damping / 6 * l->r[i];
	}
}

/* The weighted mean of the residual around a point of the coarse grid. */
static double mean_around(const struct level *fine, size_t i, size_t j, size_t k)
{
	static const double weight[4] = { 8, 4, 2, 1 }; /* by how many coordinates differ */
	double sum = 0;

	for (size_t a = 0; a < 3; a++) {
		for (size_t b = 0; b < 3; b++) {
			for (size_t c = 0; c < 3; c++) {
				size_t m = fine->n - 1; /* adding it subtracts 1 */
				unsigned apart = (a != 1) + (b != 1) + (c != 1);
				sum += weight[apart] * fine->r[at(fine, 2 * i + m + a,
							       2 * j + m + b, 2 * k + m + c)];
			}
		}
	}
	return sum / 64;
}

/* The right-hand side of the coarse grid; its points are twice as far apart: factor 4. */
static void restrict_to(const struct level *coarse, const struct level *fine)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < coarse->n; i++) {
		for (size_t j = 0; j < coarse->n; j++) {
			for (size_t k = 0; k < coarse->n; k++) {
				size_t here = at(coarse, i, j, k);
				coarse->b[here] = 4 * mean_around(fine, i, j, k);
				coarse->u[here] = 0;
			}
		}
	}
}

/* Adds the trilinear interpolation of the coarse grid. */
static void prolong(const struct level *coarse, const struct level *fine)
{
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < fine->n; i++) {
		for (size_t j = 0; j < fine->n; j++) {
			for (size_t k = 0; k < fine->n; k++) {
				double sum = 0;
				for (size_t corner = 0; corner < 8; corner++) {
					size_t a = corner >> 2, b = corner >> 1 & 1, c = corner & 1;
					sum += coarse->u[at(
						coarse, (i + a) >> 1, (j + b) >> 1, (k + c) >> 1)];
				}
				fine->u[at(fine, i, j, k)] += sum / 8;
			}
		}
	}
}

static void cycle(const struct level *levels, size_t n)
{
	for (size_t l = 0; l + 1 < n; l++) {
		smooth(&levels[l], SWEEPS);
		residual(&levels[l]);
		restrict_to(&levels[l + 1], &levels[l]);
	}
	smooth(&levels[n - 1], COARSEST_SWEEPS);
	for (size_t l = n - 1; l-- > 0;) {
		prolong(&levels[l + 1], &levels[l]);
		smooth(&levels[l], SWEEPS);
	}
}

void et_kernel_mg(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		size_t n;
		int cycles;
	} sizes[ET_CLASSES] = { { 32, 10 }, { 64, 6 }, { 128, 6 }, { 256, 6 }, { 256, 40 } };
	struct level levels[LEVELS];
	size_t n_levels = 0, points = sizes[size].n * sizes[size].n * sizes[size].n;
	ET_AUTO_FREE double *all = et_calloc(3 * points / 7 * 8 + 64, sizeof(*all));
	double *next = all;

	for (size_t n = sizes[size].n; n >= COARSEST; n /= 2) {
		size_t of_level = n * n * n;
		levels[n_levels++] =
			(struct level){ n, next, next + of_level, next + 2 * of_level };
		next += 3 * of_level;
	}
	/* As many charges of either sign: the sum must be zero on a periodic grid. */
	for (unsigned c = 0; c < 2 * CHARGES; c++)
		levels[0].b[et_hash(20, c) % points] += c % 2 ? 1 : -1;
	double start = et_dot(levels[0].b, levels[0].b, points);
	for (int c = 0; c < sizes[size].cycles; c++) {
		if (spoil && c == sizes[size].cycles / 2)
			levels[0].b[points / 2] += 1;
		cycle(levels, n_levels);
	}
	residual(levels);
	out->value = et_dot(levels[0].u, levels[0].u, points);
	out->error = sqrt(et_dot(levels[0].r, levels[0].r, points) / start);
	out->limit = pow(0.3, sizes[size].cycles) + 1e-12;
	out->check = "the relative residual";
	snprintf(out->detail, sizeof(out->detail),
		"%zu x %zu x %zu points, %d cycles, residual %.3g", sizes[size].n, sizes[size].n,
		sizes[size].n, sizes[size].cycles, out->error);
}
