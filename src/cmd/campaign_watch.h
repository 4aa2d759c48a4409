/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress of a campaign: a line on a terminal, else a line per tenth. */
#ifndef ET_CMD_CAMPAIGN_WATCH_H
#define ET_CMD_CAMPAIGN_WATCH_H

#include "cmd/campaign.h"

struct et_campaign_watch {
	const struct et_cli *cli;
	bool drawn;         /* the line is on the screen */
	uint64_t began_ns;  /* when it was first shown; 0: never */
	size_t done_before; /* parts that were done then */
	size_t tenths;      /* that were printed, plus 1 */
	char *stuck;        /* the last reason why a job does not start that was printed */
};

void et_campaign_watch_show(struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d);
void et_campaign_watch_erase(struct et_campaign_watch *w); /* NULL is fine */
/*
 * Formats "31 of 48 parts, 2 running on n1, n2, about 3 min left". left_ns 0: not known. The caller
 * frees it.
 */
char *et_campaign_watch_line(
	const struct et_campaign *c, const struct et_campaign_decision *d, uint64_t left_ns);

#endif
