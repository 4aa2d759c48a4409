/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Campaigns on the command line: `doe run --engine` and `run --engine` begin one, or continue it,
 * watch it until all its parts are done, and submit again what is missing. The submitter needs no
 * state of its own: it may be killed at any moment, and another one continues by the store.
 */
#pragma once

#include "cli/cli.h"
#include "cli/environment.h"
#include "draw/terminal.h"
#include "engine/engine.h"
#include "model/sample/executor.h"
#include "protocol/campaign.h"
#include "store/central/campaign.h"
#include "store/central/job.h"

extern const struct et_option et_engine_options[]; /* they fill a struct et_engine_wish */
/* Refuses options of engines that contradict each other, or that are given without --engine. */
int et_engine_check(const struct et_engine_wish *w, struct et_error *err) ET_CHECK;

/* The experiment of a campaign, and how every machine runs it. */
struct et_campaign_plan {
	enum et_campaign_kind kind;
	const char *label;             /* the name of the plan, or --label; or NULL */
	const struct et_experiment *e; /* without samples; its id and host are not used */
	struct et_env_wish env;        /* what every machine changes for the duration */
	bool no_ledger;
	bool per_machine; /* every machine runs everything, as `blocks: machine` or `run` want */
};

/* How many parts are in each state, by the store alone. */
struct et_campaign_counts {
	size_t todo, running, done, failed;
};
struct et_campaign_counts et_campaign_count(const struct et_campaign *c);

struct et_campaign_watch;

struct et_campaigning {
	struct et_cli *cli;
	const char *verb; /* "doe run" or "run", for hints */
	FILE *text;       /* stream for text */
	struct et_interrupt *interrupt;
	/* For tests: a file is a central store, and an engine of their own. */
	bool any_store;
	const struct et_engine_ops *ops;
	/* filled by the functions below */
	struct et_store *store; /* NULL while the server cannot be reached */
	char *url;              /* of the store, without a password */
	struct et_campaign *c;  /* as last read */
	struct et_campaign_options options;
	struct et_engine *engine;
	struct et_engine_setup setup;
	char *name;   /* of the campaign, for the scheduler */
	char **extra; /* words for sbatch or ssh */
	bool claimed; /* this process submits; else another one does */
	/* A submission that the engine did not accept yet. */
	uint32_t *pending, pending_generation;
	size_t n_pending;
	unsigned tries;        /* of that submission that failed */
	uint64_t try_again_ns; /* not before, by CLOCK_MONOTONIC */
	bool begun;            /* by this process */
	bool submitted;        /* the engine accepted jobs of this process */
	char *told[3]; /* troubles of the store, the engine and submitting that were printed */
	struct et_campaign_watch *watch; /* how the progress is shown */
};

/* Opens the store and checks that machines can deliver to it: exit 2 with the cure if not. */
int et_campaigning_open(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Opens the engine of the command line; et_campaigning_begin needs it. */
int et_campaigning_open_engine(struct et_campaigning *r, const struct et_campaign_plan *plan,
	struct et_error *err) ET_CHECK;
/* Asks all nodes for a probe, divides the experiment and stores its parts. */
int et_campaigning_begin(struct et_campaigning *r, const struct et_campaign_plan *plan,
	struct et_error *err) ET_CHECK;
/* Finds a campaign of this user; of a label the newest begun here, as others may add rows. */
int et_campaigning_find(
	struct et_campaigning *r, const char *name, char id[40], struct et_error *err) ET_CHECK;
/*
 * Loads a campaign, which must be trusted unless it was begun here, and opens its engine as it was
 * begun. With `again`, parts that failed are submitted again, unless another process submits.
 */
int et_campaigning_attach(
	struct et_campaigning *r, const char *name, bool again, struct et_error *err) ET_CHECK;
/* The same for --attach and --cancel of a command whose campaigns are of this kind. */
int et_campaigning_return(struct et_campaigning *r, const char *name, enum et_campaign_kind kind,
	struct et_error *err) ET_CHECK;
/*
 * Ends the jobs for --cancel; else says what begins or (`again`) continues, and drives it. *status
 * becomes what `conclude` returns, unless the user detached.
 */
int et_campaigning_follow(struct et_campaigning *r, bool again, int (*conclude)(void *ctx),
	void *ctx, int *status, struct et_error *err) ET_CHECK;
/*
 * Submits, watches and shows until every part is done or has failed. -EINTR after Ctrl-C, which
 * detaches: the jobs continue. A new campaign that the engine refuses is removed.
 */
int et_campaigning_drive(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Ends all jobs. Parts that are not done have failed then, by the cancellation. */
int et_campaigning_cancel(struct et_campaigning *r, struct et_error *err) ET_CHECK;
/* Prints the job of a generation as the engine would get it. */
void et_campaigning_print_job(const struct et_campaigning *r, uint32_t generation, FILE *out);
/* Ends its jobs, and removes it, or records why all of its parts failed. */
void et_campaigning_discard(struct et_campaigning *r, const char *why);
/* Prints the parts that failed, and the command that tries them again. Returns the exit status. */
int et_campaigning_conclude(const struct et_campaigning *r) ET_CHECK;
void et_campaigning_close(struct et_campaigning *r);

/* The state of the parts, as text and as JSON, for `doe status`. */
void et_campaign_status_text(const struct et_campaign *c, const struct et_page *page);
struct et_json;
void et_campaign_status_json(const struct et_campaign *c, struct et_json *w);
