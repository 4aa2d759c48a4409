/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shows everything that an experiment or a campaign executes to a user who did not plan it. */
#pragma once

#include "draw/terminal.h"
#include "model/experiment/campaign.h"
#include "model/experiment/experiment.h"

/* Prints the commands, hooks and builds as they are executed, and how they run; all is cleaned. */
void et_review_print(const struct et_experiment *e, const struct et_page *page);

/* The same for some commands of a design, which run without hooks and builds. */
void et_review_pilots(const struct et_experiment *e, const uint32_t *commands, size_t n,
	const struct et_page *page);

/* Words of the command line that no store has; each may be NULL. */
struct et_review_words {
	const char *extra, *etalon;
};
/* The same for a campaign, with its engine and machines; e is of its record, or NULL. */
void et_review_campaign(const struct et_campaign *c, const struct et_experiment *e,
	const struct et_review_words *w, const struct et_page *page);
