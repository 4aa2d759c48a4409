/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` that measure programs on this machine. Each is an experiment like
 * those of `run`, labelled "lab NAME", and can be listed and shown; its tables are computed from
 * the stored samples.
 */
#pragma once

#include "base/option.h"
#include "lab/grid.h"
#include "model/experiment/experiment.h"

struct et_lab_measure {
	uint64_t lengths_ns[ET_MAX_LENGTHS]; /* ascending */
	size_t n_lengths;                    /* 0: the experiment's own */
	uint64_t runs;                       /* 0: the experiment's own */
	unsigned loads[ET_MAX_LOADS];        /* ascending */
	size_t n_loads;                      /* 0: the experiment's own */
	const char *from, *label, *svg;      /* or NULL */
	const char *filter;                  /* of the functions; NULL: all */
	unsigned programs, sizes, pairs;     /* bits in the order of their tables; 0: all */
	uint64_t own_sizes[ET_MAX_LENGTHS];  /* of our own workloads; ascending */
	size_t n_own_sizes;
	int preset; /* of et_lab_presets, if the option was given */
	/* Of kbest-accuracy, if the options were given. */
	uint32_t best, max_runs;
	double epsilon;
	int figure; /* enum et_kbest_figure */
};

extern const char *const et_lab_presets[]; /* of --preset; NULL ends it */

struct et_lab_request;

/* Setters of options; each fills a struct et_lab_measure. */
et_option_set et_lab_set_lengths, et_lab_set_loads, et_lab_set_programs, et_lab_set_sizes,
	et_lab_set_pairs;
/* Choices of --programs and --pairs; NULL after the last. */
const char *et_lab_program_name(size_t i);
const char *et_lab_pair_name(size_t i);

/* An experiment that measures inside this process: how it does, and how it prints the result. */
struct et_lab_timed {
	int (*measure)(struct et_lab_request *r, struct et_experiment **out, struct et_error *err);
	int (*print)(const struct et_lab_request *r, const struct et_experiment *e, FILE *svg,
		struct et_error *err);
};

/* Measures and stores it, or loads that of --from, and prints it. */
int et_lab_timed_perform(
	struct et_lab_request *r, const struct et_lab_timed *lab, struct et_error *err) ET_CHECK;
/* Returns the loads and lengths that the user gave, else the usual ones of the experiment. */
struct et_lab_grid et_lab_grid(const struct et_lab_request *r, const struct et_lab_grid *usual);

/* Adds a command; line is split into words as a shell splits it. Takes name. */
int et_lab_add_command(
	struct et_experiment *e, char *name, const char *line, struct et_error *err) ET_CHECK;
/*
 * Runs the commands of e, which it takes, in random order as solo runs. After a signal it returns
 * -EINTR, and *out has the finished samples, or is NULL if nothing was begun.
 */
int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/*
 * Begins the file of --svg, which the command has opened and ends; *out is NULL if none was asked
 * for.
 */
int et_lab_picture(struct et_lab_request *r, FILE **out, struct et_error *err) ET_CHECK;
/* Creates a folder below TMPDIR, whose name the caller gives to et_lab_folder_remove. */
int et_lab_folder_make(char **out, struct et_error *err) ET_CHECK;
void et_lab_folder_remove(char *folder); /* with its files; NULL is fine */
/* Loads the experiment that --from names. */
int et_lab_load(
	struct et_lab_request *r, struct et_experiment **out, struct et_error *err) ET_CHECK;
/*
 * Prints where the experiment is stored; it cannot be resumed, because its inputs are gone. Returns
 * rc.
 */
int et_lab_conclude(const struct et_lab_request *r, const struct et_experiment *e, int rc) ET_CHECK;
/* The same for a study of several experiments, whose labels begin with prefix; NULL: none yet. */
int et_lab_conclude_study(const struct et_lab_request *r, const char *prefix, int rc) ET_CHECK;
