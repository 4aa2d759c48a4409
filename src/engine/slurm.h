/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Shared by the files of the Slurm engine. */
#pragma once

#include "engine/command.h"
#include "engine/engine.h"
#include "engine/slurm_text.h"

extern const struct et_engine_ops et_engine_slurm;

struct et_slurm {
	struct et_engine base;
	const struct et_engine_setup *setup;
	char *name;         /* of all jobs of the campaign */
	char user[24];      /* our user ID */
	char **environment; /* of Slurm's programs: changes to ours */
	char *export;       /* --export=…: the names of the variables that tasks have */
	char *exclude;      /* machines that --nodes does not name; or NULL */
	bool checked;       /* whether the fields below are known */
	uint64_t max_array; /* indices are smaller */
	uint64_t max_jobs;  /* in the whole cluster */
};

/* Words of a command line, which ends with NULL. Free with et_strv_free(words.argv). */
struct et_words {
	char **argv;
	size_t n, room;
};
void et_words_add(struct et_words *w, const char *fmt, ...) ET_PRINTF(2, 3);
/* Adds --partition and the other options of jobs that the user gave. */
void et_slurm_add_options(const struct et_slurm *s, struct et_words *w);

/*
 * Runs one of Slurm's programs, takes the words, and fails with a hint if it fails. -EAGAIN: the
 * controller does not answer. The caller frees the answer on success.
 */
int et_slurm_call(const struct et_slurm *s, struct et_words *words, const char *input,
	struct et_answer *answer, struct et_error *err) ET_CHECK;
/* The tasks of this campaign that Slurm knows. The caller frees *out. */
int et_slurm_tasks(const struct et_slurm *s, struct et_slurm_task **out, size_t *n,
	struct et_error *err) ET_CHECK;

/* slurm_open.c */
int et_slurm_open(
	const struct et_engine_setup *setup, struct et_engine **out, struct et_error *err) ET_CHECK;
void et_slurm_close(struct et_engine *e);
int et_slurm_nodes(struct et_engine *e, char ***out, struct et_error *err) ET_CHECK;
/* Reads limits and machines once, and refuses more parts than the controller can hold. */
int et_slurm_check(struct et_slurm *s, size_t parts, struct et_error *err) ET_CHECK;
/* slurm_submit.c */
int et_slurm_submit(struct et_engine *e, const struct et_job *jobs, size_t n, const char *input,
	uint32_t generation, char **name, struct et_error *err) ET_CHECK;
