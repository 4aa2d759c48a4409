/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How closely repeated times agree, as in the tables of the EMP papers: sd and relative error. */
#pragma once

#include "model/experiment/experiment.h"

/* Undefined figures are NaN. */
struct et_precision {
	size_t n;
	double mean, sd;
	double relative_error; /* sd / mean */
	double min, max;
	double skewness,
		kurtosis; /* m3 / m2^(3/2) and m4 / m2^2: the law's shape, 0 and 3 if normal */
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

/* Ways of timing the same runs; each is a step further than the one before. */
enum et_timing_way {
	ET_WAY_ORG,    /* elapsed time of every run, as usual */
	ET_WAY_CPU,    /* CPU time of every run */
	ET_WAY_SEDONA, /* CPU time of the runs that check I keeps */
	ET_WAY_EMP,    /* CPU time of the runs that both checks keep */
	ET_WAYS,
};

/* A program as in SEDONA's table of real programs. */
struct et_program_precision {
	char program[16];  /* its name without the size; "": the command is not one of the lab's */
	const char *field; /* what such programs do; NULL: not known */
	uint64_t size;     /* of its input; 0: not known */
	struct et_precision by[ET_WAYS];
	struct et_counted kept; /* the runs that both checks keep */
};

/* Means over the programs for which every way has the figure; NaN if there is none. */
struct et_program_averages {
	double sd[ET_WAYS], relative_error[ET_WAYS];
};

/* The environments of the machine in which `lab emp-versions` measures, each as an experiment. */
enum et_lab_env {
	ET_ENV_AS_IS, /* nothing is changed */
	ET_ENV_V1,    /* daemons, timers and time daemon stopped */
	ET_ENV_V2,    /* the same, but with a time daemon: the clock is synchronised */
	ET_ENV_V3,    /* and turbo and frequency scaling off */
	ET_ENV_PACED, /* as is, beside the reference loop */
	ET_ENVS,
};

extern const char *const et_lab_env_names[ET_ENVS];

/* The versions of EMP (Suh et al. 2017, Table I), the machine as it is, and `etalon run` today. */
enum et_version {
	ET_EMP_V1,
	ET_EMP_V2,
	ET_EMP_V3,
	ET_EMP_V4,     /* the runs of v3, if the kernel is up to date */
	ET_EMP_V5,     /* after both sanity checks */
	ET_EMP_V6,     /* the same with the smallest adequate number of runs */
	ET_AS_IS,      /* every run of the machine as it is */
	ET_AS_IS_BOTH, /* the same after both sanity checks */
	ET_OURS,       /* the same by `run`'s own rules */
	ET_OURS_PACED, /* CPU time corrected by the reference loop */
	ET_VERSIONS,
};

extern const char *const et_version_names[ET_VERSIONS];

/* 95 % intervals of a version's figures; NaN: undefined. */
struct et_version_limits {
	double sd_lo, sd_hi, error_lo, error_hi;
};

/* The runs of a task in one version. Elapsed and CPU time are judged apart, as in the papers. */
struct et_version_figures {
	size_t runs; /* measured; 0: none, and all other figures are undefined */
	struct {
		size_t first, second; /* runs that EMP's two checks removed */
		size_t other;         /* runs that another rule removed */
	} out[ET_METRICS];
	struct et_precision by[ET_METRICS]; /* elapsed and CPU time are filled */
	struct et_version_limits limits[ET_METRICS];
	/*
	 * The runs by which versions are compared, in the order of measuring: those of `by`, and
	 * those that check II removed. That check makes every spread smaller, whatever the law is.
	 */
	struct et_version_runs {
		double *x;
		size_t n;
	} compared[ET_METRICS];
	enum et_lab_env env; /* in which these runs were made */
};

struct et_version_task {
	char *name;     /* of the command */
	double seconds; /* its length: INC8 has 8, others the median of their runs; or NaN */
	struct et_version_figures list[ET_VERSIONS];
	char *why_not[ET_VERSIONS]; /* why a version that others have is empty here, or NULL */
};

/* Two versions that were compared: is the relative error the same? */
struct et_version_pair {
	enum et_version a, b;
	double ratio;     /* relative error of a over that of b, geometric mean over the lengths */
	double p, p_holm; /* two-sided; p_holm allows for all pairs */
};

enum { ET_VERSION_PAIRS = ET_VERSIONS * (ET_VERSIONS - 1) / 2 };

struct et_versions {
	struct et_version_task *tasks; /* by length */
	size_t n;
	char *rules[ET_VERSIONS];   /* in words */
	char *why_not[ET_VERSIONS]; /* why this machine cannot have it; NULL: it can */
	/* Has the same factors as this other environment, whose runs differ by chance only. */
	struct {
		bool known;
		enum et_version version;
	} same_as[ET_VERSIONS];
	struct et_version_pair pairs[ET_METRICS][ET_VERSION_PAIRS];
	size_t n_pairs[ET_METRICS];
	/* 95 % intervals of the relative errors' means, as in struct et_best_version; 0: not known
	 */
	struct {
		double lo, hi;
	} average[ET_METRICS][ET_VERSIONS];
};

/*
 * The version whose relative error of a time is the smallest on average over the lengths that most
 * versions have; of equal ones the first. Versions that lack one of these do not take part.
 */
struct et_best_version {
	enum et_version version;
	size_t lengths;           /* 0: no version has figures, and the others are undefined */
	double shortest, longest; /* of them, in seconds */
	struct et_version_average {
		double relative_error, lo, hi;
	} own, as_is; /* as_is: of the same time on the machine as it is; NaN: not measured */
	/* How many others it was compared with, and how many it is shown to be better than. */
	size_t compared, beaten;
	bool is_beaten[ET_VERSIONS], is_compared[ET_VERSIONS];
};

struct et_best_version et_versions_best(const struct et_versions *v, enum et_metric m);
/* Whether a task is one of those over which the relative errors are averaged. */
bool et_versions_averages(
	const struct et_versions *v, const struct et_version_task *t, enum et_metric m);
/* Whether the version has figures of all these tasks. */
bool et_versions_takes_part(const struct et_versions *v, enum et_version version, enum et_metric m);
void et_versions_free(struct et_versions *v); /* what it owns */

/* The times of a run before and after the two sanity checks of EMP (Tables VII, XVIII, XIX). */

/* By one time, elapsed or CPU. Times are in milliseconds. */
struct et_checked {
	char *name; /* of the run; owned */
	enum et_metric metric;
	size_t samples;
	size_t by_daemons, by_value;     /* removed by the first check, by the second */
	enum et_first_check_state first; /* whether the first check was done */
	struct et_precision before, after;
};

/* The time of a program by clocks that are read inside and around it, and by EMP. */

/* The program's own readings of a run; ET_UNKNOWN if there is none. */
struct et_inside_reading {
	uint64_t clock_ns, counter_ticks;
};

/* One per run of a command, in order of execution, with warm-up. */
struct et_inside {
	struct et_inside_reading *runs;
	size_t n, room;
};

enum et_clock_method {
	ET_CLOCK_INSIDE,   /* elapsed time, CLOCK_MONOTONIC, read by the program */
	ET_COUNTER_INSIDE, /* the same, the processor's counter */
	ET_CLOCK_AROUND,   /* elapsed time, CLOCK_MONOTONIC, read around the program */
	ET_COUNTER_AROUND, /* the same, the processor's counter */
	ET_BY_EMP,         /* CPU time by the protocol */
	ET_CLOCK_METHODS,
};

struct et_clock_run {
	double by[ET_CLOCK_METHODS]; /* NaN: not known */
	bool removed;                /* EMP does not count it */
};

/* All figures are in ns; those of the counter in ticks. */
struct et_clock_methods {
	const char *name; /* of the command; not owned */
	struct et_precision by[ET_CLOCK_METHODS];
	double counter_hz; /* by its ticks around these runs; NaN without a counter */
	struct et_clock_run *runs;
	size_t n;
};

static inline bool et_in_ticks(enum et_clock_method m)
{
	return m == ET_COUNTER_INSIDE || m == ET_COUNTER_AROUND;
}
