/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The user's commands around runs (--prepare and the like), and builds. They are not measured. */
#pragma once

#include "measure/child/cgroup.h"
#include "measure/child/child.h"
#include "measure/child/environ.h"
#include "measure/child/wakeup_prio.h"
#include "model/sample/executor.h"

struct et_hook {
	const char *shell;     /* command line of the shell that runs it; NULL: /bin/sh */
	const char *directory; /* to run in; NULL: the current one */
	char *const *envp;
	const char *path_variable;
	const struct et_identity *identity; /* whose rights it has; NULL: ours */
	int out_fd;  /* gets its output and errors; 0: /dev/null and standard error */
	int home_fd; /* cgroup.procs of a group that is not measured; -1: none */
	sigset_t signals;
	const struct et_dispositions *dispositions;
	struct et_wakeup_prio *wakeup; /* NULL: the priority is never raised */
	struct et_interrupt *interrupt;
};

/* Runs a hook, which `what` ("--prepare") names in errors. -EINTR after a signal. */
int et_hook_run(
	const struct et_hook *h, const char *what, const char *text, struct et_error *err) ET_CHECK;
