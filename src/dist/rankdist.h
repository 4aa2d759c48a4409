/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The exact distributions of Wilcoxon's and Mann-Whitney's rank statistics for small samples. They
 * need no memory but the stack: libRmath allocates tables for them, and if that fails, it prints to
 * standard output and ends the program with status 1. dist.h calls these functions where they
 * apply.
 */
#pragma once

#include <stdbool.h>

enum { ET_RANKDIST_MOST = 64 }; /* observations per sample */

/* As et_psignrank, et_psignrank_upper and et_qsignrank, for 1 to ET_RANKDIST_MOST differences. */
double et_rankdist_signed_p(double v, unsigned n, bool upper);
double et_rankdist_signed_quantile(double p, unsigned n);
/* As et_pwilcox, et_pwilcox_upper and et_qwilcox, for 1 to ET_RANKDIST_MOST in each sample. */
double et_rankdist_sum_p(double w, unsigned m, unsigned n, bool upper);
double et_rankdist_sum_quantile(double p, unsigned m, unsigned n);
