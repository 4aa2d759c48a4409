/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Functions of files that have no symbols, for the reader of perf script. perf prints "[unknown]"
 * for them, but it also prints which file was mapped where, and the address spaces of the sampler
 * (space.h) find the function. A file is opened only if its build id was recorded, because another
 * file may have its path now. Every text is hostile.
 */
#pragma once

#include "model/sample/profile.h"

#include <sys/types.h>

struct et_perf_maps;

struct et_perf_maps *et_perf_maps_new(void);
void et_perf_maps_free(struct et_perf_maps *m); /* NULL is fine */
/* A file of perf ends: forgets build ids and processes, but keeps the symbols. */
void et_perf_maps_clear(struct et_perf_maps *m);

/* Reads a line of `perf buildid-list`, "ID PATH". Other lines are ignored. */
void et_perf_maps_add_id(struct et_perf_maps *m, const char *line);
/*
 * Applies "PERF_RECORD_MMAP2 …", "PERF_RECORD_FORK…" or "PERF_RECORD_COMM exec…", which perf script
 * prints with --show-mmap-events and --show-task-events. Other records are ignored.
 */
void et_perf_maps_apply(struct et_perf_maps *m, const char *record);

/* A place that perf script prints. */
struct et_perf_place {
	pid_t task;       /* the process or one of its threads */
	const char *path; /* of the file, without " (deleted)" */
	uint64_t address;
	bool may_be_offset; /* the address may be that of the process, or an offset in the file */
	bool is_caller;     /* the address is that after a call */
};

/* Returns the function, which the next call may free, or NULL if nothing is known. */
const struct et_profile_function *et_perf_maps_find(
	struct et_perf_maps *m, const struct et_perf_place *place, bool *at_entry);
