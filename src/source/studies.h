/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Studies of `etalon lab`: which experiments of a store are parts of one. */
#pragma once

#include "store/core/store.h"

/* Returns a name for a new study, LABEL/TIME. Caller frees. */
char *et_study_name(const char *label) ET_CHECK;
/* Makes an experiment without a label a part of a study. */
void et_study_join(struct et_experiment *e, const char *study, const char *lab, const char *part);

/* The parts of a study, newest first. To begin, set all to 0 but lab, is_part and ctx. */
struct et_study_parts {
	const char *lab; /* the experiment of `lab` */
	bool (*is_part)(void *ctx, const char *part);
	void *ctx;
	char *study; /* NULL: the name means an experiment that is no part of such a study */
	struct et_study_entry {
		char id[40];
		char *study, *part;
		bool by_label; /* it is a part only if nothing else has the name */
		bool other;    /* it is a part of a study of another experiment of `lab` */
	} * list;
	size_t n, cap;
};

/*
 * Finds the study that a name means: the newest one of a label, one by its name LABEL/TIME, or by
 * the id of one of its experiments. Sets id to that of the experiment, or to the study's name.
 * A record that an older etalon exported does not say what it is a part of: such ones are found
 * by LABEL/TIME only, if nothing else has that name. The caller frees the parts in either case.
 */
int et_studies_find(struct et_study_parts *p, struct et_store *store, const char *name, char id[40],
	struct et_error *err) ET_CHECK;
void et_study_parts_free(struct et_study_parts *p);
