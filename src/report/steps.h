/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The steps of `etalon emp` as text and JSON, and those of them that the samples show. */
#pragma once

#include "base/json.h"
#include "draw/terminal.h"
#include "model/experiment/experiment.h"
#include "model/experiment/steps.h"

/*
 * Appends the runs and the two sanity checks of a finished experiment. Check II needs `least`
 * samples of a command. misfit: how the daemons were learned, if that does not fit, or NULL.
 */
void et_steps_add_checks(
	struct et_steps *s, const struct et_experiment *e, size_t least, const char *misfit);
/* Why check I is not possible with what was learned like that. The caller frees it. */
char *et_steps_misfit(const char *misfit);
/* One line for each step: "  environment   done: …". */
void et_steps_print(const struct et_steps *s, const struct et_page *page);
/* Writes the key "emp". */
void et_steps_json(const struct et_steps *s, struct et_json *w);
