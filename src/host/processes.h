/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of processes, from /proc below a root, with etalon's own ancestors marked. */
#pragma once

#include "base/attr.h"

#include <stdbool.h>

struct et_process {
	int32_t pid, parent;
	char comm[17]; /* the kernel's name for it; may contain any byte */
	char state;    /* R, S, D, T … */
	bool kernel_thread;
	bool ours;      /* etalon or one of its ancestors, which must not be stopped */
	uint64_t start; /* clock ticks after boot */
};

struct et_processes {
	struct et_process *list;
	size_t n, cap;
};

/* Lists all processes. self is etalon's PID, or 0 for a captured tree. */
void et_processes_read(const char *root, int32_t self, struct et_processes *out);
void et_processes_free(struct et_processes *p);
/* Reads one process. Returns false if it does not exist or its stat file cannot be parsed. */
bool et_process_read(const char *root, int32_t pid, struct et_process *out) ET_CHECK;

/* Fills buf with the system service of a process ("cron.service"), or "". pid may be "self". */
void et_process_unit(const char *root, const char *pid, char *buf, size_t size);
/* Whether the process is in another PID namespace than etalon; false if that is unknown. */
bool et_process_in_container(const char *root, int32_t pid);
/* Whether the command line of the process contains the text. */
bool et_process_cmdline_has(const char *root, int32_t pid, const char *text);
