/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The threads and processes of a profiled run: how many ended, and which lived for a short time. */
#pragma once

#include "base/attr.h"
#include "base/hash.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct et_tasks {
	struct et_hash threads;   /* when each began, by its number */
	struct et_hash processes; /* how many threads each has, by its number */
	uint64_t short_ns;
	uint64_t ended, ended_early; /* threads; the latter lived for less than short_ns */
};

void et_tasks_begin(struct et_tasks *t, uint64_t short_ns); /* of a run; forgets the last one */
void et_tasks_free(struct et_tasks *t);
void et_tasks_fork(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns);
/* The process has one thread now, which may be another than before. */
void et_tasks_exec(struct et_tasks *t, pid_t process, uint64_t time_ns);
/* Returns whether it was the last thread of the process. */
bool et_tasks_exit(struct et_tasks *t, pid_t process, pid_t thread, uint64_t time_ns) ET_CHECK;
