/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the statistics say, as the reports print it. An undefined figure is NaN (JSON null). */
#ifndef ET_MODEL_ESTIMATE_H
#define ET_MODEL_ESTIMATE_H

#include "base/attr.h"

#include <stdbool.h>

enum { ET_MOST_WARNINGS = 16 };

struct et_warnings {
	char *text[ET_MOST_WARNINGS]; /* one sentence each: what is doubtful and what to do */
	size_t n;
};

void et_warn(struct et_warnings *w, const char *fmt, ...) ET_PRINTF(2, 3);
void et_warnings_free(struct et_warnings *w);

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

/* Two commands compared as pairs: the ratio b/a of a metric. */
struct et_contrast {
	uint32_t a, b; /* commands; a is the reference */
	size_t pairs;
	const char *arrangement; /* "duet" or "block" */
	double log_ratio_sd;
	double ratio, lo, hi; /* estimate and interval of b/a */
	double level;
	const char *method; /* "signed-rank" … */
	double statistic, p;
	double p_holm;
	bool significant;
	char verdict[200];
	struct et_warnings warnings;
};

/* Everything judged about one experiment: one entry a command, one a pair. */
struct et_judgement {
	struct {
		struct et_estimate et, pt;   /* n == 0 when there were no solo samples */
		struct et_warnings warnings; /* about the command as a whole */
		size_t removed;
	} * commands;
	size_t n_commands;
	struct et_contrast *contrasts;
	size_t n_contrasts;
	struct et_warnings warnings; /* about the machine */
};

void et_judgement_free(struct et_judgement *j); /* what it owns */

#endif
