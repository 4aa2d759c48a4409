/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The speed and the noise of the machines of a fleet, from timings of the same programs on them. */
#pragma once

#include "model/result/fleet.h"

/*
 * The speed of each machine against the fleet, from series of the same programs on several
 * machines. The model is log time = program + machine + noise; a fast machine is below 1. Each
 * series of a machine has the same weight, however many samples it has (unweighted means). Machines
 * need not have all programs: the programs that they share connect them.
 */

struct et_machine_speed {
	/*
	 * The times of this machine over those of the fleet, on these programs: 1.08 is 8 % slower.
	 * The interval is Student's of the logarithms, with Satterthwaite's freedom; NaN if nothing
	 * was measured twice.
	 */
	double ratio, lo, hi;
	double p; /* of the same speed as the fleet's */
	double p_holm;
	bool differs; /* by p_holm */
	size_t n;     /* samples */
};

/* The number, mean and variance of the logarithms of a series; n is 0 if there is none. */
struct et_log_moments {
	size_t n;
	double mean, variance;
};

/*
 * The same of times of which only the mean and the sum of squared deviations from it are known: as
 * if they were log-normal, which for a spread of 10 % errs by less than 0.1 %.
 */
struct et_log_moments et_log_moments_of(size_t n, double mean, double squares);

/* One program in one session of a machine. */
struct et_machine_session {
	size_t machine, program;
	uint64_t session; /* the same number: the programs were measured at the same time */
	struct et_log_moments time;
};

struct et_machines_options {
	size_t n_machines, n_programs;
	double alpha, level;
	const size_t *reference; /* a machine, whose speed is 1, or NULL: the fleet */
};

/*
 * Fills one speed per machine, against the middle of the fleet, so that a few slow or fast machines
 * do not change the speed of the others: the geometric mean of the machines without the fastest and
 * the slowest quarter; of three machines the middle one. The list is sorted by machine and session.
 * Returns false, with nothing filled, if there are fewer than two machines, if one has no samples,
 * or if the programs that the machines share do not connect them all.
 *
 * If a machine has two sessions with one program, *between is true: the interval has the variance
 * between sessions, pooled over the machines (a machine that varies more has its own). Else it is
 * not known how much a machine changes from one time to another: the ratios have neither an
 * interval nor a p, and no machine differs.
 */
bool et_machines_judge_sessions(const struct et_machine_session *list, size_t n,
	const struct et_machines_options *o, struct et_machine_speed *out, bool *between);
/*
 * Finds the largest set of machines that shared programs connect: sets in[] and returns their
 * number. Only these can be judged together.
 */
size_t et_machines_connected(
	const struct et_log_moments *cells, size_t n_machines, size_t n_programs, bool *in);

/* --- the fleet --- */

/* One program in one experiment on one machine. */
struct et_fleet_series {
	size_t machine;   /* in the list of the fleet */
	uint64_t program; /* the same number: the same program */
	uint64_t started_wall_ns;
	struct et_log_moments elapsed, cpu; /* of times in nanoseconds; n is 0 if not known */
};

struct et_fleet_options {
	double alpha; /* of all machines together */
	int metric;   /* enum et_metric, or ET_METRIC_AUTO: the one that suits each program */
	const size_t *reference; /* a machine, or NULL: the whole fleet */
};

/*
 * Compares the machines that shared programs connect, by the newest 20 series of each program on
 * each machine, and fills the ratios of the fleet. Of two machines without a reference the faster
 * becomes it. Others keep NaN. Each machine gets its noise and its recent ratios. The machines have
 * their names. Sorts the list.
 *
 * A program is judged by CPU time if it used about one CPU (within 10 %) on all machines, else by
 * elapsed time.
 */
void et_fleet_judge(struct et_fleet *f, struct et_fleet_series *list, size_t n,
	const struct et_fleet_options *o);
