/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The job of `etalon task`: a JSON text that says which experiment a machine runs a part of, and
 * where the result goes. It is read strictly: every key must be there, no other key may be, and the
 * record within it must be one that could be resumed. The author of a job chooses the commands
 * that run, as does the author of a shell script: it is executed with the rights of its reader
 * only.
 */
#pragma once

#include "base/error.h"
#include "model/experiment/campaign.h"
#include "model/experiment/experiment.h"

/* A longer text is refused. */
enum { ET_JOB_MOST_BYTES = 4 << 20 };

/* The options of a measurement that are not part of an experiment. */
struct et_job_options {
	bool env; /* --env */
	char *env_only, *env_except;
	bool no_ledger;
	bool choose_metronome; /* the machine decides the beat of duets */
};

struct et_task_job {
	char campaign[40];
	char *store; /* URL of the central store, without a password */
	enum et_campaign_kind kind;
	uint32_t generation;
	struct et_job_options options;
	/* Only number, first_round and rounds are filled. */
	struct et_part *parts;
	size_t n_parts;
	struct et_experiment *e; /* what is run, without samples */
};

/* Writes the job of these parts of a campaign; c->record is the experiment. */
void et_job_write(const struct et_campaign *c, const struct et_job_options *o, const char *store,
	uint32_t generation, FILE *out);
/* et_job_free frees what *out owns. Errors have exit status 2. */
int et_job_read(
	const char *data, size_t size, struct et_task_job *out, struct et_error *err) ET_CHECK;
void et_job_free(struct et_task_job *j);

/* Returns the part of that number, or NULL. */
const struct et_part *et_job_part(const struct et_task_job *j, uint32_t number);

/* Reads the record of a campaign: an experiment without samples. The caller frees *out. */
int et_campaign_read_record(
	const char *record, struct et_experiment **out, struct et_error *err) ET_CHECK;

/*
 * The options that a campaign was begun with. Its row in the store has most of them, as JSON. The
 * words for sbatch or ssh and the path of etalon decide what is executed on the submitter's machine
 * and on all others; they are never read from a store, and kept apart (session/trust.h).
 */
struct et_campaign_options {
	/* Of the engine; each text may be NULL. */
	char *partition, *constraint, *nodes, *account, *extra;
	char *etalon; /* its path on the nodes */
	uint64_t time_limit_ns;
	bool copy;
	struct et_job_options job;
};

/* For the store: all but `extra` and `etalon`. The caller frees it. */
char *et_campaign_options_write(const struct et_campaign_options *o);
/* et_campaign_options_free frees what *out owns; `extra` and `etalon` are NULL in it. */
int et_campaign_options_read(
	const char *text, struct et_campaign_options *out, struct et_error *err) ET_CHECK;
/* `extra` and `etalon` as a text of one line, which the caller frees. */
char *et_campaign_words_write(const struct et_campaign_options *o);
/* Replaces `extra` and `etalon`. */
int et_campaign_words_read(
	const char *text, struct et_campaign_options *o, struct et_error *err) ET_CHECK;
void et_campaign_options_free(struct et_campaign_options *o);
