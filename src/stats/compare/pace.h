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

#include "model/experiment/experiment.h"
#include "model/result/estimate.h"

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
