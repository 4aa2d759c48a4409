/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The product of two square matrices in row-major order. The innermost loop of MATC walks down
 * columns (a stride of n numbers, which misses caches and TLB if n is large), that of MATR along
 * rows. Both do the same n³ multiplications and, for each element, the same additions in the same
 * order, so their results are equal to the last bit. The work must not allocate or make a system
 * call.
 */
#include "put/work.h"

#include <string.h>

void et_matrix_by_column(const double *a, const double *b, double *c, size_t n)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0; k < n; k++) {
			double factor = b[k * n + j];
			for (size_t i = 0; i < n; i++)
				c[i * n + j] += a[i * n + k] * factor;
		}
	}
}

void et_matrix_by_row(const double *a, const double *b, double *c, size_t n)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			double factor = a[i * n + k];
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += factor * b[k * n + j];
		}
	}
}
