/* SPDX-License-Identifier: MIT */
/*
 * The parser of /proc/PID/stat. Members carry the names that proc(5) gives the fields. A read takes
 * about 10 µs, so do not call this while a run is timed.
 */
#pragma once

#include "base/base.h"

/* PF_KTHREAD: the bit of `flags` that marks a kernel thread. No exported header defines it. */
enum { ET_PF_KTHREAD = 0x00200000 };

struct et_procstat {
	int32_t pid;
	char comm[64]; /* may contain spaces and parentheses; only kworkers have over 15 bytes */
	char state;    /* R, S, D, T, Z … */
	int32_t ppid, pgrp;
	uint32_t flags;
	uint64_t utime, stime; /* in clock ticks, _SC_CLK_TCK per second */
	uint64_t starttime;    /* clock ticks after boot; pid and starttime identify a process */
	int processor;         /* the CPU that it last ran on */
};

/* Parses the text of the file. Returns 0, or -EINVAL if it is malformed. */
int et_procstat_parse(const char *text, struct et_procstat *out) ET_CHECK;
/* Reads and parses it (root: see sysroot.h). Returns -ENOENT or -ESRCH if the process is gone. */
int et_procstat_read(const char *root, int32_t pid, struct et_procstat *out) ET_CHECK;
