/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The processes there are, from /proc below a root, and which of them carry ourselves. */
#ifndef ET_HOST_PROCESSES_H
#define ET_HOST_PROCESSES_H

#include "base/attr.h"

#include <stdbool.h>

struct et_process {
	int32_t pid, parent;
	char comm[17]; /* what the kernel calls it; may hold anything */
	char state;    /* R, S, D, T … */
	bool kernel_thread;
	bool ours;      /* ourselves or one we descend from: ending it might end us */
	uint64_t start; /* ticks since boot */
};

struct et_processes {
	struct et_process *list;
	size_t n, cap;
};

/* self is our own number, or 0 where the tree is not of this machine. */
void et_processes_read(const char *root, int32_t self, struct et_processes *out);
void et_processes_free(struct et_processes *p);
/* One process; false when there is none or its file is not as the kernel writes it. */
bool et_process_read(const char *root, int32_t pid, struct et_process *out) ET_CHECK;

/* The system service that a process belongs to ("cron.service"), "" for none. */
void et_process_unit(const char *root, const char *pid, char *buf, size_t size);
/* Whether it lives in another pid namespace: a container's process is its owner's business. */
bool et_process_in_container(const char *root, int32_t pid);
/* Whether the text stands in its command line. */
bool et_process_cmdline_has(const char *root, int32_t pid, const char *text);

#endif
