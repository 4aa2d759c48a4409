/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns in a store. All functions return 0 or -errno with err filled. */
#ifndef ET_STORE_CAMPAIGN_H
#define ET_STORE_CAMPAIGN_H

#include "model/campaign.h"
#include "store/store.h"

/* Stores a campaign whose parts are all todo; durable on return. -EEXIST: its id is taken. */
int et_campaign_begin(
	struct et_store *s, const struct et_campaign *c, struct et_error *err) ET_CHECK;
/* Finds a campaign by "last", its id, its label (the newest) or a prefix of its id. -ENOENT. */
int et_campaign_find(
	struct et_store *s, const char *name, char id[40], struct et_error *err) ET_CHECK;
/* The caller frees *out. */
int et_campaign_load(struct et_store *s, const char *id, struct et_campaign **out,
	struct et_error *err) ET_CHECK;

/*
 * Records that an attempt of a part begins: its number becomes the fence of the part. -ESTALE: a
 * later attempt has begun, or the part is done; then nothing is changed and the attempt has to end.
 */
int et_campaign_begin_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *node, const char *job, struct et_error *err) ET_CHECK;
/* Records that an attempt failed; final: another attempt would fail, too. -ESTALE as above. */
int et_campaign_fail_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *why, bool final, struct et_error *err) ET_CHECK;

#endif
