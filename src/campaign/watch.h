/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The parts of the loop of a campaign: its progress (a line on a terminal, else a line per tenth),
 * its troubles, and submitting.
 */
#pragma once

#include "campaign/campaign.h"

struct et_campaign_watch {
	const struct et_cli *cli;
	bool drawn;         /* the line is on the screen */
	uint64_t began_ns;  /* when it was first shown; 0: never */
	size_t done_before; /* parts that were done then */
	size_t tenths;      /* that were printed, plus 1 */
	char *stuck;        /* the last reason why a job does not start that was printed */
};

/* The things that may go away for a while. */
enum et_trouble { ET_TROUBLE_STORE, ET_TROUBLE_ENGINE, ET_TROUBLE_SUBMITTING };
/* Prints a trouble when it begins, and when it is over: NULL. */
void et_campaign_tell(struct et_campaigning *r, enum et_trouble which, const struct et_error *why);

/* Whether an error of the store is none that passes by itself. */
bool et_campaign_is_final(int rc);
/* Does what was decided. Returns 0; or -errno if there is no cure. */
int et_campaign_act(struct et_campaigning *r, const struct et_campaign_decision *d,
	const struct et_job_report *reports, struct et_error *err) ET_CHECK;

void et_campaign_watch_show(struct et_campaign_watch *w, const struct et_campaign *c,
	const struct et_campaign_decision *d);
void et_campaign_watch_erase(struct et_campaign_watch *w); /* NULL is fine */
/*
 * Formats "31 of 48 parts, 2 running on n1, n2, about 3 min left". left_ns 0: not known. The caller
 * frees it.
 */
char *et_campaign_watch_line(
	const struct et_campaign *c, const struct et_campaign_decision *d, uint64_t left_ns);
