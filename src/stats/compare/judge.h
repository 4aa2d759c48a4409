/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Turns samples into results: estimates of commands, comparisons with the reference, warnings. */
#pragma once

#include "model/result/result.h"

/* Fills *out; et_judgement_free frees it. The experiment may be unfinished. */
void et_judge(const struct et_experiment *e, struct et_judgement *out);
/*
 * Only the comparisons, with intervals that all together have the level of the plan (Sidak): a
 * limit that is tested by each of them is exceeded by chance no more often than by one.
 */
void et_judge_together(const struct et_experiment *e, struct et_judgement *out);
/*
 * Whether a comparison of those that are sampled until they are decided (plan.equal_ratio) is open;
 * open[c] is set for each command but the reference. *widest becomes the widest of them, without
 * its warnings. If the plan has a gate with a limit above 0, the question is whether a command is
 * slower by more than that (et_gate_judge). With `sharpen`, one that is wider than half the margin
 * to each side is open, too.
 */
bool et_judge_open(
	const struct et_experiment *e, bool sharpen, bool *open, struct et_contrast *widest);
/*
 * The answer to hooks.reached about a command of these: 0 if its comparison is decided,
 * else INFINITY. A program of milliseconds is decided at once; the rest of the first seconds
 * (elapsed_ns, of this session) makes the ratio precise.
 */
struct et_deciding {
	bool *open;                /* of each command; the caller frees it */
	struct et_contrast widest; /* of the open ones, without its warnings */
};
double et_deciding_reached(struct et_deciding *d, const struct et_experiment *e, uint32_t command,
	uint64_t elapsed_ns);
/* Whether one of its comparisons is sampled until it is decided, and is not. */
bool et_judgement_open(const struct et_experiment *e, const struct et_judgement *j);
/* How many runs of each would decide all of them (et_equal_runs); 0: not known. */
size_t et_judgement_runs(const struct et_experiment *e, const struct et_judgement *j);
/* Whether the pairs of this command and the reference judge it, or its solo runs. */
enum et_kinds et_judge_kinds(const struct et_experiment *e, uint32_t command);
/*
 * Whether comparison i by the other time (j->second) contradicts the judged one, so that both must
 * be shown: it finds a difference where the judged time shows none, or in the other direction; or
 * it shows none, and the two intervals exclude each other. It is no contradiction if it only is
 * less precise.
 */
bool et_judgement_contradicted(const struct et_judgement *j, size_t i);
