/* SPDX-License-Identifier: MIT */
#include "num/select.h"

#include <math.h>

static inline void swap(double *a, double *b)
{
	double t = *a;

	*a = *b;
	*b = t;
}

/*
 * Floyd & Rivest (1975), algorithm 489: chooses the pivot from a small sample around the expected
 * place of the k-th smallest. The bounds are inclusive.
 */
static void select_one(double *x, ptrdiff_t left, ptrdiff_t right, ptrdiff_t k)
{
	while (right > left) {
		ptrdiff_t i = left, j = right;
		double t;

		if (right - left > 600) {
			double n = (double)(right - left + 1), at = (double)(k - left + 1);
			double z = log(n), s = 0.5 * exp(2 * z / 3);
			double sd = 0.5 * sqrt(z * s * (n - s) / n) * (at < n / 2 ? -1 : 1);

			select_one(x, (ptrdiff_t)fmax((double)left, (double)k - at * s / n + sd),
				(ptrdiff_t)fmin((double)right, (double)k + (n - at) * s / n + sd),
				k);
		}
		t = x[k];
		swap(&x[left], &x[k]);
		if (x[right] > t)
			swap(&x[right], &x[left]);
		while (i < j) {
			swap(&x[i], &x[j]);
			i++;
			j--;
			while (x[i] < t)
				i++;
			while (x[j] > t)
				j--;
		}
		if (x[left] == t)
			swap(&x[left], &x[j]);
		else
			swap(&x[++j], &x[right]);
		if (j <= k)
			left = j + 1;
		if (k <= j)
			right = j - 1;
	}
}

/* The middle rank splits the array; each side then has only its own ranks left to find. */
static void select_ranks(
	double *x, ptrdiff_t left, ptrdiff_t right, const size_t *ranks, size_t n_ranks)
{
	while (n_ranks && left < right) {
		size_t mid = n_ranks / 2;
		ptrdiff_t k = (ptrdiff_t)ranks[mid];

		if (k >= left && k <= right)
			select_one(x, left, right, k);
		select_ranks(x, left, k - 1, ranks, mid);
		left = k + 1;
		ranks += mid + 1;
		n_ranks -= mid + 1;
	}
}

void et_select(double *x, size_t n, const size_t *ranks, size_t n_ranks)
{
	if (n > 1)
		select_ranks(x, 0, (ptrdiff_t)n - 1, ranks, n_ranks);
}
