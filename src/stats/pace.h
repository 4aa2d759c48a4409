/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU time with the machine's speed as a control variate (Lavenberg & Welch 1981). The
 * reference loop that shared the program's CPU tells for each sample how long one of its laps took.
 * The log of CPU time is regressed on the log of that: the coefficient is fitted, never assumed
 * to be 1, as a program that waits for memory is slowed down less than a loop in registers. The
 * figure is the line's value at full speed, which is the first decile of the laps, with the
 * standard error of a regression's mean there: n - 2 degrees of freedom, widened where successive
 * residuals resemble each other. It is a geometric mean, as lines through logs are.
 */
#ifndef ET_STATS_PACE_H
#define ET_STATS_PACE_H

#include "model/estimate.h"
#include "model/experiment.h"

/* Fewer samples than that fit nearly any line; fewer laps tell no speed. */
enum { ET_PACE_LEAST = 6, ET_PACE_LAPS = 50 };

/* pt and lap: CPU times and mean times of a lap, n of each, all above 0. */
void et_pace_fit(const double *pt, const double *lap, size_t n, double level, struct et_paced *out);
/* The same of the paced samples of a command that count. */
void et_pace_judge(const struct et_command *c, double level, struct et_paced *out);

#endif
