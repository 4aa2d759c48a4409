/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The counts of one command's runs, arranged by function or module. Only counts above 0 are kept,
 * so memory grows with what was seen, not with functions times runs. Private to the statistics of
 * profiles.
 */
#pragma once

#include "num/num.h"
#include "stats/profile/profile.h"

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

/* One value per run, of the group itself or with what it called; 0: unseen, or ET_PROFILE_NONE. */
void et_profile_counts_fill(const struct et_profile_counts *c, size_t group, bool total, double *x);
/* The same summed over all runs, and in *at_entry, unless NULL, those at the first instruction. */
double et_profile_counts_sum(
	const struct et_profile_counts *c, size_t group, bool total, double *at_entry);

/* Everything that the rows of a profile share. */
struct et_profile_frame {
	const struct et_experiment *experiment;
	const struct et_profile_options *options;
	const struct et_profile_counts *counts;
	struct et_profile_result *result;
	double *x, *y; /* room for one value per run */
};

/* How many rows are so large that they are examined for what the warnings are about. */
size_t et_profile_examined(const struct et_profile_result *r);
/* Raises the warnings about a row; with this many examined rows a false alarm is still rare. */
void et_profile_row_warn(
	const struct et_profile_frame *f, size_t examined, struct et_profile_row *row);
/* Raises the warnings about the profile as a whole. */
void et_profile_warn(const struct et_profile_frame *f);
/* Raises the warnings about things that samples do not show: the kernel, waiting, failures. */
void et_profile_warn_runs(const struct et_experiment *e, uint32_t command, struct et_warnings *out);
