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

/* Fill x with one value per run; a run that did not see the group has 0. */
void et_profile_counts_self(const struct et_profile_counts *c, size_t group, double *x);
void et_profile_counts_total(const struct et_profile_counts *c, size_t group, double *x);
/* The sum over all runs of the samples, and of those at the first instruction. */
/* Samples of all runs, of the group itself or with those of what it called. */
double et_profile_counts_sum(const struct et_profile_counts *c, size_t group, bool total);
double et_profile_counts_pooled(const struct et_profile_counts *c, size_t group, double *at_entry);
