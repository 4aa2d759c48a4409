/* SPDX-License-Identifier: MIT */
/*
 * How time grows with the size of the input: t = a + b f(n) with a and b not negative, for f = 1,
 * log n, n, n log n, n², n² log n, n³, 2ⁿ and n^c. Times are repeated at some or all sizes. The
 * points are the means at each size, weighted by their uncertainties, so that relative errors
 * count. Models are compared by AICc over all samples, with Akaike weights (Burnham & Anderson
 * 2002). The spread of repeated samples rejects a model that does not fit (F test of the lack of
 * fit against the pure error; Draper & Smith 1998, 2.1). If it rejects every model, the times
 * scatter about any smooth curve, as caches make them do; then each size counts as one observation,
 * and the scatter becomes part of the uncertainty.
 */
#pragma once

#include "num/least_squares.h"

#include <stdint.h>

enum et_growth_model {
	ET_GROWTH_CONSTANT,
	ET_GROWTH_LOG,
	ET_GROWTH_N,
	ET_GROWTH_N_LOG,
	ET_GROWTH_N2,
	ET_GROWTH_N2_LOG,
	ET_GROWTH_N3,
	ET_GROWTH_EXP,
	ET_GROWTH_POWER,
	ET_GROWTH_MODELS,
};

extern const char *const et_growth_keys[];     /* in JSON: "1", "n log n", "n^2" … */
extern const char *const et_growth_names[];    /* "n log n" … */
extern const char *const et_growth_formulas[]; /* "a + b n log n" … */

enum {
	ET_GROWTH_SIZES_LEAST = 4,
	ET_GROWTH_SAMPLES_LEAST = 8,
	ET_GROWTH_SPAN = 8, /* a smaller range of sizes is narrow */
	ET_GROWTH_FAR = 10, /* how many times the largest size can be predicted */
};

/* Why a model is no candidate. */
enum et_growth_exclusion {
	ET_GROWTH_CANDIDATE,
	ET_GROWTH_FALLS,     /* it would need a negative factor */
	ET_GROWTH_BELOW_ONE, /* log n is negative for a size below 1 */
	ET_GROWTH_TOO_STEEP, /* no time could grow by 2ⁿ over these sizes */
};

/* Which check rejected a model. */
enum et_growth_rejection {
	ET_GROWTH_NOT_REJECTED,
	ET_GROWTH_LACK_OF_FIT, /* it is farther from the means than their uncertainty allows */
	ET_GROWTH_RUNS,        /* without repetitions: residuals of one sign follow each other */
};

/* All samples of one size. */
struct et_growth_point {
	double size;
	size_t n;
	double mean, variance; /* variance NaN with one sample */
	double level;          /* the mean, smoothed: weights must not depend on its error */
	double sigma;          /* sd of one sample, from the spread of all sizes */
};

struct et_growth_fit {
	enum et_growth_exclusion excluded; /* if not 0, nothing below is filled */
	enum et_growth_rejection rejected;
	double a, b, c; /* ns, ns per unit of f, exponent; a is 0 if it would be negative */
	double c_error; /* standard error of the exponent; NaN if there is none */
	double f, p;    /* lack of fit; NaN without repetitions */
	double runs_p;  /* of the signs of the residuals in order of size */
	double r2, aicc, weight;
	double off; /* the largest distance of a mean from the curve, as a share of the curve */
	double rss; /* of the means, in units of their uncertainty */
	double scale, df; /* variance of a point of sigma 1, and its degrees of freedom */
	/*
	 * The linearised model: columns 1, f / unit, and the derivative by c if it could be fitted.
	 * If a is at its bound, `fitted` is without the column 1; `ls` has it, so that the
	 * uncertainty of a remains part of that of the curve.
	 */
	struct et_least_squares ls, fitted;
	double unit;   /* f at the largest size */
	bool at_bound; /* a would be negative, and is 0 */
	bool with_c;
};

struct et_growth_anomaly {
	double size, mean;
	double expected, lo, hi; /* of the mean at that size, from the other sizes */
};

struct et_growth {
	struct et_growth_point *points; /* by ascending size */
	size_t n, samples;
	double pure, pure_df; /* variance of one sample in units of sigma², by repeated samples */
	/* The variance of one sample at a mean time t is spread_factor t^spread_power. */
	double spread_factor, spread_power;
	bool all_rejected;
	double excess; /* then: relative scatter of the sizes beyond the measurement uncertainty */
	struct et_growth_fit fits[ET_GROWTH_MODELS];
	enum et_growth_model best;
	double level; /* of the intervals */
	struct et_growth_anomaly *anomalies;
	size_t n_anomalies;
};

enum et_growth_problem {
	ET_GROWTH_FINE,
	ET_GROWTH_FEW_SIZES,
	ET_GROWTH_FEW_SAMPLES,
};

/* Fits all models to n samples: sizes and times (ns) must be above 0. */
enum et_growth_problem et_growth_fit(
	const double *sizes, const double *times, size_t n, double level, struct et_growth *out);
void et_growth_free(struct et_growth *g);

struct et_growth_value {
	double value, lo, hi;
	double run_lo, run_hi; /* of one more run; NaN if the spread of runs is not known */
};

/* The mean time at a size; the interval counts the choice of the model: a mixture by weight. */
void et_growth_at(const struct et_growth *g, double size, struct et_growth_value *out);
/* How many times as long the time at size `to` is as that at `from`. */
void et_growth_ratio(
	const struct et_growth *g, double from, double to, struct et_growth_value *out);
/* Whether a model beside the best is possible: it is not rejected, and its weight is 0.05. */
bool et_growth_possible(const struct et_growth *g, enum et_growth_model m);

/* --- shared by the files of num/growth --- */

/* Times are not exact to more digits than this relative difference. */
#define ET_GROWTH_EXACT 1e-9

/* The curve of a fitted model at a size. */
double et_growth_curve(const struct et_growth *g, enum et_growth_model m,
	const struct et_growth_fit *fit, double size);
/* The uncertainty of the mean at a point: measurement, and the scatter of sizes if it counts. */
double et_growth_sigma(const struct et_growth *g, const struct et_growth_point *p);
/* Fits a model to the points; sets all but aicc and weight. */
void et_growth_fit_model(
	const struct et_growth *g, enum et_growth_model m, struct et_growth_fit *out);
/* Fills the anomalies by the best model. */
void et_growth_find_anomalies(struct et_growth *g);
