/* SPDX-License-Identifier: MIT */
/* Solves systems with symmetric positive definite matrices, stored whole, row by row. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Replaces the lower half of the n × n matrix a by its factor L with L L' = a. Returns false if a
 * is not positive definite: a pivot falls below 1e-10 of its diagonal element.
 */
bool et_cholesky(double *a, size_t n);
/* Replaces x by the solution of L y = x, or of L' y = x. */
void et_cholesky_forward(const double *l, size_t n, double *x);
void et_cholesky_backward(const double *l, size_t n, double *x);
