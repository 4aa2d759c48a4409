/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * FT: the diffusion equation on a periodic cube by Fourier transforms in three dimensions. Two of
 * them walk through memory with large strides.
 */
#include "put/kernel_work.h"

#include <complex.h>

enum { MOST = 256, POINTS = 1024 };
static const double pi = 3.14159265358979323846, diffusivity = 1e-6;

struct cube {
	size_t n; /* points along an edge, a power of two */
	double complex *spectrum, *work;
	double complex roots[MOST]; /* exp(2πi k/n) */
};

/* The product without C's rules for infinities, which would be a call of a function. */
static inline double complex times(double complex a, double complex b)
{
	return CMPLX(creal(a) * creal(b) - cimag(a) * cimag(b),
		creal(a) * cimag(b) + cimag(a) * creal(b));
}

/* Stockham's transform of n numbers, in order without bit reversal; the result is in a. */
static void transform(const struct cube *c, double complex *a, bool inverse)
{
	double complex room[MOST], *from = a, *to = room;

	for (size_t half = c->n / 2, stride = 1; half; half /= 2, stride *= 2) {
		for (size_t p = 0; p < half; p++) {
			double complex root = c->roots[p * stride];
			root = inverse ? root : conj(root);
			for (size_t q = 0; q < stride; q++) {
				double complex x = from[q + stride * p];
				double complex y = from[q + stride * (p + half)];
				to[q + stride * 2 * p] = x + y;
				to[q + stride * (2 * p + 1)] = times(x - y, root);
			}
		}
		double complex *swap = from;
		from = to;
		to = swap;
	}
	if (from != a)
		memcpy(a, from, c->n * sizeof(*a));
}

/* Transforms all lines along a dimension; 2 is the one in which neighbours are adjacent. */
static void transform_lines(const struct cube *c, double complex *all, int dimension, bool inverse)
{
	size_t n = c->n, stride = dimension == 2 ? 1 : dimension == 1 ? n : n * n;

#pragma omp parallel for schedule(static)
	for (size_t line = 0; line < n * n; line++) {
		size_t high = line / n, low = line % n;
		double complex *first = all + (dimension == 2          ? line * n
						      : dimension == 1 ? high * n * n + low
								       : line);
		double complex buffer[MOST];
		for (size_t i = 0; i < n; i++)
			buffer[i] = first[i * stride];
		transform(c, buffer, inverse);
		for (size_t i = 0; i < n; i++)
			first[i * stride] = buffer[i];
	}
}

static void transform_cube(const struct cube *c, double complex *all, bool inverse)
{
	for (int dimension = 2; dimension >= 0; dimension--)
		transform_lines(c, all, dimension, inverse);
}

/* The square of the wave number of an index: the upper half is negative. */
static double wave_square(const struct cube *c, size_t i)
{
	double k = i < c->n / 2 ? (double)i : (double)i - (double)c->n;

	return k * k;
}

/* The work array becomes the spectrum at the time, transformed back. */
static void evolve(const struct cube *c, int time)
{
	size_t n = c->n;
	double rate = -4 * pi * pi * diffusivity * time;

#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < n; j++) {
			double rest = wave_square(c, i) + wave_square(c, j);
			size_t row = (i * n + j) * n;
			for (size_t k = 0; k < n; k++)
				c->work[row + k] = c->spectrum[row + k] *
						   exp(rate * (rest + wave_square(c, k)));
		}
	}
	transform_cube(c, c->work, true);
}

static double complex input(size_t i)
{
	return CMPLX(et_uniform(30, i), et_uniform(31, i));
}

/* The largest difference between the input and its transform, transformed back. */
static double difference(const struct cube *c, size_t points)
{
	double parts[ET_PARTS], worst = 0;

#pragma omp parallel for schedule(static)
	for (unsigned p = 0; p < ET_PARTS; p++) {
		parts[p] = 0;
		for (size_t i = et_part_begin(points, p); i < et_part_begin(points, p + 1); i++)
			parts[p] = fmax(parts[p], cabs(c->work[i] / (double)points - input(i)));
	}
	for (unsigned p = 0; p < ET_PARTS; p++)
		worst = fmax(worst, parts[p]);
	return worst;
}

void et_kernel_ft(enum et_kernel_class size, bool spoil, struct et_kernel_result *out)
{
	static const struct {
		size_t n;
		int steps;
	} sizes[ET_CLASSES] = { { 32, 10 }, { 64, 5 }, { 128, 5 }, { 256, 4 }, { 256, 20 } };
	struct cube c = { .n = sizes[size].n };
	size_t points = c.n * c.n * c.n;
	ET_AUTO_FREE double complex *all = et_calloc(2 * points, sizeof(*all));

	c.spectrum = all;
	c.work = all + points;
	for (size_t k = 0; k < c.n; k++)
		c.roots[k] = CMPLX(cos(2 * pi * (double)k / (double)c.n),
			sin(2 * pi * (double)k / (double)c.n));
#pragma omp parallel for schedule(static)
	for (size_t i = 0; i < points; i++)
		c.spectrum[i] = input(i);
	transform_cube(&c, c.spectrum, false);
	if (spoil)
		c.spectrum[points / 2] += 1;
	evolve(&c, 0);
	out->error = difference(&c, points);
	out->value = 0;
	for (int t = 1; t <= sizes[size].steps; t++) {
		evolve(&c, t);
		for (size_t i = 0; i < POINTS; i++) {
			double complex x = c.work[et_hash(32, i) % points] / (double)points;
			out->value += creal(x) + cimag(x);
		}
	}
	out->limit = 1e-13;
	out->check = "the difference after there and back";
	snprintf(out->detail, sizeof(out->detail), "%zu x %zu x %zu points, %d steps", c.n, c.n,
		c.n, sizes[size].steps);
}
