/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of one command's runs, arranged by function or module. Only counts above 0 are kept,
 * so memory grows with what was seen, not with functions times runs. Private to the statistics of
 * profiles.
 */
#pragma once

#include "model/experiment/experiment.h"
#include "model/result/profile_result.h"

/* The samples of one group in one run. */
struct et_profile_entry {
	uint32_t run; /* place in the list of runs */
	double self;
	double total; /* samples in which it was on the stack, each counted once */
	double at_entry;
};

struct et_profile_counts {
	const struct et_profile_run **runs; /* those that count, in order of execution */
	uint32_t *rounds;                   /* of the schedule, for each run */
	double *totals;                     /* all samples of each run */
	size_t n_runs;
	size_t invalid; /* throttled, or with lost records */
	uint64_t lost, overruns, throttled, tasks, short_tasks; /* of all runs, invalid ones too */
	double cpu_ns; /* of the runs that count, by the kernel; NaN: not known */
	/* Groups: functions by their number, or modules in the order of their first function. */
	size_t n_groups;
	uint32_t *first; /* of each group, its first function */
	bool addresses;  /* samples have addresses; of imported ones: some is at an entry */
	struct et_profile_entry *entries;
	size_t *begin; /* of group g: entries[begin[g]] up to entries[begin[g + 1]] */
};

void et_profile_counts_make(const struct et_experiment *e, uint32_t command, enum et_profile_by by,
	struct et_profile_counts *out);
void et_profile_counts_free(struct et_profile_counts *c); /* what it owns */

/*
 * Fills x with one value per run, of the group itself or with those of what it called. A run that
 * did not see the group has 0, as all have for ET_PROFILE_NONE.
 */
void et_profile_counts_fill(const struct et_profile_counts *c, size_t group, bool total, double *x);
/* The same summed over all runs, and in *at_entry, unless NULL, those at the first instruction. */
double et_profile_counts_sum(
	const struct et_profile_counts *c, size_t group, bool total, double *at_entry);
