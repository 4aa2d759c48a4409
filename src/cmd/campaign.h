/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Campaigns on the command line: `doe run --engine` and `run --engine` begin one, or continue it,
 * watch it until all its parts are done, and submit again what is missing. The submitter needs no
 * state of its own: it may be killed at any moment, and another one continues by the store.
 */
#ifndef ET_CMD_CAMPAIGN_H
#define ET_CMD_CAMPAIGN_H

#include "cmd/cli.h"
#include "cmd/environment.h"
#include "engine/engine.h"
#include "model/executor.h"
#include "protocol/campaign.h"
#include "report/terminal.h"
#include "store/campaign.h"
#include "store/job.h"

/* Refuses options of engines that contradict each other, or that are given without --engine. */
int et_engine_check_options(const struct et_engine_wish *w, struct et_error *err) ET_CHECK;

/* The experiment of a campaign, and how every machine runs it. */
struct et_campaign_plan {
	enum et_campaign_kind kind;
	const char *label;             /* the name of the plan, or --label; or NULL */
	const struct et_experiment *e; /* without samples; its id and host are not used */
	struct et_env_wish env;        /* what every machine changes for the duration */
	bool no_ledger;
	bool per_machine; /* every machine runs everything, as `blocks: machine` or `run` want */
};

struct et_campaigning {
	struct et_cli *cli;
	const char *verb; /* "doe run" or "run", for hints */
	FILE *text;       /* stream for text */
	struct et_interrupt *interrupt;
	/* filled by the functions below */
	struct et_store *store; /* NULL while the server cannot be reached */
	char *url;              /* of the store, without a password */
	struct et_campaign *c;  /* as last read */
	struct et_job_options options;
	struct et_engine *engine;
	struct et_engine_setup setup;
	char **texts; /* that setup points to */
	bool claimed; /* this process submits; else another one does */
	bool cancelled;
};

/* Opens the store and checks that machines can deliver to it: exit 2 with the cure if not. */
int et_campaigning_open(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Opens the engine of the command line, asks all nodes for a probe, and stores the parts. */
int et_campaigning_begin(struct et_campaigning *r, const struct et_campaign_plan *plan,
	struct et_error *err) ET_CHECK;
/*
 * Loads a campaign (see et_campaign_find) and opens its engine with the options that it was begun
 * with. With `again`, parts that failed are submitted again.
 */
int et_campaigning_attach(
	struct et_campaigning *r, const char *name, bool again, struct et_error *err) ET_CHECK;
/*
 * Submits, watches and shows progress until every part is done or has failed. Returns 0, or -EINTR
 * after Ctrl-C, which detaches: the jobs continue.
 */
int et_campaigning_drive(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Ends all jobs. Parts that are not done have failed then, by the cancellation. */
int et_campaigning_cancel(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Prints the parts that failed, and the command that tries them again. Returns the exit status. */
int et_campaigning_conclude(const struct et_campaigning *r) ET_CHECK;
void et_campaigning_close(struct et_campaigning *r);

/* The state of the parts, as text and as JSON, for `doe status`. */
void et_campaign_status_text(const struct et_campaign *c, const struct et_page *page);
struct et_json;
void et_campaign_status_json(const struct et_campaign *c, struct et_json *w);

#endif
