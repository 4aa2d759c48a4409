/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the statistics say, as the reports print it. An undefined figure is NaN (JSON null). */
#ifndef ET_MODEL_ESTIMATE_H
#define ET_MODEL_ESTIMATE_H

#include "model/warning.h"

/* A series of times summed up; nanoseconds unless said otherwise. */
struct et_estimate {
	size_t n;
	double mean, sd;
	double relative_error; /* sd / mean, as the EMP papers print it */
	double min, max, median, q1, q3;
	double standard_uncertainty; /* Type A: sd / sqrt(n) */
	double coverage_factor;
	double expanded_uncertainty;
	double lo, hi; /* interval of the mean */
	double level;
	const char *interval_method; /* "student-t" */
	struct et_warnings warnings;
};

/*
 * CPU time as it is at the machine's full speed, from samples that shared their CPU with the
 * reference loop; nanoseconds unless said otherwise.
 */
struct et_paced {
	size_t n;           /* samples with a reference; 0 and no `why`: they were not paced */
	const char *why;    /* there is no figure, and why not; NULL when there is one */
	double coefficient; /* relative change of CPU time for one of the loop's time */
	double coefficient_uncertainty, p;
	double lap, lap_mean;  /* time of a lap at full speed, and in the mean */
	double mean;           /* CPU time at full speed */
	double relative_error; /* sd / mean of what the loop does not explain */
	double inflation;      /* of the variance by serial dependence; 1: none was seen */
	double df, standard_uncertainty, coverage_factor, expanded_uncertainty;
	double lo, hi, level;
};

/* The K fastest of a command's runs, where K-best was the protocol. */
struct et_kbest_result {
	uint32_t k; /* 0: it was not */
	size_t n;   /* runs that counted */
	double epsilon;
	double best;   /* nanoseconds; NaN without a run */
	double spread; /* how far the K-th is above the best; NaN with fewer than K runs */
	double error; /* the best is at most so far above the floor of the times (95 %); NaN unknown
		       */
	bool converged;
};

enum et_conclusion {
	ET_CONCLUDED_NOTHING,           /* too few values, or all are equal */
	ET_CONCLUDED_TOO_FEW_IN_FAMILY, /* it takes pairs_needed pairs */
	ET_CONCLUDED_TOO_FEW,
	ET_CONCLUDED_SAME,         /* no difference was shown */
	ET_CONCLUDED_SAME_BY_HOLM, /* without the adjustment there would be one */
	ET_CONCLUDED_SLOWER,
	ET_CONCLUDED_FASTER,
	/* There is no ratio, because values are at or below 0. */
	ET_CONCLUDED_LARGER,
	ET_CONCLUDED_SMALLER,
};

/* Two commands or series compared: the ratio b/a. Pairs where there were pairs, else apart. */
struct et_contrast {
	uint32_t a, b;           /* commands or series; a is the reference */
	size_t pairs;            /* 0: two independent series */
	const char *arrangement; /* "duet", "block"; NULL for independent series */
	double log_ratio_sd;     /* of the pairs */
	double ratio, lo, hi;    /* estimate and interval of b/a */
	double level;
	const char *ratio_method; /* "fieller", "hodges-lehmann" …, NULL without a ratio */
	const char *method;       /* the test: "paired-t", "signed-rank", "sign"; "student" … */
	double statistic, p;
	double df; /* 0: the test has none */
	/* of independent series */
	struct {
		bool tested;
		double statistic, p;
	} f, ks;         /* equal variances; equal shape about the medians */
	bool same_shape; /* what ks says */
	double delta;    /* Cliff's: P(b > a) - P(b < a) */
	/* of pairs */
	double p_sign;    /* the sign test's, which needs nothing but independence */
	double inflation; /* of the variance by serial dependence; 1: none was seen */
	/* in the family of comparisons */
	double p_holm;
	double holm_alpha; /* what p was held against; 0: not in a family */
	bool significant_unadjusted, significant;
	double p_floor;      /* the smallest p so few pairs can give; 0: none */
	size_t pairs_needed; /* for any verdict in this family; 0: there are enough */
	size_t family;       /* comparisons that were adjusted together */
	enum et_conclusion conclusion;
	struct et_warnings warnings;
};

#endif
