/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Campaigns in a store. All functions return 0 or -errno with err filled. */
#pragma once

#include "model/experiment/campaign.h"
#include "store/core/store.h"

/* Stores a campaign whose parts are all todo; durable on return. -EEXIST: its id is taken. */
int et_campaign_begin(
	struct et_store *s, const struct et_campaign *c, struct et_error *err) ET_CHECK;
/*
 * Finds a campaign by "last", its id, its label (the newest) or a prefix of its id. -ENOENT. `own`:
 * "last" and the label mean those that this user of the database began.
 */
int et_campaign_find(
	struct et_store *s, const char *name, bool own, char id[40], struct et_error *err) ET_CHECK;

/* One campaign of a list. */
struct et_campaign_summary {
	char id[40];
	char *label, *engine, *owner; /* label and owner may be NULL */
	enum et_campaign_kind kind;
	uint64_t created_wall_ns;
	size_t parts, done, running, failed;
	size_t machines; /* where attempts began */
};
/* All campaigns, the newest first. The caller frees *out with et_campaign_list_free. */
int et_campaign_list(struct et_store *s, struct et_campaign_summary **out, size_t *n,
	struct et_error *err) ET_CHECK;
void et_campaign_list_free(struct et_campaign_summary *list, size_t n);
/* Removes a campaign and its parts, not their experiments. */
int et_campaign_remove(struct et_store *s, const char *id, struct et_error *err) ET_CHECK;

/* The caller frees *out. */
int et_campaign_load(struct et_store *s, const char *id, struct et_campaign **out,
	struct et_error *err) ET_CHECK;
/* Reads the parts again, which others change. c stays as it was on failure. */
int et_campaign_refresh(struct et_store *s, struct et_campaign *c, struct et_error *err) ET_CHECK;

/*
 * Records that these parts are about to be submitted in a generation, before the engine is asked: a
 * submitter that is killed in between leaves parts whose jobs the engine does not know, and the
 * next one submits them in a later generation. A failed part is todo again; parts that are done, or
 * that were submitted in this generation or a later one, stay as they are.
 */
int et_campaign_submit(struct et_store *s, const char *id, uint32_t generation,
	const uint32_t *parts, size_t n, struct et_error *err) ET_CHECK;
/* Parts that failed are todo again, as if they had never been submitted; the fence stays. */
int et_campaign_reset(struct et_store *s, const char *id, const uint32_t *parts, size_t n,
	struct et_error *err) ET_CHECK;
/* Records the engine's name of that submission. */
int et_campaign_set_job(struct et_store *s, const char *id, uint32_t generation,
	const uint32_t *parts, size_t n, const char *job, struct et_error *err) ET_CHECK;

/*
 * Records that an attempt of a part begins: its number becomes the fence of the part. -ESTALE: a
 * later attempt has begun, or the part is done; then nothing is changed and the attempt has to end.
 */
int et_campaign_begin_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *node, const char *job, struct et_error *err) ET_CHECK;
/*
 * Records that an attempt failed; final: another attempt would fail, too. part.failures counts
 * attempts in a row with the same text. An attempt that has failed already is not counted again.
 * -ESTALE as above.
 */
int et_campaign_fail_attempt(struct et_store *s, const char *id, uint32_t part, uint32_t attempt,
	const char *why, bool final, struct et_error *err) ET_CHECK;

/*
 * In a spool: finds the newest experiment of a part that was measured on this machine. -ENOENT
 * without an error text if there is none.
 */
int et_campaign_find_member(struct et_store *s, const char *id, uint32_t part, const char *machine,
	char experiment[40], struct et_error *err) ET_CHECK;
/* In a spool: an experiment that is continued belongs to the attempt that continues it. */
int et_campaign_set_attempt(struct et_store *s, const char *experiment, uint32_t attempt,
	const char *node, struct et_error *err) ET_CHECK;
