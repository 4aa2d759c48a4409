/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Commands beside the measured ones: setup, prepare, conclude, cleanup. They are not measured. */
#ifndef ET_MEASURE_HOOK_H
#define ET_MEASURE_HOOK_H

#include "measure/cgroup.h"
#include "model/executor.h"

struct et_hook {
	const char *shell;     /* NULL: words, no shell */
	const char *directory; /* or NULL */
	char *const *envp;
	const char *path_variable;
	int home_fd; /* control group they belong to, so that they do not count; -1 */
	sigset_t signals;
	struct et_interrupt *interrupt;
};

/* Runs one; what ("--prepare") names it in the error when it fails. -EINTR after a signal. */
int et_hook_run(
	const struct et_hook *a, const char *what, const char *text, struct et_error *err) ET_CHECK;

#endif
