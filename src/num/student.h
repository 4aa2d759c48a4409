/* SPDX-License-Identifier: MIT */
/*
 * The distributions that libetalon needs: normal, Student's t, F, beta and binomial, from erfc and
 * an incomplete beta function of our own. et_pX(x) is the probability of a value of at most x,
 * et_pX_upper(x) that of a larger one (1 - et_pX would lose the digits of small p-values), et_qX(p)
 * the quantile. Relative errors are below 1e-11, those of ordinary probabilities below 1e-12.
 * Arguments outside the domain give NaN. Several threads may call all of it.
 */
#pragma once

double et_pnorm(double z);
double et_pnorm_upper(double z);
double et_pnorm_two_sided(double z); /* both tails beyond |z| */
double et_qnorm(double p);

/* The degrees of freedom may be infinite. */
double et_pt_two_sided(double t, double df);
double et_qt(double p, double df);

double et_pf(double f, double df1, double df2);
double et_pf_upper(double f, double df1, double df2);

double et_pbeta(double x, double a, double b);

/* k successes in n trials, each with probability p. */
double et_pbinom(double k, double n, double p);
double et_qbinom(double q, double n, double p);

double et_lchoose(double n, double k); /* log of the binomial coefficient */
