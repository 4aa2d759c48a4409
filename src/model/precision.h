/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How closely repeated times agree, as in the tables of the EMP papers: sd and relative error. */
#ifndef ET_MODEL_PRECISION_H
#define ET_MODEL_PRECISION_H

#include "model/metric.h"

/* Undefined figures are NaN. */
struct et_precision {
	size_t n;
	double mean, sd;
	double relative_error; /* sd / mean */
	double min, max;
};

/* Which runs of a command count, and how closely these agree. */
struct et_counted {
	size_t removed;
	struct et_precision by[ET_METRICS]; /* elapsed and CPU time are filled */
};

/* A program that was not measured, because it is not installed. */
struct et_missing_program {
	const char *name, *package; /* NULL ends a list */
};

/* A program as in SEDONA's table of real programs: its timing as usual, and by the protocol. */
struct et_program_precision {
	char program[16];  /* its name without the size; "": the command is not one of the lab's */
	const char *field; /* what such programs do; NULL: not known */
	uint64_t size;     /* of its input; 0: not known */
	struct et_precision org; /* elapsed time of every run, none removed */
	struct et_counted kept;  /* the runs that the checks keep; its CPU time is SEDONA's */
};

/* Means over the programs for which both ORG and SEDONA have the figure; NaN if there is none. */
struct et_program_averages {
	double org_sd, org_relative_error;
	double sedona_sd, sedona_relative_error;
};

/*
 * The versions of EMP, as rules over the same series of runs. The papers measured each version on
 * its own; here every version judges the same runs, so that rows differ by the rule alone.
 */
enum et_version {
	ET_EMP_V1,
	ET_EMP_V2,
	ET_EMP_V3,
	ET_EMP_V4,
	ET_EMP_V5,
	ET_EMP_V6,
	ET_OURS, /* as recorded by `run` */
	ET_VERSIONS,
};

extern const char *const et_version_names[ET_VERSIONS];
extern const char *const et_version_rules[ET_VERSIONS]; /* in words */

struct et_versions {
	const char *name; /* of the command; not owned */
	double seconds;   /* median elapsed time of its runs */
	struct et_counted list[ET_VERSIONS];
	size_t enough; /* smallest adequate sample size by EMPv6; 0: too few runs */
	/* CPU time corrected by the reference loop; n == 0: no run was paced. */
	struct et_precision paced;
};

enum et_clock_method {
	ET_BY_CLOCK,   /* elapsed time, CLOCK_MONOTONIC */
	ET_BY_COUNTER, /* elapsed time, the processor's counter */
	ET_BY_EMP,     /* CPU time by the protocol */
	ET_CLOCK_METHODS,
};

struct et_clock_methods {
	const char *name;
	struct et_precision by[ET_CLOCK_METHODS]; /* in ns; ET_BY_COUNTER in ticks */
	double counter_hz; /* by its ticks in these runs; NaN without a counter */
};

#endif
