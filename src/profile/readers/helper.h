/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs a profiler's program, or a compiler of the lab: no shell or input, and limited CPU time. */
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
/* Waits for its end; kills it if rc, the caller's, is a failure. Returns rc, or its failure. */
int et_helper_end(struct et_helper *h, int rc, const char *name, struct et_error *err) ET_CHECK;
