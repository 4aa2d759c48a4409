/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Decides whether stored data may become commands. Everything that a store contains can have been
 * written by somebody else: by whoever administers a server or adds to it, or whoever made a file.
 * Every way from stored data to execve() asks et_trust_experiment or et_trust_campaign first, and
 * there is no other decision.
 *
 * The user's own are those in a list that etalon keeps outside of all stores, in a file that only
 * this user can write. A line of it has the id of what was begun and a digest of everything that
 * decides what is executed, so that a row which was changed later is not taken for it.
 */
#pragma once

#include "base/error.h"
#include "base/sha256.h"
#include "model/experiment/campaign.h"
#include "model/experiment/experiment.h"
#include "store/core/store.h"

struct et_trust {
	const char *list; /* the file; NULL: none can be kept */
	/*
	 * The store is where etalon keeps the user's own, and nobody named its file. There, an
	 * experiment that the list does not have counts as the user's own: an etalon that kept no
	 * list may have begun it.
	 */
	bool own_place;
	bool given;        /* --trust-record */
	const char *named; /* how the user named the data; NULL: not at all */
	const char *way;   /* the words before the id and --trust-record, for the hint; or NULL */
	/* Digest of what the user asks for now, by a plan file or a job; "": of nothing. */
	char planned[ET_SHA256_TEXT];
	/* Prints everything that would be executed; e is NULL if it is a campaign. */
	void (*review)(void *ctx, const struct et_experiment *e);
	void *ctx;
};

/* The digest of what decides what is executed: programs, hooks, builds, files, users, machines. */
void et_trust_digest(const struct et_experiment *e, char out[ET_SHA256_TEXT]);

/*
 * Appends what this user begins to the list, before it is stored. An error is not reported: the
 * measurement does not depend on it, and later the user is asked.
 */
void et_trust_begin(const char *list, const struct et_experiment *e);
/* words is one line that is kept in the list and nowhere else. */
void et_trust_begin_campaign(const char *list, const struct et_campaign *c, const char *words);

/*
 * Whether this may be executed: 0, or -EPERM with an error after it was printed. With
 * --trust-record and its id it may, if it is still what an earlier refusal printed; then the list
 * has it, too.
 */
int et_trust_experiment(const struct et_trust *t, const struct et_store *store,
	const struct et_experiment *e, struct et_error *err) ET_CHECK;
/*
 * *words, which may be NULL, are replaced by those of et_trust_begin_campaign if the list has them,
 * and are kept in it if the campaign is trusted now. The caller frees them.
 */
int et_trust_campaign(const struct et_trust *t, const struct et_campaign *c, char **words,
	struct et_error *err) ET_CHECK;
/* Whether the list has a campaign of that id. */
bool et_trust_knows_campaign(const char *list, const char *id);
