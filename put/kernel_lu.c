/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * LU: symmetric successive over-relaxation of five coupled quantities. A sweep goes through the
 * cube by planes i + j + k = const, whose cells do not depend on each other: threads wait for each
 * other at every plane.
 */
#include "put/kernel_lines.h"

static const double relaxation = 1.2, diagonal = 6.6;

struct system {
	size_t n;
	double (*u)[ET_FIVE], (*f)[ET_FIVE];
	double (*a)[ET_FIVE]; /* the block of a cell is diagonal · 1 + a aᵀ */
};

/* The sum of the six neighbours; beyond the walls everything is zero. */
static double around(const struct system *s, size_t cell, const size_t place[3], int q)
{
	size_t n = s->n, stride = n * n;
	double sum = 0;

	for (int d = 0; d < 3; d++, stride /= n) {
		sum += place[d] ? s->u[cell - stride][q] : 0;
		sum += place[d] + 1 < n ? s->u[cell + stride][q] : 0;
	}
	return sum;
}

/* One cell of a sweep: its block times u is what its neighbours and f leave. */
static void relax(const struct system *s, const size_t place[3])
{
	size_t cell = (place[0] * s->n + place[1]) * s->n + place[2];
	double m[ET_FIVE][ET_FIVE], x[ET_FIVE];

	for (int p = 0; p < ET_FIVE; p++) {
		for (int q = 0; q < ET_FIVE; q++)
			m[p][q] = s->a[cell][p] * s->a[cell][q];
		m[p][p] += diagonal;
		x[p] = s->f[cell][p] + around(s, cell, place, p);
	}
	et_solve_five(m, x, 1);
	for (int p = 0; p < ET_FIVE; p++)
		s->u[cell][p] += relaxation * (x[p] - s->u[cell][p]);
}

/* All cells of a plane. */
static void relax_plane(const struct system *s, size_t plane)
{
	size_t most = s->n - 1, low = plane > 2 * most ? plane - 2 * most : 0;
	size_t high = plane < most ? plane : most;

#pragma omp for schedule(static)
	for (size_t i = low; i <= high; i++) {
		size_t rest = plane - i;
		for (size_t j = rest > most ? rest - most : 0; j <= most && j <= rest; j++)
			relax(s, (size_t[]){ i, j, rest - j });
	}
}

static void sweep(const struct system *s)
{
	size_t planes = 3 * (s->n - 1) + 1;

#pragma omp parallel
	{
		for (size_t p = 0; p < planes; p++)
			relax_plane(s, p);
		for (size_t p = planes; p-- > 0;)
			relax_plane(s, p);
	}
}

static double solution(size_t cell, size_t q)
{
	return et_uniform(60, cell * ET_FIVE + q);
}

/* Fills the system so that its solution is known; u begins with zero. */
static void fill(const struct system *s)
{
	size_t n = s->n, cells = n * n * n;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < cells; i++) {
		for (size_t q = 0; q < ET_FIVE; q++) {
			s->u[i][q] = solution(i, q);
			s->a[i][q] = et_uniform(61, i * ET_FIVE + q);
		}
	}
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < cells; i++) {
		size_t place[] = { i / n / n, i / n % n, i % n };
		double along = 0;
		for (int q = 0; q < ET_FIVE; q++)
			along += s->a[i][q] * s->u[i][q];
		for (int q = 0; q < ET_FIVE; q++)
			s->f[i][q] =
				diagonal * s->u[i][q] + s->a[i][q] * along - around(s, i, place, q);
	}
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < cells; i++) {
		for (size_t q = 0; q < ET_FIVE; q++)
			s->u[i][q] = 0;
	}
}

void et_kernel_lu(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		size_t n;
		int sweeps;
	} sizes[ET_CLASSES] = { { 16, 20 }, { 24, 20 }, { 40, 30 }, { 64, 40 }, { 96, 50 } };
	struct system s = { .n = sizes[size].n };
	size_t cells = s.n * s.n * s.n;
	ET_AUTO_FREE double(*all)[ET_FIVE] = et_calloc(3 * cells, sizeof(*all));

	s.u = all;
	s.f = all + cells;
	s.a = all + 2 * cells;
	fill(&s);
	for (int i = 0; i < sizes[size].sweeps; i++) {
		if (spoil && i == sizes[size].sweeps / 2)
			s.f[cells / 2][2] += 1e-3;
		sweep(&s);
	}
	out->value = et_dot(s.u[0], s.u[0], cells * ET_FIVE);
	out->error = 0;
	for (size_t i = 0; i < cells; i++) {
		for (size_t q = 0; q < ET_FIVE; q++)
			out->error = fmax(out->error, fabs(s.u[i][q] - solution(i, q)));
	}
	out->limit = 1e-4;
	out->check = "the difference to the known solution";
	snprintf(out->detail, sizeof(out->detail),
		"%zu x %zu x %zu cells, %d sweeps, difference %.3g", s.n, s.n, s.n,
		sizes[size].sweeps, out->error);
}
