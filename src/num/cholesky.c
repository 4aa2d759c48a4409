/* SPDX-License-Identifier: MIT */
#include "num/cholesky.h"

#include <math.h>

bool et_cholesky(double *a, size_t n)
{
	static const double smallest_pivot = 1e-10;

	for (size_t i = 0; i < n; i++) {
		double whole = a[i * n + i];
		for (size_t j = 0; j <= i; j++) {
			double sum = a[i * n + j];
			for (size_t k = 0; k < j; k++)
				sum -= a[i * n + k] * a[j * n + k];
			if (j < i)
				a[i * n + j] = sum / a[j * n + j];
			else if (!(sum > smallest_pivot * whole))
				return false;
			else
				a[i * n + i] = sqrt(sum);
		}
	}
	return true;
}

void et_cholesky_forward(const double *l, size_t n, double *x)
{
	for (size_t i = 0; i < n; i++) {
		for (size_t k = 0; k < i; k++)
			x[i] -= l[i * n + k] * x[k];
		x[i] /= l[i * n + i];
	}
}

void et_cholesky_backward(const double *l, size_t n, double *x)
{
	for (size_t i = n; i-- > 0;) {
		for (size_t k = i + 1; k < n; k++)
			x[i] -= l[k * n + i] * x[k];
		x[i] /= l[i * n + i];
	}
}
