/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Estimates and comparisons, as the reports print them. An undefined figure is NaN (JSON null). */
#pragma once

#include "model/result/warning.h"
#include "model/sample/metric.h"

/* A series of times summed up; nanoseconds unless said otherwise. */
struct et_estimate {
	size_t n;
	double mean, sd;
	double relative_error; /* sd / mean, as the EMP papers print it */
	double min, max, median, q1, q3;
	double standard_uncertainty; /* sd / sqrt(n), times sqrt(inflation) and a small bias */
	double coverage_factor;      /* expanded over standard uncertainty */
	double expanded_uncertainty;
	double df; /* degrees of freedom of the standard uncertainty; may be infinite */
	/*
	 * Interval of the mean: mean ± expanded_uncertainty, but if that reaches below the fastest
	 * of independent values that are strongly skewed, it begins with the fastest.
	 */
	double lo, hi;
	double level;
	const char *interval_method; /* "student-t", "student-t-widened", "resolution" */
	double inflation;   /* of the variance by serial dependence; 1: no dependence was found */
	double skew_effect; /* of skewness on an end of the interval, over Student's half width */
	bool skewed;        /* the interval includes it */
	struct et_warnings warnings;
};

/* Whether the interval begins with the fastest value, so that ± would say too much. */
static inline bool et_estimate_lopsided(const struct et_estimate *e)
{
	return e->lo == e->min && e->lo > e->mean - e->expanded_uncertainty && e->lo < e->mean &&
	       e->mean < e->hi && isfinite(e->hi);
}

/* CPU time at full speed, from samples beside the reference loop; ns unless said otherwise. */
struct et_paced {
	size_t n;           /* samples with a reference; 0 without `why`: no sample was paced */
	const char *why;    /* why there is no estimate; NULL if there is one */
	double coefficient; /* relative change of CPU time per relative change of the loop's time */
	double coefficient_uncertainty, p;
	double lap, lap_mean;  /* time of a lap at full speed, and on average */
	double mean;           /* CPU time at full speed */
	double relative_error; /* sd / mean of the part that the loop does not explain */
	double inflation; /* of the variance by serial dependence; 1: no dependence was found */
	double df, standard_uncertainty, coverage_factor, expanded_uncertainty;
	double lo, hi, level;
};

/*
 * The judged time at the machine's full speed, from all samples, with the probe as a covariate. It
 * is there if slow samples were kept and its interval is narrower than that of the plain mean, for
 * all commands or for none: then it is the surer answer, at a condition that can be met again,
 * while the plain mean is of the mixture of speeds that these runs met. Nanoseconds unless said
 * otherwise.
 */
struct et_full_speed {
	size_t n; /* samples; 0: there is no estimate */
	double mean;
	double standard_uncertainty, coverage_factor, expanded_uncertainty;
	double lo, hi, level;
	double reading;                  /* of the probe at full speed */
	double slope, slope_uncertainty; /* time per time of the probe; NaN: no slow sample */
	double inflation; /* of the variance by serial dependence; 1: no dependence was found */
	double df;
};

/* The K fastest of a command's runs, if K-best was the protocol. */
struct et_kbest_result {
	uint32_t k; /* 0: the protocol was another one */
	size_t n;   /* runs that counted */
	double epsilon;
	double best; /* nanoseconds; NaN without a run */
	/* The interrupts that the fastest run met, subtracted in best; NaN: not known. */
	double compensated;
	double spread; /* (K-th - best) / best; NaN with fewer than K runs */
	/* The best is at most this far above the fastest possible time (95 %); NaN: not known. */
	double error;
	bool converged;
};

/* The ratio of two times with its interval; all NaN: not known. */
struct et_ratio {
	double estimate, lo, hi;
	const char *method; /* NULL: not known */
};

#define ET_NO_RATIO ((struct et_ratio){ .estimate = NAN, .lo = NAN, .hi = NAN })

/* Whether two programs load the machine alike, so that running side by side costs both the same. */
enum et_kinds {
	ET_KINDS_UNKNOWN,
	ET_KINDS_SAME,
	ET_KINDS_DIFFERENT,
};

enum et_conclusion {
	ET_CONCLUDED_NOTHING,           /* too few values, or all are equal */
	ET_CONCLUDED_TOO_FEW_IN_FAMILY, /* it takes pairs_needed pairs or values */
	ET_CONCLUDED_TOO_FEW,
	ET_CONCLUDED_SAME,         /* no difference was shown */
	ET_CONCLUDED_SAME_BY_HOLM, /* without the adjustment there would be one */
	ET_CONCLUDED_EQUAL,        /* within the margin */
	ET_CONCLUDED_SLOWER,
	ET_CONCLUDED_FASTER,
	/* There is no ratio, because values are at or below 0. */
	ET_CONCLUDED_LARGER,
	ET_CONCLUDED_SMALLER,
};

/* Two commands or series compared by the ratio b/a: by pairs if there are pairs, else apart. */
struct et_contrast {
	uint32_t a, b;           /* commands or series; a is the reference */
	size_t pairs;            /* 0: two independent series */
	const char *arrangement; /* "duet", "block"; NULL for independent series */
	double log_ratio_sd;     /* of the pairs */
	enum et_metric metric;   /* that it compares */
	enum et_unit unit;       /* of the values; only times are "slower" or "faster" */
	double ratio, lo, hi;    /* estimate and interval of b/a, which the conclusion is about */
	double level;
	/* Ratios from 1 - margin to 1 + margin count as equal, and p and the interval may be looked
	 * at after every pair; 0: the number of pairs was fixed. */
	double margin;
	bool gated;               /* the question was that of a gate, not whether they are equal */
	const char *ratio_method; /* "fieller", "hodges-lehmann" …; NULL without a ratio */
	const char *method;       /* the test: "paired-t", "signed-rank", "sign"; "student" … */
	double statistic, p;      /* p decides; Holm's correction is applied to it */
	double df;                /* 0: the test has none */
	/* The geometric mean of the pairs, or the ratio of the means of the series; NaN: none. It
	 * may contradict a ratio of medians (ET_WARN_MEAN_DISAGREES). */
	double mean_ratio;
	/* Of independent series: */
	size_t values_a, values_b;
	/* As published. The p that decides is corrected for dependence, exact for a few ties. */
	struct {
		double statistic, p;
		double df; /* 0: the test has none */
	} published;
	struct {
		bool tested;
		double statistic, p;
	} f, ks;         /* tests of equal variances, and of equal shape about the medians */
	bool same_shape; /* the result of ks */
	double delta;    /* Cliff's: P(b > a) - P(b < a) */
	/* Of pairs: */
	double p_sign; /* by the sign test, which assumes only independence */
	/* Of both: */
	double inflation; /* of the variance by serial dependence; 1: no dependence was found */
	/* Of duets: as measured, and of the programs when they run alone. */
	struct et_ratio side_by_side, alone;
	enum et_kinds kinds;
	/* In the family of comparisons: */
	double p_holm;
	double holm_alpha; /* the level that p was compared with; 0: not in a family */
	bool significant_unadjusted, significant;
	double p_floor; /* the smallest p that this number of values can give; 0: no bound */
	/* Pairs, or values of each series, to reach significance in this family; 0: enough. */
	size_t pairs_needed;
	size_t family; /* comparisons that were adjusted together */
	enum et_conclusion conclusion;
	struct et_warnings warnings;
};

/* Whether the question was if the two are equal: then it may be undecided. */
static inline bool et_contrast_asks(const struct et_contrast *c)
{
	return c->margin > 0 && !c->gated;
}

enum { ET_GATE_ALL = 0x7fffffff }; /* no reference: all comparisons count */

/* --fail-on-regression: see stats/compare/contrast.h. */
struct et_gate {
	struct et_contrast *contrasts; /* with intervals that hold together; NULL: no gate */
	struct et_contrast *second;    /* the same by the other time, or NULL */
	size_t n;
	uint32_t reference; /* only comparisons with it count, or ET_GATE_ALL */
	double limit;       /* proportion: 0.05 allows 5 % */
	uint32_t undecided; /* exit status if nothing is decided */
};

/* From the best to the worst. */
enum et_gate_verdict {
	ET_GATE_PASSED,
	ET_GATE_UNDECIDED, /* too few runs, or the interval contains the limit */
	ET_GATE_REGRESSED,
};

/*
 * The ratio to report: that of the programs alone where it is known. The conclusion is about
 * ratio, lo and hi, with which it agrees: if they exclude 1, so does this interval.
 */
static inline struct et_ratio et_contrast_ratio(const struct et_contrast *c)
{
	if (c->alone.estimate > 0)
		return c->alone;
	return (struct et_ratio){ c->ratio, c->lo, c->hi, c->ratio_method };
}
