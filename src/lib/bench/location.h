/* SPDX-License-Identifier: MIT */
/* Where the values of processes lie, and how sure that is. */
#pragma once

#include <stddef.h>

struct et_location {
	double at;
	double se; /* standard error; NaN for one value */
	double df; /* its degrees of freedom */
	double sd; /* of the values */
};

/*
 * The mean without the lowest and the highest fifth, and its standard error from the winsorised
 * variance (Tukey and McLaughlin 1963, Yuen 1974), so that a process in a rare state does not
 * decide. Below five values it is the plain mean.
 */
struct et_location et_locate(const double *x, size_t n);
/*
 * The same place, but with the standard error of the plain mean if that is larger: processes may be
 * of two kinds, and trimming can hide the rarer one. For this, values farther than reach from the
 * place count as if they were that far: one absurd process does not make the answer worthless.
 */
struct et_location et_locate_cautiously(const double *x, size_t n, double reach);

/* Degrees of freedom of the sum of two errors (Welch, Satterthwaite), each with its own. */
double et_welch_df(double u, double df_u, double w, double df_w);
/*
 * The same for a standard error with df degrees of freedom that is part of u; the rest of u is
 * known from experience, as well as ten values would tell.
 */
double et_combined_df(double se, double df, double u);
