/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which files each command uses, as its first warm-up run shows them: commands that share files
 * with the reference must not run at the same time. The executor looks; the decision is taken here.
 */
#pragma once

#include "protocol/driver.h"

/* Whether a run counts as a failure for this experiment. */
bool et_run_failed(const struct et_experiment *e, const struct et_sample *s);

/* Whether the next warm-up run of a command is to show its files. */
bool et_scouting_wanted(const struct et_driver *d, uint32_t command);
/* Whether that is so of any command. */
bool et_scouting_lacks(const struct et_driver *d);
/*
 * Makes such a run, and again if it failed because it was scouted: only the last one counts. As
 * executor.run.
 */
int et_scouting_run(const struct et_driver *d, struct et_request *q, struct et_sample *out,
	struct et_error *err) ET_CHECK;
/*
 * Returns 1 if the command shares a file with the reference, 0 if not, and -errno with err filled
 * if it does although the plan has nothing but duets.
 */
int et_scouting_shares(
	const struct et_experiment *e, uint32_t command, struct et_error *err) ET_CHECK;
