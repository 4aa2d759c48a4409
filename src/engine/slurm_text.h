/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Reads what Slurm's programs print; pure functions. `squeue --json` is not used: in Slurm 22.05 it
 * ignores all filters, so that a busy cluster would print hundreds of megabytes.
 */
#pragma once

#include "engine/engine.h"

/* The fields of `squeue -O` in the order of et_slurm_read_tasks. */
#define ET_SLURM_FIELDS                                                                            \
	"ArrayJobID:|,ArrayTaskID:|,State:|,Reason:|,NodeList:|,exit_code:|,RestartCnt:|,Comment:" \
	"|"

/* A pending array of more tasks is refused. */
enum { ET_SLURM_MOST_TASKS = 1 << 18 };

/* The part of a task that is unknown: its array was cancelled before any task of it started. */
#define ET_SLURM_ALL_PARTS UINT32_MAX

/* One task of an array of this campaign. */
struct et_slurm_task {
	uint32_t array, index;       /* its name is array_index */
	struct et_job_report report; /* with its generation, and its part or ET_SLURM_ALL_PARTS */
	bool release; /* Slurm itself delays or holds it after a failure: release it */
	bool held;    /* of release: by `scontrol release`, not by its start time */
};

/* The comment of an array says which parts its tasks are: part = index + offset. */
#define ET_SLURM_COMMENT "etalon generation=%" PRIu32 " offset=%" PRIu32

/* Reads the answer of squeue, but arrays of others. -EPROTO: it is none. Free *out. */
int et_slurm_read_tasks(
	const char *text, struct et_slurm_task **out, size_t *n, struct et_error *err) ET_CHECK;

/* Finds a whole number in the answer of `scontrol show config`; false: it is not there. */
bool et_slurm_read_setting(const char *text, const char *name, uint64_t *out);

/* A node in the answer of `sinfo -N -o '%N|%T|%f|%E'`. */
struct et_slurm_node {
	char *name, *state, *features, *reason;
};
int et_slurm_read_nodes(
	const char *text, struct et_slurm_node **out, size_t *n, struct et_error *err) ET_CHECK;
void et_slurm_nodes_free(struct et_slurm_node *nodes, size_t n);
/* Whether jobs may start on it now or soon. */
bool et_slurm_node_is_usable(const char *state);
/* Whether it has the features of --constraint. An expression with counts or brackets is true. */
bool et_slurm_node_has(const char *features, const char *constraint);

/* Writes a list of ascending numbers as sbatch reads it: "0-3,7". The caller frees it. */
char *et_slurm_write_indices(const uint32_t *indices, size_t n);
