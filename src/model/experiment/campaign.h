/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A campaign: one experiment on many machines. It is divided into parts; a part is run on one
 * machine and becomes an ordinary experiment there. The parts are planned in the central store
 * before anything runs, and that store, not the queue of a scheduler, decides what is done.
 */
#pragma once

#include "base/error.h"

enum et_campaign_kind {
	ET_CAMPAIGN_DOE, /* the parts are rounds of a designed experiment */
	ET_CAMPAIGN_RUN, /* the parts are the same `run` on different machines */
};
extern const char *const et_campaign_kind_names[];

enum et_part_state {
	ET_PART_TODO,
	ET_PART_RUNNING, /* an attempt has begun; it may also have died */
	ET_PART_DONE,    /* its experiment is in the store */
	ET_PART_FAILED,  /* an attempt ended with an error that another attempt would repeat */
};
extern const char *const et_part_state_names[];

struct et_part {
	uint32_t number; /* from 0: the index in the job array */
	char *node;      /* the machine it must run on, as the engine names it; NULL: any */
	/* Of a designed experiment: the rounds that it runs, the first counted from 1. */
	uint32_t first_round, rounds;
	enum et_part_state state;
	/*
	 * The fence: an attempt with a smaller number than this changes nothing in the store. It
	 * is 0 before the first attempt. See et_attempt_number.
	 */
	uint32_t attempt;
	/* The latest generation that it was submitted in; recorded before; 0: not yet. */
	uint32_t generation;
	uint32_t failures;   /* attempts in a row that failed with the same error */
	char *job;           /* the engine's name of the job that runs it, or NULL */
	char *ran_on;        /* the node of the latest attempt, or NULL */
	char *error;         /* of ET_PART_FAILED, or of a failed attempt; or NULL */
	char experiment[40]; /* of ET_PART_DONE: the id of its experiment; else "" */
	uint64_t changed_wall_ns;
};

struct et_campaign {
	char id[40];
	char *label; /* the name of the plan, or --label; or NULL */
	enum et_campaign_kind kind;
	char *engine;  /* as given: "slurm", "ssh:a,b" */
	char *options; /* of the engine, as JSON; or NULL */
	uint64_t created_wall_ns;
	char *owner;  /* the user of the database who began it, or NULL */
	bool own;     /* nobody but the user who read it began it */
	char *record; /* the experiment without samples, as a native record: what a part runs */
	struct et_part *parts;
	size_t n_parts;
};

/*
 * The number of an attempt: by the generation of its submission (from 1) and by how often the
 * engine started that submission again. A later attempt always has a larger number, and a machine
 * that cannot reach the store knows its own.
 */
uint32_t et_attempt_number(uint32_t generation, uint32_t restarts);

void et_campaign_free(struct et_campaign *c); /* itself, too; NULL is fine */

/* How an engine (engine/engine.h) reports the state of its jobs. */
enum et_job_state {
	ET_JOB_UNKNOWN, /* the engine does not know it any more: ended, or lost */
	ET_JOB_WAITING,
	ET_JOB_RUNNING,
	ET_JOB_ENDED, /* with `status` */
	ET_JOB_STUCK, /* it will not start by itself: `why` */
};

struct et_job_report {
	uint32_t part;
	uint32_t generation; /* of the submission that this is about; 0: not known */
	enum et_job_state state;
	int status;        /* the exit status of ET_JOB_ENDED */
	char node[64];     /* where it runs or ran, or "" */
	char why[160];     /* in words, or "" */
	uint32_t restarts; /* how often the engine started it again */
	bool final; /* of ET_JOB_ENDED: a person ended it, or another attempt would fail, too */
};
