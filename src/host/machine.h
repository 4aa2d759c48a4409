/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The state of a machine that the factors (factors.h) are read from, with its processes. */
#pragma once

#include "model/experiment/environment.h"

struct et_env_ops; /* environment.h */

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

struct et_machine {
	const char *root;             /* see base/sysroot.h */
	const char *systemctl;        /* path of the program; NULL: systemd does not run */
	const struct et_env_ops *ops; /* how it is changed */
	uint64_t wall_ns;             /* the time of reading, since 1970 */
	bool systemd;                 /* the machine was booted with systemd */
	struct et_host host;
	struct et_processes processes;
	char boot_id[48]; /* of the kernel, or "unknown" */
	char unit[128];   /* the service that etalon itself runs in, or "" */
};

/* Reads all of it. The strings root and systemctl are not copied. */
void et_machine_read(
	struct et_machine *m, const char *root, const char *systemctl, uint64_t wall_ns);
/* Reads the processes again. */
void et_machine_refresh(struct et_machine *m);
void et_machine_free(struct et_machine *m);

/* Lists all processes. self is etalon's PID, or 0 for a captured tree. */
void et_processes_read(const char *root, int32_t self, struct et_processes *out);
void et_processes_free(struct et_processes *p);
/* Reads one process. Returns false if it does not exist or its stat file cannot be parsed. */
bool et_process_read(const char *root, int32_t pid, struct et_process *out) ET_CHECK;

/*
 * Finds the control group of a process in the hierarchy of a version 1 controller (or of that name,
 * "name=systemd"), or of version 2: "". /proc/PID/cgroup has lines "4:cpu,cpuacct:/path",
 * "0::/path". Returns 1 with the path in out, 0 if there is no such hierarchy, or -errno. pid may
 * be "self".
 */
int et_process_cgroup(
	const char *root, const char *pid, const char *controller, char *out, size_t size) ET_CHECK;
/* Fills buf with the system service of a process ("cron.service"), or "". pid may be "self". */
void et_process_unit(const char *root, const char *pid, char *buf, size_t size);
/* Whether the process is in another PID namespace than etalon; false if that is unknown. */
bool et_process_in_container(const char *root, int32_t pid);
/* Whether the command line of the process contains the text. */
bool et_process_cmdline_has(const char *root, int32_t pid, const char *text);
