/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How far off is K-best? A function whose true time is known (self_timed.h) is timed over lengths
 * and under loads: by the chapter's scheme (Bryant & O'Hallaron, Computer Systems, first edition,
 * chapter 9) with the counter and with gettimeofday, and by libetalon. The schemes of the chapter,
 * K from 1 to 5, with and without compensation, judge the same calls, so that they differ by the
 * rule alone.
 *
 * The error is measured / true - 1, where the truth is that of the call which a scheme chose: calls
 * differ by some percent on a core whose clock moves, and that is no error of the clock that is
 * read.
 */
#ifndef ET_LAB_KBEST_ACCURACY_H
#define ET_LAB_KBEST_ACCURACY_H

#include "base/error.h"
#include "lab/grid.h"
#include "model/experiment.h"

enum { ET_ACCURACY_MAX_K = 5 };

/* What clocks said of one call, and what was true. */
struct et_timed_call {
	double counter_ns, wall_ns, cpu_ns, truth_ns;
};

struct et_accuracy_cell {
	unsigned load;
	uint64_t length_ns;          /* as asked for */
	struct et_timed_call *calls; /* the chapter's */
	size_t n_calls;
	/* T(r) of the line fitted on short runs just before, and its standard uncertainty. */
	double fit_ns, fit_error_ns;
	/* libetalon: what it said, how unsure it said to be (half of a 95 % interval), the truth */
	double ours_ns, ours_error_ns, ours_truth_ns;
	bool ours_converged;
};

struct et_kbest_accuracy {
	/* Of the timer interrupt; 0: none was found. */
	double tick_ns, cost_ns;
	double epsilon;
	struct et_accuracy_cell *cells;
	size_t n_cells; /* finished ones; in order of load, then of length */
};

struct et_kbest_accuracy_options {
	struct et_grid grid; /* runs: M of the chapter */
	double epsilon;
	struct et_lab_progress progress;
};

/*
 * Measures on the present CPU, to which the thread stays bound. 0 with a record for the caller to
 * free, also after progress.report has ended it early; or -errno with err filled.
 */
int et_kbest_accuracy_run(const struct et_kbest_accuracy_options *o, struct et_experiment **out,
	struct et_error *err) ET_CHECK;
/* What a record says; -EINVAL when it is of another lab. */
int et_kbest_accuracy_read(const struct et_experiment *e, struct et_kbest_accuracy *out,
	struct et_error *err) ET_CHECK;
void et_kbest_accuracy_free(struct et_kbest_accuracy *a);

enum et_timed_by {
	ET_TIMED_COUNTER,
	ET_TIMED_WALL, /* gettimeofday */
	ET_TIMED_BYS,
};

extern const char *const et_timed_by_names[];

/* One scheme of the chapter over the calls of a case. */
struct et_scheme {
	enum et_timed_by by;
	bool compensated; /* less one smallest cost for each whole tick of the call's CPU time */
	unsigned k;
};

struct et_scheme_result {
	double ns, truth_ns;
	bool converged;
	size_t calls; /* looked at */
};

struct et_scheme_result et_scheme_judge(const struct et_scheme *s, const struct et_accuracy_cell *c,
	const struct et_kbest_accuracy *a);
/* Which share of the CPU we got under a load; NaN when it was not measured. */
double et_accuracy_share(const struct et_kbest_accuracy *a, unsigned load);

#endif
