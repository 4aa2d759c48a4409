/* SPDX-License-Identifier: MIT */
#include "num/student.h"

#include <float.h>
#include <math.h>
#include <stdbool.h>

static const double half_log_2pi = 0.9189385332046727417803297;
static const double sqrt_2pi = 2.506628274631000502415765;

static bool is_probability(double p)
{
	return p >= 0 && p <= 1;
}

/* --- the normal distribution --- */

double et_pnorm(double z)
{
	return erfc(-z * M_SQRT1_2) / 2;
}

double et_pnorm_upper(double z)
{
	return erfc(z * M_SQRT1_2) / 2;
}

double et_pnorm_two_sided(double z)
{
	return erfc(fabs(z) * M_SQRT1_2);
}

/* The value of a polynomial, whose highest coefficient is the first. */
static double polynomial(const double *c, int n, double x)
{
	double sum = c[0];

	for (int i = 1; i < n; i++)
		sum = sum * x + c[i];
	return sum;
}

/* P. J. Acklam's rational approximation of the quantile of p <= 0.5; it is good to nine digits. */
static double qnorm_guess(double p)
{
	static const double a[] = { -3.969683028665376e+01, 2.209460984245205e+02,
		-2.759285104469687e+02, 1.383577518672690e+02, -3.066479806614716e+01,
		2.506628277459239e+00 };
	static const double b[] = { -5.447609879822406e+01, 1.615858368580409e+02,
		-1.556989798598866e+02, 6.680131188771972e+01, -1.328068155288572e+01, 1 };
	static const double c[] = { -7.784894002430293e-03, -3.223964580411365e-01,
		-2.400758277161838e+00, -2.549732539343734e+00, 4.374664141464968e+00,
		2.938163982698783e+00 };
	static const double d[] = { 7.784695709041462e-03, 3.224671290700398e-01,
		2.445134137142996e+00, 3.754408661907416e+00, 1 };

	if (p < 0.02425) {
		double q = sqrt(-2 * log(p));

		return polynomial(c, 6, q) / polynomial(d, 5, q);
	}
	double q = p - 0.5, r = q * q;
	return polynomial(a, 6, r) * q / polynomial(b, 6, r);
}

/* The quantile of p <= 0.5. Halley's method triples the digits of the guess. */
static double qnorm_lower(double p)
{
	double z = qnorm_guess(p);

	for (int i = 0; i < 2; i++) {
		double density = exp(-z * z / 2) / sqrt_2pi;
		/* Near the middle, the difference from 0.5 has more digits. */
		double off = p > 0.25 ? erf(z * M_SQRT1_2) / 2 + (0.5 - p) : et_pnorm(z) - p;

		if (!(density > DBL_MIN))
			break;
		double step = off / density;
		z -= step / (1 + z * step / 2);
		if (fabs(step) < 1e-6)
			break;
	}
	return z;
}

double et_qnorm(double p)
{
	if (!is_probability(p))
		return NAN;
	if (p == 0 || p == 1)
		return p == 0 ? -INFINITY : INFINITY;
	return p <= 0.5 ? qnorm_lower(p) : -qnorm_lower(1 - p);
}

/* --- the incomplete beta function --- */

/* log Γ(a) beyond Stirling's formula (a - 1/2) log a - a + log(2π)/2. */
static double stirling_error(double a)
{
	static const double c[] = { -691.0 / 360360, 1.0 / 1188, -1.0 / 1680, 1.0 / 1260,
		-1.0 / 360, 1.0 / 12 };
	int sign;

	if (a < 15)
		return lgamma_r(a, &sign) - ((a - 0.5) * log(a) - a + half_log_2pi);
	return polynomial(c, 6, 1 / (a * a)) / a;
}

/* log(1 + x) - x, without the loss of digits near 0. */
static double log1p_beyond(double x)
{
	double term = x, sum = 0;

	if (fabs(x) > 0.1)
		return log1p(x) - x;
	for (int k = 2; k < 20; k++) {
		term *= -x;
		sum += term / k;
	}
	return sum;
}

/*
 * log of x^a y^b / B(a, b), where y = 1 - x. Terms that grow with a and b cancel each other before
 * they are computed (after C. Loader, "Fast and accurate computation of binomial probabilities").
 */
static double log_front(double x, double y, double a, double b)
{
	double off = x * b - y * a; /* (a + b) times the distance of x from the mean */
	double corrections = stirling_error(a + b) - stirling_error(a) - stirling_error(b);
	double u = off / a, v = -off / b;

	/* Far from the mean the logarithms themselves are exact, and 1 + u may be 0. */
	double left = u > -0.9 ? a * log1p_beyond(u) : a * (log(x) - log(a / (a + b)) - u);
	double right = v > -0.9 ? b * log1p_beyond(v) : b * (log(y) - log(b / (a + b)) - v);
	return left + right + corrections + (log(a) + log(b) - log(a + b)) / 2 - half_log_2pi;
}

/* The continued fraction of the incomplete beta function, by Lentz's method (DLMF 8.17.22). */
static double beta_fraction(double x, double a, double b)
{
	const double tiny = 1e-300;
	double c = 1, d = 1 - (a + b) * x / (a + 1), value;

	d = 1 / (fabs(d) < tiny ? tiny : d);
	value = d;
	for (double m = 1; m < 1e6; m++) {
		double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
		double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));

		for (int i = 0; i < 2; i++) {
			double term = i ? odd : even;

			d = 1 + term * d;
			d = 1 / (fabs(d) < tiny ? tiny : d);
			c = 1 + term / c;
			c = fabs(c) < tiny ? tiny : c;
			value *= d * c;
		}
		if (fabs(d * c - 1) < 2 * DBL_EPSILON)
			break;
	}
	return value;
}

/* The regularised incomplete beta function I_x(a, b); y is 1 - x, with its own digits. */
static double beta_share(double x, double y, double a, double b)
{
	if (x <= 0 || y <= 0)
		return x <= 0 ? 0 : 1;
	double front = exp(log_front(x, y, a, b));
	if (x * (b + 1) <= y * (a + 1)) /* x <= (a + 1) / (a + b + 2) */
		return fmin(front * beta_fraction(x, a, b) / a, 1);
	return fmax(1 - front * beta_fraction(y, b, a) / b, 0);
}

double et_pbeta(double x, double a, double b)
{
	if (isnan(x) || !(a > 0 && b > 0 && isfinite(a) && isfinite(b)))
		return NAN;
	return beta_share(x, 1 - x, a, b);
}

/* --- F --- */

static bool is_df(double df)
{
	return df > 0 && isfinite(df);
}

double et_pf(double f, double df1, double df2)
{
	if (isnan(f) || !is_df(df1) || !is_df(df2))
		return NAN;
	if (isinf(f) || f <= 0)
		return f > 0 ? 1 : 0;
	return beta_share(1 / (1 + df2 / (df1 * f)), 1 / (1 + df1 * f / df2), df1 / 2, df2 / 2);
}

double et_pf_upper(double f, double df1, double df2)
{
	if (isnan(f) || !is_df(df1) || !is_df(df2))
		return NAN;
	if (isinf(f) || f <= 0)
		return f > 0 ? 0 : 1;
	return beta_share(1 / (1 + df1 * f / df2), 1 / (1 + df2 / (df1 * f)), df2 / 2, df1 / 2);
}

/* --- Student's t --- */

/* Beyond this many, a transformation to the normal distribution is as exact, and faster. */
static const double many_df = 2e4;

/* The normal value with the same tails as t > 0 (G. W. Hill, algorithm 395, CACM 13, 1970). */
static double normal_of_t(double t, double df)
{
	double a = df - 0.5, b = 48 * a * a;

	if (isinf(df))
		return t;
	double z2 = a * log1p(t * t / df), z = sqrt(z2);
	double third = (((4 * z2 + 33) * z2 + 240) * z2 + 855) / (10 * (b + 0.8 * z2 * z2 + 100));
	return z + z * (z2 + 3 - third) / b;
}

/* The probability of both tails beyond t > 0, or (inner) of what is between them. */
static double t_share(double t, double df, bool inner)
{
	double r = t * t / df, x = 1 / (1 + r), y = r < 1 ? r / (1 + r) : 1 / (1 + 1 / r);

	if (df > many_df) {
		double z = normal_of_t(t, df) * M_SQRT1_2;

		return inner ? erf(z) : erfc(z);
	}
	return inner ? beta_share(y, x, 0.5, df / 2) : beta_share(x, y, df / 2, 0.5);
}

double et_pt_two_sided(double t, double df)
{
	return !isnan(t) && df > 0 ? t_share(fabs(t), df, false) : NAN;
}

/*
 * The t beyond which both tails have this probability, by Newton's method. Small tails are solved
 * for in logarithms of both, where the tail of a power is a line; large ones by their complement.
 * Both functions are concave, and both guesses are below the root, so only one step can overshoot.
 */
static double t_of_tails(double tails, double df)
{
	double z = -et_qnorm(tails / 2), t, step;
	bool inner = tails > 0.5;

	t = inner ? z : z * (1 + (z * z + 1) / (4 * df));
	for (int i = 0; i < 100; i++) {
		double share = t_share(t, df, inner), r = t * t / df;
		double x = 1 / (1 + r), y = r < 1 ? r / (1 + r) : 1 / (1 + 1 / r);
		double slope = 2 * exp(log_front(x, y, df / 2, 0.5)); /* t times the density */

		step = inner ? (1 - tails - share) / slope : log(share / tails) * share / slope;
		t *= inner ? 1 + step : exp(fmin(step, 100));
		if (!(fabs(step) > 1e-13)) /* the next one would be its square */
			break;
	}
	return t;
}

double et_qt(double p, double df)
{
	if (!is_probability(p) || !(df > 0))
		return NAN;
	if (isinf(df) || p == 0 || p == 1)
		return et_qnorm(p);
	if (p == 0.5)
		return 0;
	return p < 0.5 ? -t_of_tails(2 * p, df) : t_of_tails(2 * (1 - p), df);
}

/* --- the binomial distribution --- */

static bool is_count(double n)
{
	return n >= 1 && n == floor(n) && isfinite(n);
}

double et_pbinom(double k, double n, double p)
{
	if (isnan(k) || !is_count(n) || !is_probability(p))
		return NAN;
	k = floor(k + 1e-7);
	if (k < 0 || k >= n)
		return k < 0 ? 0 : 1;
	return beta_share(1 - p, p, n - k, k + 1);
}

double et_qbinom(double q, double n, double p)
{
	double lo = -1, hi = n;

	if (!is_probability(q) || !is_count(n) || !is_probability(p))
		return NAN;
	/* et_pbinom(lo) < q <= et_pbinom(hi); exact ties must not fail by the last digit. */
	while (hi - lo > 1) {
		double middle = floor((lo + hi) / 2);

		if (et_pbinom(middle, n, p) * (1 + 64 * DBL_EPSILON) < q)
			lo = middle;
		else
			hi = middle;
	}
	return hi;
}

double et_lchoose(double n, double k)
{
	int sign;

	if (!(n >= 0 && k >= 0))
		return NAN;
	if (k > n)
		return -INFINITY;
	if (k == 0 || k == n)
		return 0;
	return -log(n + 1) -
	       (lgamma_r(n - k + 1, &sign) + lgamma_r(k + 1, &sign) - lgamma_r(n + 2, &sign));
}
