/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How accurate is K-best? A function whose true time is known (self_timed.h) is timed at several
 * lengths and loads: by the scheme of Bryant & O'Hallaron (Computer Systems, first edition, chapter
 * 9; "the chapter" below) with the counter and with gettimeofday, and by libetalon. The chapter's
 * schemes, K from 1 to 5 with and without compensation, judge the same calls, so they differ by
 * their rule alone.
 *
 * The error is measured / true - 1, where the truth is that of the call that the scheme chose. The
 * true time differs by some percent from call to call because the core's frequency changes; that is
 * not an error of the clock.
 */
#pragma once

#include "lab/grid.h"

enum { ET_ACCURACY_MAX_K = 5 };

/* The times of one call by each clock (wall_ns by gettimeofday), and its true time. */
struct et_timed_call {
	double counter_ns, wall_ns, cpu_ns, truth_ns;
	double ticks_met; /* timer interrupts that came while it ran (self_timed.h); 0 if unknown */
};

/* The chapter's T(r) = m r + b, fitted to the fastest of short calls without load; or NaN. */
struct et_accuracy_line {
	double slope_ns, intercept_ns, max_error; /* the error is relative */
	double r_from, r_to;                      /* in blocks */
};

/* One case: a load and a length. Figures that were not measured are NaN. */
struct et_accuracy_cell {
	unsigned load;
	uint64_t length_ns;          /* as requested */
	struct et_timed_call *calls; /* judged by the chapter's schemes */
	size_t n_calls;
	/* The time that a line through shorter calls predicts, and its standard uncertainty. */
	double fit_ns, fit_error_ns;
	/* libetalon's result, the half width of its 95 % interval, and the true time. */
	double ours_ns, ours_error_ns, ours_truth_ns;
	bool ours_converged;
};

struct et_kbest_accuracy {
	/* The interval and cost of the timer interrupt; 0 if none was found. */
	double tick_ns, cost_ns;
	double epsilon;
	unsigned k; /* the K of interest; all from 1 to ET_ACCURACY_MAX_K are judged */
	struct et_accuracy_line line;
	/* Ordered by load, then by length. The last may be incomplete. */
	struct et_accuracy_cell *cells;
	size_t n_cells;
};

struct et_kbest_accuracy_options {
	struct et_lab_grid grid; /* grid.runs is the chapter's M, the most calls per case */
	double epsilon;          /* largest relative difference of times that agree */
	unsigned k;
	struct et_lab_progress progress;
};

/* Measures on the present CPU, to which the thread stays bound; ended early, it adds its part. */
int et_kbest_accuracy_run(const struct et_kbest_accuracy_options *o, struct et_experiment *e,
	struct et_error *err) ET_CHECK;
/* Extracts the results from an experiment; -EINVAL if another experiment of lab has made it. */
int et_kbest_accuracy_read(const struct et_experiment *e, struct et_kbest_accuracy *out,
	struct et_error *err) ET_CHECK;
et_lab_free et_kbest_accuracy_free;

enum et_timed_by {
	ET_TIMED_COUNTER,
	ET_TIMED_WALL, /* gettimeofday */
	ET_TIMED_BYS,
};

extern const char *const et_timed_by_names[];

/* One of the chapter's schemes. */
struct et_scheme {
	enum et_timed_by by;
	bool compensated; /* subtracts cost_ns for each timer interrupt that the call met */
	unsigned k;
};

struct et_scheme_result {
	struct et_scheme scheme;
	/* Measured and true time of the call that it chose, measured / true - 1; or NaN. */
	double ns, truth_ns, error;
	bool converged;
	size_t calls;     /* calls used: until it converged, or all */
	double predicted; /* E_p: (K-th fastest - fastest) / fastest; infinite with fewer than K */
};

/* Applies a scheme to the calls of a case. */
struct et_scheme_result et_scheme_judge(const struct et_scheme *s, const struct et_accuracy_cell *c,
	const struct et_kbest_accuracy *a);
/* Returns the share of the CPU that the thread got under a load; NaN if not measured. */
double et_accuracy_share(const struct et_kbest_accuracy *a, unsigned load);
