/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profiles of a store. Functions and contexts are written once, with the first run that has
 * them; a run then only refers to them. Private to src/store.
 */
#pragma once

#include "store/core/cursor.h"

/* Adds the plan and what was used to the open group; key is that of the experiment. */
int et_profile_write_plan(
	struct et_store *s, int64_t key, const struct et_profile *p, struct et_error *err) ET_CHECK;
/*
 * Adds a run of the experiment that samples are being added to, after the functions and nodes that
 * the store does not have yet.
 */
int et_profile_write_run(struct et_store *s, const struct et_profile *p, uint32_t order,
	uint32_t command, const struct et_profile_run *run, struct et_error *err) ET_CHECK;
/* Adds all numbers of calls, and replaces those that the store has. */
int et_profile_write_calls(
	struct et_store *s, const struct et_profile *p, struct et_error *err) ET_CHECK;

/* Adds everything but the plan: functions, nodes, all runs and the numbers of calls. */
int et_profile_write_all(
	struct et_store *s, const struct et_profile *p, struct et_error *err) ET_CHECK;

/*
 * Reads the profile without its runs, or its plan only, into e->profile, which stays NULL if there
 * is none.
 */
int et_profile_read(struct et_store *s, int64_t key, bool plan_only, struct et_experiment *e,
	struct et_error *err) ET_CHECK;
/* Makes the error about a part of the experiment that is not as etalon writes it. */
int et_store_damaged_part(const struct et_store *s, const struct et_experiment *e, const char *what,
	struct et_error *err) ET_CHECK;

/* The rows of all runs, sorted as the samples are and read along with them. */
struct et_profile_rows {
	struct et_cursor c; /* of ET_SQL_GET_PROFILE_RUNS */
	const struct et_store *s;
	const struct et_experiment *e;
	bool row;               /* c has a row that no sample has taken yet */
	int64_t order, command; /* the sample that this row belongs to */
	struct et_profile_run run;
	size_t room;
};

/* The caller has set the first three members, and all else to 0. */
int et_profile_rows_begin(struct et_profile_rows *r) ET_CHECK;
/* Sets measured.profile if the sample has one; it is valid until the next call. */
int et_profile_rows_take(struct et_profile_rows *r, struct et_sample *sample) ET_CHECK;
void et_profile_rows_end(struct et_profile_rows *r);
