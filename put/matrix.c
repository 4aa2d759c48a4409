/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The product of two square matrices of integers in row-major order. The innermost loop of MATC
 * walks down columns (a stride of n numbers, which misses caches and TLB if n is large), that of
 * MATR along rows. Both do the same n³ multiplications, so their results are equal. The work must
 * not allocate or make a system call.
 */
#include "put/work.h"

void et_matrix_by_column(const int32_t *a, const int32_t *b, int32_t *c, size_t n)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t j = 0; j < n; j++) {
		for (size_t k = 0; k < n; k++) {
			int32_t factor = b[k * n + j];
			for (size_t i = 0; i < n; i++)
				c[i * n + j] += a[i * n + k] * factor;
		}
	}
}

void et_matrix_by_row(const int32_t *a, const int32_t *b, int32_t *c, size_t n)
{
	memset(c, 0, n * n * sizeof(*c));
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < n; k++) {
			int32_t factor = a[i * n + k];
			for (size_t j = 0; j < n; j++)
				c[i * n + j] += factor * b[k * n + j];
		}
	}
}
