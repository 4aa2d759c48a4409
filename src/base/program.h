/* SPDX-License-Identifier: MIT */
/* Starts programs that answer a question of ours. */
#pragma once

#include "base/base.h"

#include <sys/types.h>

/*
 * Starts argv[0], found as execvp(3) finds it, with no input, the given descriptors as its output
 * and errors, and no signal blocked or ignored. In its own process group it survives Ctrl-C.
 * Returns 0 or -errno.
 */
int et_spawn(char *const *argv, char *const *environment, int out, int errors, bool own_group,
	pid_t *pid) ET_CHECK;
