/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers are those of R 4.2.2: t(chol(a)), forwardsolve(l, x), solve(a, x). */
#include "num/least_squares.h"
#include "tap.h"

#include <string.h>

enum { N = 3 };

static const double a[N * N] = { 4, 2, 0.6, 2, 5, 1.5, 0.6, 1.5, 3.8 };
static const double l[N * N] = { 2, 0, 0, 1, 2, 0, 0.3, 0.6, 1.83030052177231 };

static void same(const double *got, const double *want, const char *label)
{
	for (size_t i = 0; i < N; i++)
		near(got[i], want[i], 1e-13, 0, "%s: element %zu", label, i);
}

int main(void)
{
	double m[N * N], x[N] = { 1, -2, 3 };

	memcpy(m, a, sizeof(m));
	ok(et_cholesky(m, N), "a positive definite matrix has a factor");
	for (size_t i = 0; i < N; i++) {
		for (size_t j = 0; j <= i; j++)
			near(m[i * N + j], l[i * N + j], 1e-13, 0, "the factor at %zu, %zu", i, j);
	}
	et_cholesky_forward(m, N, x);
	same(x, (double[]){ 0.5, -1.25, 1.96689011294935 }, "forward");
	et_cholesky_backward(m, N, x);
	same(x, (double[]){ 0.5625, -0.947388059701493, 1.074626865671642 }, "solution");
	ok(!et_cholesky((double[]){ 1, 2, 2, 1 }, 2), "an indefinite matrix has none");
	ok(!et_cholesky((double[]){ 1, 1, 1, 1 }, 2), "a singular matrix has none");
	ok(!et_cholesky((double[]){ 0, 0, 0, 0 }, 2), "a matrix of zeros has none");
	ok(et_cholesky((double[]){ 1e-30, 0, 0, 1e30 }, 2),
		"rows of very different scale are no singularity");
	return tap_done();
}
