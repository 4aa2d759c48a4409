/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * When --until stops: at the second of two successive looks that both find the interval narrow
 * enough. Each look comes after a tenth more runs, and none before ET_UNTIL_LEAST runs, unless the
 * user wants fewer. Frequent looks stop when the spread happens to be small, and then the interval
 * is too narrow: doc/coverage.md has how often it covers the mean by this rule, and by others.
 */
#pragma once

#include "model/experiment/experiment.h"

struct et_until {
	uint32_t next_look; /* the number of runs at which the next look is due */
	bool once;          /* the last look found the interval narrow enough */
};

/* True if a look is due after this many runs. */
bool et_until_due(const struct et_until *u, uint32_t runs);
/* Takes the result of the look; true if sampling may stop. */
bool et_until_look(struct et_until *u, uint32_t runs, bool narrow);

/*
 * Of comparisons that are sampled until they are decided (plan.equal_ratio): whether a look is due.
 * It is after every second round, which mirrors the one before, and with many rounds after each
 * fiftieth part more. The intervals are valid at every look, so one is enough to stop.
 */
bool et_decision_due(struct et_until *u, uint32_t rounds);
/*
 * Their rounds with duets and solo runs. The samples decide, so that a session that resumes the
 * experiment agrees.
 */
uint32_t et_rounds_of_both(const struct et_experiment *e);

/* The relative expanded uncertainty of a mean, in duets of the mean ratio, or NaN. */
double et_until_reached(const struct et_experiment *e, uint32_t command);

/*
 * The automatic number of rounds (plan.runs is 0): as many as take min_time_ns for each command on
 * average, with duets and hooks. It is decided once, from the first min_runs rounds: the values of
 * later runs cannot move it, which would bias their mean, and an experiment that is resumed decides
 * on the same number. In sequential order each command has the number that hyperfine would choose,
 * by the duration of the first run. Returns after how many rounds the number can be decided.
 */
uint32_t et_rounds_until_decided(const struct et_experiment *e, uint32_t only);

/*
 * Returns the number of rounds, decided by the samples of the rounds 1 to `upto`. In sequential
 * order, `only` is the command that has its own rounds; otherwise it is UINT32_MAX.
 */
uint32_t et_rounds_decide(const struct et_experiment *e, uint32_t only, uint32_t upto);
