/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `lab emp-versions`: its parts are an ENVIRONMENT, or with a preset an ENVIRONMENT/GROUP. */
#pragma once

#include "app/lab/study.h"

enum { ET_STUDY_GROUPS = 4 };

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
/* A block has at most ten minutes and a tenth of all rounds, so that a drift does not decide. */
uint32_t et_study_block(const struct et_study_group *g);
/* Whether an experiment has the lengths and the number of runs of the group. */
bool et_study_group_is(const struct et_study_group *g, const struct et_experiment *e);

/* The study as it is printed. */
struct et_versions_view {
	const struct et_versions *versions;
	const struct et_experiment *const *experiments; /* by which they were judged */
	size_t n;
};

int et_versions_perform(struct et_lab_request *r, struct et_error *err) ET_CHECK;
