/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Experiments of `etalon lab` that measure programs on this machine. Each is an experiment like
 * those of `run`, labelled "lab NAME", and can be listed and shown; its tables are computed from
 * the stored samples.
 */
#pragma once

#include "app/lab/experiments.h"
#include "model/result/precision.h"

/*
 * Runs the commands of e, which it takes, in random order as solo runs. After a signal it returns
 * -EINTR, and *out has the finished samples, or is NULL if nothing was begun.
 */
int et_lab_measure(struct et_lab_request *r, struct et_experiment *e, uint64_t usual_runs,
	struct et_experiment **out, struct et_error *err) ET_CHECK;
/* Prints how many things run how often, and how long that takes. */
void et_lab_announce(
	const struct et_lab_request *r, size_t n, const char *what, uint32_t runs, double seconds);
/* Returns the path of a program, or NULL. The caller frees it. */
char *et_lab_find(const char *program) ET_CHECK;
/* The name of a task of that length, such as INC8. Caller frees. */
char *et_lab_task(uint64_t length_ns) ET_CHECK;
/* Creates a folder below TMPDIR, whose name the caller gives to et_lab_folder_remove. */
int et_lab_folder_make(char **out, struct et_error *err) ET_CHECK;
void et_lab_folder_remove(char *folder); /* with its files; NULL is fine */
/* The results of clock-methods and real-programs: an entry per command of the experiment. */
struct et_clock_table {
	const struct et_experiment *e;
	struct et_clock_methods *list;
};

enum { ET_MOST_SUBJECTS = 32 };

struct et_program_table {
	const struct et_experiment *e;
	struct et_program_precision *list;
	struct et_program_averages averages;
	bool measured; /* by this process: it knows which programs are not installed */
	struct et_missing_program missing[ET_MOST_SUBJECTS]; /* ends with a NULL name */
};
