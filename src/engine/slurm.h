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
	char by_user[24];   /* --user=…: our user ID */
	char *by_name;      /* --name=NAME */
	char **environment; /* of Slurm's programs: changes to ours */
	char *export;       /* --export=…: the names of the variables that tasks have */
	char *exclude;      /* machines that --nodes does not name; or NULL */
	bool checked;       /* whether the fields below are known */
	uint64_t max_array; /* indices are smaller */
	uint64_t max_jobs;  /* in the whole cluster */
};

/* Runs one of Slurm's programs, takes the words. -EAGAIN: no answer. *out: its output, or NULL. */
int et_slurm_call(const struct et_slurm *s, char **words, const char *input, char **out,
	struct et_error *err) ET_CHECK;

/* slurm_open.c */
int et_slurm_open(
	const struct et_engine_setup *setup, struct et_engine **out, struct et_error *err) ET_CHECK;
void et_slurm_close(struct et_engine *e);
int et_slurm_nodes(struct et_engine *e, char ***out, struct et_error *err) ET_CHECK;
/* Reads limits and machines once, and refuses more parts than the controller can hold. */
int et_slurm_check(struct et_engine *e, size_t parts, struct et_error *err) ET_CHECK;
