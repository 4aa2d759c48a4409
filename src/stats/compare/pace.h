/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Corrects CPU time with the machine's speed as a control variate (Lavenberg & Welch 1981). For
 * each sample, the reference loop that shared the program's CPU gives the duration of one of its
 * laps. The log of CPU time is regressed on the log of that duration. The coefficient is fitted and
 * not assumed to be 1, because a program that waits for memory is slowed down less than a loop in
 * registers. The result is the line's value at full speed, which is the first decile of the laps,
 * with the standard error of the regression there: n - 2 degrees of freedom, widened if successive
 * residuals are correlated. It is a geometric mean, because the line is through logarithms.
 */
#pragma once

#include "model/result/result.h"

/* The fewest samples that make a line meaningful; the fewest laps that show a speed. */
enum { ET_PACE_LEAST = 6, ET_PACE_LAPS = 50 };

/* cpu and lap: CPU times and mean durations of a lap, n of each, all above 0. */
void et_pace_fit(
	const double *cpu, const double *lap, size_t n, double level, struct et_paced *out);
/* The same for the paced samples of a command that count. */
void et_pace_judge(const struct et_command *c, double level, struct et_paced *out);
/*
 * Writes the CPU times of these samples as they would be at full speed to x, which has room for all
 * samples of the command. Returns their number: p->n, or 0 if p has no result.
 */
size_t et_pace_correct(const struct et_command *c, const struct et_paced *p, double *x);

/*
 * Was the machine fast and slow in turn, and how long does a program take at full speed? Samples
 * count as slow if protocol/sanity.h marked or removed them as machine-slow, by the probe or by
 * stolen time.
 *
 * Two states are seen if there are at least 3 slow and 3 fast runs, and the judged times of the
 * slow ones are longer by the same test as in protocol/sanity.h. Every command then has the mean of
 * each state.
 *
 * If slow samples were kept because the intervals would be wider without them, the probe becomes a
 * covariate: the judged time of all samples is regressed on the slower of a sample's two readings.
 * The estimate is the line's value at the mean reading of the fast samples, the time at full speed.
 * (The line's value at the mean of all readings would be the plain mean; its interval would hold
 * for the mixture of states that this experiment met, which no other experiment meets again. Full
 * speed is a condition that can be met again.) The interval is Student's with n - 2 degrees of
 * freedom, widened if successive residuals are correlated. It is reported only if it is narrower
 * than that of the plain mean, for all commands that have slow samples; a command without slow
 * samples was measured at full speed, and its plain mean is the estimate.
 */

enum { ET_STATES_LEAST = 3 };

/*
 * The time at full speed from n times, slower readings of the probe, and which of them are slow, in
 * order of execution. out->n is 0 if there is none: with fewer than ET_PACE_LEAST values or fewer
 * than ET_STATES_LEAST of either kind, or if the time does not grow with the reading.
 */
void et_full_speed_fit(const double *times, const double *readings, const bool *slow, size_t n,
	double level, struct et_full_speed *out);

/* Fills states and full_speed of all commands from their estimates, and warns of slow runs. */
void et_states_judge(const struct et_experiment *e, struct et_judgement *j);
