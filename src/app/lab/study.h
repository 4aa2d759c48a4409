/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A study of several experiments of the store, its parts. They are measured in turn, in blocks of
 * rounds, so that a drift affects all, and continued by --resume. It is called LABEL/TIME.
 */
#pragma once

#include "app/lab/experiments.h"
#include "conduct/measuring.h"

enum { ET_LAB_MOST_PARTS = 24 };

struct et_lab_part {
	char name[40];           /* at the end of its label */
	struct et_experiment *e; /* as stored; NULL: not measured */
	char id[40];             /* "": not begun */
	bool own;                /* this process began it */
	bool finished;           /* it has no more blocks */
	/* Of emp-versions; groups count from 1. */
	enum et_lab_env env;
	unsigned group;
	/* Of profilers. */
	const char *instrument; /* as the tables name it */
	struct et_profile_plan plan;
	bool load;         /* a competing process shares the CPU */
	const char *alone; /* run this program of put/alone.h, instrumented for gprof */
};

struct et_lab_study {
	struct et_lab_request *r;
	const char *lab; /* the name of the experiment */
	char exe[PATH_MAX];
	char *prefix; /* LABEL/TIME; NULL: not known yet, or --from names a single experiment */
	struct et_lab_part parts[ET_LAB_MOST_PARTS];
	size_t n;
	const struct et_experiment *found[ET_LAB_MOST_PARTS]; /* those loaded, newest first */
	size_t n_found;
	bool single; /* --from may name an experiment that is no part of a study: the first part */
	void *owner; /* for these functions */
	/* Plans the experiment of a part, without label. */
	struct et_experiment *(*plan)(const struct et_lab_study *s, const struct et_lab_part *part);
	/* Checks the parts that were loaded, and reads the rest from the store. */
	int (*loaded)(struct et_lab_study *s, struct et_store *store, struct et_error *err);
	/* Measures all parts, or the rest of them; the prefix is known. */
	int (*measure)(struct et_lab_study *s, struct et_error *err);
	/* Fills the parts that are measured in that cycle, in order. Returns their number. */
	size_t (*order)(struct et_lab_study *s, uint64_t cycle, struct et_lab_part **out);
	/* Measures a block; its result is that of et_lab_study_block. */
	int (*block)(struct et_lab_study *s, struct et_lab_part *part, struct et_error *err);
	int (*print)(struct et_lab_study *s, struct et_error *err);
};

/* Measures a study, or loads that of --from, and prints it. */
int et_lab_study_perform(struct et_lab_study *s, struct et_error *err) ET_CHECK;
void et_lab_study_free(struct et_lab_study *s); /* what it owns */
struct et_experiment *et_lab_study_plan(
	const struct et_lab_study *s, const struct et_lab_part *part) ET_CHECK;
/* Runs a block of m.most_rounds. Returns 0 if the part is finished, -EAGAIN if it has more. */
int et_lab_study_block(struct et_lab_study *s, struct et_lab_part *part, struct et_measuring m,
	struct et_error *err) ET_CHECK;
/* Runs blocks in turn until all parts are finished. */
int et_lab_study_turns(struct et_lab_study *s, struct et_error *err) ET_CHECK;
