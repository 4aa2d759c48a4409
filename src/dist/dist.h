/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Distribution functions beyond those of num/student.h, and named like them. This is a thin layer
 * over libRmath, which nothing else may use. Arguments outside the domain give NaN without a
 * message. For samples of more than 64 the rank distributions (signrank, wilcox) keep tables in
 * static memory, so only one thread may call them.
 */
#pragma once

double et_pchisq_upper(double x, double df);
double et_qchisq(double p, double df);

double et_qf(double p, double df1, double df2);
/* The noncentral distribution; ncp of 0 to 100,000, beyond which libRmath's series is too short. */
double et_pf_noncentral(double f, double df1, double df2, double ncp);

/* The range of `groups` standard normal values over an independent sd of df degrees of freedom. */
double et_ptukey_upper(double q, double groups, double df);
double et_qtukey(double p, double groups, double df);

/* Wilcoxon's signed-rank statistic V of n differences. */
double et_psignrank(double v, double n);
double et_psignrank_upper(double v, double n);
double et_qsignrank(double p, double n);

/* Mann-Whitney's statistic W of m and n observations. */
double et_pwilcox(double w, double m, double n);
double et_pwilcox_upper(double w, double m, double n);
double et_qwilcox(double p, double m, double n);
