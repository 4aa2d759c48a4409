/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "model/experiment/campaign.h"

const char *const et_campaign_kind_names[] = { "doe", "run", NULL };
const char *const et_part_state_names[] = { "todo", "running", "done", "failed", NULL };

/* Restarts of one submission; more than these share a number. */
enum { MOST_RESTARTS = 999 };

uint32_t et_attempt_number(uint32_t generation, uint32_t restarts)
{
	return generation * (MOST_RESTARTS + 1) +
	       (restarts < MOST_RESTARTS ? restarts : MOST_RESTARTS);
}

void et_campaign_free(struct et_campaign *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < c->n_parts; i++) {
		free(c->parts[i].node);
		free(c->parts[i].job);
		free(c->parts[i].ran_on);
		free(c->parts[i].error);
	}
	free(c->parts);
	free(c->label);
	free(c->engine);
	free(c->options);
	free(c->owner);
	free(c->record);
	free(c);
}
