/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs a profiler's own program, which prints one of its files as text. No shell is involved. The
 * program reads no input, and its CPU time is limited. The lab also runs a compiler this way.
 */
#pragma once

#include "base/error.h"

#include <sys/types.h>

struct et_helper {
	pid_t pid;
	FILE *out;  /* what it prints */
	int errors; /* a file that receives its messages */
};

/* Starts argv[0], which is found as execvp(3) does. On success call et_helper_end. */
int et_helper_start(struct et_helper *h, char *const *argv, struct et_error *err) ET_CHECK;
/*
 * Waits for its end. rc is the caller's success: after a failure the program is killed. Returns rc,
 * or the failure of the program, with its messages quoted.
 */
int et_helper_end(struct et_helper *h, int rc, const char *name, struct et_error *err) ET_CHECK;
