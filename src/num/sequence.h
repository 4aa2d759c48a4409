/* SPDX-License-Identifier: MIT */
/*
 * The location of values that arrive one after the other, with an interval that may be looked at
 * after every value: sampling can stop at any look, for instance because the interval excludes 0,
 * and it still covers the truth with its level. Student's interval, looked at like this, does not.
 *
 * The interval is that of the t test with a normal mixture over the effect and the right Haar prior
 * over the spread (Lai, Ann. Statist. 4, 265, 1976; Wang & Ramdas, arXiv 2310.03722). The location
 * and its standard error are Huber's, so that single far values neither move nor widen it. Serial
 * dependence makes the values count as fewer, and below 20 values, which cannot show any, 20 times
 * the evidence is needed. These are no part of the theorem: how often the interval errs with them
 * was counted (doc/decision.md).
 */
#pragma once

#include <stddef.h>

/* Fewer values have no interval. */
enum { ET_SEQUENCE_LEAST = 5 };

struct et_sequence {
	double location;  /* NaN for n = 0 */
	double error;     /* its standard error, with dependence; NaN: not known */
	double lo, hi;    /* infinite below ET_SEQUENCE_LEAST values */
	double e;         /* evidence against 0: 1/p at this look */
	double p;         /* valid at every look; 1 where nothing is known */
	double inflation; /* of the variance by serial dependence; 1: no dependence was found */
};

/* x is in order of execution. */
struct et_sequence et_sequence_of(const double *x, size_t n, double level);

/* Huber's limit, in robust standard deviations: 96 % efficient for normal values. */
#define ET_HUBER 1.5
/* Huber's location of values with this scale, from a start such as their median. */
double et_huber(const double *x, size_t n, double start, double sd);

/*
 * The parts of it. n counts independent values and need not be whole. The half width in standard
 * errors of an interval of this level; infinite if n is too small for one.
 */
double et_sequence_width(double n, double level);
/* The evidence of a t statistic of n values against a location of 0: 1 / p. */
double et_sequence_evidence(double t, double n);
/*
 * The evidence against a value that is this many half widths of an interval of the level away from
 * the location of n values: 1 / (1 - level) at its end.
 */
double et_sequence_evidence_beyond(double halves, size_t n, double inflation, double level);
