/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Campaigns: how an experiment is divided into parts, and what the submitter does next. Both are
 * pure functions: they know neither stores nor engines, only what these reported.
 */
#pragma once

#include "model/experiment/campaign.h"

/* --- parts --- */

/* More parts than this are refused: the lists of a scheduler and the job's input are finite. */
enum { ET_CAMPAIGN_MOST_PARTS = 100000 };

struct et_division {
	uint32_t rounds;      /* that are to be run, warm-up not counted */
	uint32_t warmup;      /* runs of each treatment that every part spends before its first */
	uint32_t part_rounds; /* rounds of a part, as the user wishes; 0: a sensible number */
	char *const *nodes;   /* the machines, NULL ends them */
	bool per_machine;     /* every machine runs all rounds; else any machine runs any part */
	uint64_t seed;
};

/*
 * Makes the parts: blocks of whole rounds, in a random order by the seed. Schedulers start the
 * tasks of an array in the order of their numbers, so without this the time of day would be
 * confounded with the rounds. The caller frees the nodes and the list. -E2BIG: there are too many.
 */
int et_division_make(const struct et_division *d, struct et_part **out, size_t *n,
	struct et_error *err) ET_CHECK;

/* --- what to do next --- */

enum et_part_action {
	ET_PART_LEAVE,
	ET_PART_SUBMIT,   /* for the first time */
	ET_PART_RESUBMIT, /* its attempt is lost or has failed; `why` is to be recorded first */
	ET_PART_GIVE_UP,  /* it has failed too often with the same error, `why` */
};

/* An attempt that fails with the same error this often is not tried again. */
enum { ET_CAMPAIGN_MOST_FAILURES = 3 };

struct et_part_decision {
	enum et_part_action action;
	uint32_t attempt; /* of RESUBMIT and GIVE_UP: that is lost, as et_attempt_number */
	char why[200];    /* of RESUBMIT, GIVE_UP and stuck parts */
};

struct et_campaign_decision {
	struct et_part_decision *parts;               /* one per part */
	size_t done, running, waiting, stuck, failed; /* parts; those to submit are waiting */
	size_t to_submit;                             /* also those to submit again */
	uint32_t generation;                          /* of the next submission */
	bool finished;                                /* every part is done or has failed */
};

/*
 * Decides from the parts and from the engine's reports, one per part. The reports must have been
 * taken before the parts were read: then a job that is reported as ended has delivered, or never
 * will.
 */
void et_campaign_decide(const struct et_campaign *c, const struct et_job_report *reports,
	uint64_t now_wall_ns, struct et_campaign_decision *out);
void et_campaign_decision_free(struct et_campaign_decision *d);
