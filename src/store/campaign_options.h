/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The options that a campaign was begun with, as its row in the store has them: JSON. */
#ifndef ET_STORE_CAMPAIGN_OPTIONS_H
#define ET_STORE_CAMPAIGN_OPTIONS_H

#include "store/job.h"

struct et_campaign_options {
	/* Of the engine; each text may be NULL. */
	char *partition, *constraint, *nodes, *account, *extra;
	char *etalon; /* its path on the nodes */
	uint64_t time_limit_ns;
	bool copy;
	struct et_job_options job;
};

char *et_campaign_options_write(const struct et_campaign_options *o); /* the caller frees it */
/* et_campaign_options_free frees what *out owns. */
int et_campaign_options_read(
	const char *text, struct et_campaign_options *out, struct et_error *err) ET_CHECK;
void et_campaign_options_free(struct et_campaign_options *o);

#endif
