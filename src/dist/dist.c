/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "dist/dist.h"
#include "dist/rankdist.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Rmath.h defines macros without a prefix (pt, df, beta …), so no header may include it. */
#define MATHLIB_STANDALONE 1
#include <Rmath.h>

enum { UPPER = 0, LOWER = 1 };

/* libRmath prints a warning for arguments outside the domain, so these are rejected first. */
static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

static bool is_count(double n)
{
	return n >= 1 && n == floor(n) && isfinite(n);
}

double et_pchisq_upper(double x, double df)
{
	return !isnan(x) && df > 0 && isfinite(df) ? pchisq(x, df, UPPER, 0) : NAN;
}

double et_qchisq(double p, double df)
{
	return is_probability(p) && df > 0 && isfinite(df) ? qchisq(p, df, LOWER, 0) : NAN;
}

double et_qf(double p, double df1, double df2)
{
	return is_probability(p) && df1 > 0 && df2 > 0 ? qf(p, df1, df2, LOWER, 0) : NAN;
}

double et_pf_noncentral(double f, double df1, double df2, double ncp)
{
	bool good = !isnan(f) && df1 > 0 && isfinite(df1) && df2 > 0 && ncp >= 0 && ncp <= 1e5;

	return good ? pnf(f, df1, df2, ncp, LOWER, 0) : NAN;
}

double et_ptukey_upper(double q, double groups, double df)
{
	return q >= 0 && groups >= 2 && df >= 2 ? ptukey(q, 1, groups, df, UPPER, 0) : NAN;
}

double et_qtukey(double p, double groups, double df)
{
	return is_probability(p) && groups >= 2 && df >= 2 ? qtukey(p, 1, groups, df, LOWER, 0)
							   : NAN;
}

static double psignrank_tail(double v, double n, int tail)
{
	if (isnan(v) || !is_count(n))
		return NAN;
	if (n <= ET_RANKDIST_MOST)
		return et_rankdist_signed_p(v, (unsigned)n, tail == UPPER);
	return psignrank(v, n, tail, 0);
}

double et_psignrank(double v, double n)
{
	return psignrank_tail(v, n, LOWER);
}

double et_psignrank_upper(double v, double n)
{
	return psignrank_tail(v, n, UPPER);
}

double et_qsignrank(double p, double n)
{
	if (!is_probability(p) || !is_count(n))
		return NAN;
	if (n <= ET_RANKDIST_MOST)
		return et_rankdist_signed_quantile(p, (unsigned)n);
	return qsignrank(p, n, LOWER, 0);
}

static double pwilcox_tail(double w, double m, double n, int tail)
{
	if (isnan(w) || !is_count(m) || !is_count(n))
		return NAN;
	if (m <= ET_RANKDIST_MOST && n <= ET_RANKDIST_MOST)
		return et_rankdist_sum_p(w, (unsigned)m, (unsigned)n, tail == UPPER);
	return pwilcox(w, m, n, tail, 0);
}

double et_pwilcox(double w, double m, double n)
{
	return pwilcox_tail(w, m, n, LOWER);
}

double et_pwilcox_upper(double w, double m, double n)
{
	return pwilcox_tail(w, m, n, UPPER);
}

double et_qwilcox(double p, double m, double n)
{
	if (!is_probability(p) || !is_count(m) || !is_count(n))
		return NAN;
	if (m <= ET_RANKDIST_MOST && n <= ET_RANKDIST_MOST)
		return et_rankdist_sum_quantile(p, (unsigned)m, (unsigned)n);
	return qwilcox(p, m, n, LOWER, 0);
}
