/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A study of `lab emp-versions`: an experiment per environment of the machine, and with a preset
 * per group of lengths. They are the parts of a study LABEL/TIME, and are called ENVIRONMENT or
 * ENVIRONMENT/GROUP; the store says what belongs together.
 */
#pragma once

#include "app/lab/measured.h"
#include "cli/environment.h"
#include "protocol/versions.h"

#define ET_STUDY_LAB "emp-versions"

enum { ET_STUDY_GROUPS = 4, ET_STUDY_PARTS = ET_ENVS * ET_STUDY_GROUPS };

struct et_study {
	struct et_lab_request *r;
	char *prefix; /* NULL: --from names an experiment that is no part of a study */
	/* The experiments that are stored; their group counts from 1. */
	struct et_version_source sources[ET_STUDY_PARTS];
	unsigned groups[ET_STUDY_PARTS];
	size_t n;
	char *why_not[ET_ENVS]; /* why an environment was not possible, or NULL */
	struct et_cutoffs cutoffs;
	bool learned; /* there are cutoffs */
};

/* Lengths that have the same number of runs. */
struct et_study_group {
	uint64_t lengths_ns[ET_MAX_LENGTHS];
	size_t n;
	uint32_t runs;
	bool last_only; /* in the last environment only: the papers' v1 to v3 end at 8 s */
};

/* The groups that the options want. Returns their number. */
unsigned et_study_groups(
	const struct et_lab_request *r, struct et_study_group groups[ET_STUDY_GROUPS]);
/*
 * How many rounds a block has: as many as fit into ten minutes, and at most a tenth of all, so that
 * the environments alternate and a drift does not decide.
 */
uint32_t et_study_block(const struct et_study_group *g);
/* Whether an experiment has the lengths and the number of runs of the group. */
bool et_study_group_is(const struct et_study_group *g, const struct et_experiment *e);

/* Returns the name of a part of the study. Caller frees. */
char *et_study_part(enum et_lab_env env, unsigned group) ET_CHECK;
/* The store's fact about an environment that was not possible. Caller frees. */
char *et_study_fact(const char *prefix, enum et_lab_env env) ET_CHECK;
/*
 * Loads the newest study of that label, the study of that prefix, the study that an experiment
 * belongs to, or a single experiment of another kind.
 */
int et_study_load(struct et_study *s, const char *name, struct et_error *err) ET_CHECK;
/* Forgets what was loaded. */
void et_study_free(struct et_study *s);

/* The factors that an environment changes. */
struct et_env_wish et_study_wish(enum et_lab_env env);
/*
 * Applies each environment once, looks at the machine and restores it. Fills which ones are
 * measured, and s->why_not for the others, also in the store.
 */
int et_study_choose(struct et_study *s, bool measured[ET_ENVS], struct et_error *err) ET_CHECK;
/* Measures a study, or the rest of it. Sets s->prefix as soon as there may be experiments. */
int et_study_measure(struct et_study *s, struct et_error *err) ET_CHECK;

void et_versions_text(const struct et_versions *v, const struct et_page *page);
/* The experiments are those that v was judged by. */
void et_versions_json(const struct et_versions *v, const struct et_experiment *const *experiments,
	size_t n, FILE *out);
/* Figure 17 a to d. */
void et_versions_svg(const struct et_versions *v, FILE *out);
