/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options that a campaign was begun with. Its row in the store has most of them, as JSON. The
 * words for sbatch or ssh and the path of etalon decide what is executed on the submitter's machine
 * and on all others; they are never read from a store, and kept apart (session/trust.h).
 */
#pragma once

#include "store/central/job.h"

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
